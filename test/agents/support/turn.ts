import { randomUUID } from 'node:crypto';
import type { Line, Outcome, OutputEvent, Turn } from '../../../src/domain/agent.js';
import { temporaryDirectory } from '../../support/temporary.js';

/** A turn as the engine would give it, with a workspace of its own that goes with the test. */
export async function newTurn(turn: Partial<Turn> = {}): Promise<Turn> {
  return {
    taskId: randomUUID(),
    contextId: randomUUID(),
    messageId: randomUUID(),
    prompt: 'Hello',
    parts: [{ kind: 'text', text: turn.prompt ?? 'Hello' }],
    history: async () => [],
    metadata: undefined,
    acceptedOutputModes: ['text/plain'],
    output: undefined,
    refused: undefined,
    session: undefined,
    workspace: turn.workspace ?? (await temporaryDirectory()),
    signal: new AbortController().signal,
    ...turn,
  };
}

export interface Ran {
  readonly lines: readonly Line[];
  readonly outcome: Outcome;
}

/** Pulls a run to its end; what it throws is thrown. `onLine` sees each line before the next is asked for. */
export async function finish(
  run: AsyncGenerator<Line, Outcome, void>,
  onLine: (line: Line) => void | Promise<void> = () => {},
): Promise<Ran> {
  const lines: Line[] = [];
  while (true) {
    const step = await run.next();
    if (step.done) return { lines, outcome: step.value };
    lines.push(step.value);
    await onLine(step.value);
  }
}

export const eventsOf = (lines: readonly Line[]): readonly OutputEvent[] =>
  lines.flatMap((line) => line.events ?? []);

/** The answer as a client would read it: the agent's own deltas, messages set apart by a blank line. */
export function answerOf({ lines, outcome }: Ran): string {
  if (outcome.kind === 'text') return outcome.text;
  let answer = '';
  for (const event of eventsOf(lines)) {
    if (event.type !== 'delta' || event.parent !== undefined) continue;
    answer += (event.startsMessage && answer !== '' ? '\n\n' : '') + event.text;
  }
  return answer;
}

/** What was written on a channel, as bytes joined. */
export const bytesOf = (lines: readonly Line[], channel: Line['channel']): Buffer =>
  Buffer.concat(lines.filter((line) => line.channel === channel).map((line) => line.raw));
