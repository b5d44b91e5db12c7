import { readdirSync, readFileSync } from 'node:fs';

/** The processes that have this entry in their environment. */
export const processesWith = (entry: string): readonly string[] =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${entry}\0`);
    } catch {
      return false;
    }
  });
