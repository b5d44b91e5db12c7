import { availableParallelism, loadavg } from 'node:os';

/** So many milliseconds on a machine with nothing else to do; more on one that shares its processors at the moment. */
export function fairTime(milliseconds: number): number {
  const [load = 0] = loadavg();
  return milliseconds * Math.max(1, load / availableParallelism());
}
