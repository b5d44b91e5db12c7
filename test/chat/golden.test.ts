import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { project, unread } from '../../src/chat/project.js';
import type { Entry } from '../../src/domain/task.js';
import { eventWriter } from '../../src/protocol/agent-output.js';
import { decoders, logOf, recordings } from '../support/decoders.js';

const write = eventWriter({ sessionId: 'session', commandId: 'command' });

/** How the engine ends a task whose agent ended like this. */
function ended(entries: readonly Entry[]): readonly Entry[] {
  const last = project(unread, entries).frames.at(-1);
  if (last?.body.event !== 'done' || last.body.finishReason !== 'error') return entries;
  const failed: Entry = { type: 'state', at: 1, state: 'failed', code: 'AGENT_FAILED', text: 'It failed.' };
  return [...entries.slice(0, -1), failed];
}

/** The stream as a reader gets it, byte for byte. */
const streamOf = (entries: readonly Entry[]): string =>
  project(unread, ended(entries)).frames.map(write).join('');

for (const decoder of decoders) {
  describe(`the chat of ${decoder.agent}`, () => {
    const runs = recordings(decoder.agent);

    it.each(runs)('of the recorded run $name is as before', async ({ name, bytes }) => {
      await expect(streamOf(logOf(decoder, [bytes]))).toMatchFileSnapshot(
        `../fixtures/chat/${decoder.agent}/${name}.sse`,
      );
    });

    it.each(runs)('of $name is the same wherever its bytes are cut', ({ bytes }) => {
      const whole = streamOf(logOf(decoder, [bytes]));
      fc.assert(
        fc.property(fc.array(fc.nat(bytes.length), { maxLength: 8 }), (places) => {
          const cuts = [0, ...places.sort((one, other) => one - other), bytes.length];
          const blocks = cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
          expect(streamOf(logOf(decoder, blocks))).toBe(whole);
        }),
        { numRuns: 10 },
      );
    });

    it.each(runs)('has a frame for each line of $name, or the line is of a silent kind', ({ bytes }) => {
      const entries = logOf(decoder, [bytes]);
      const { frames } = project(unread, entries);
      const shown = new Set(frames.slice(0, -1).map(({ line }) => line));
      const silent = entries
        .flatMap((entry) => (entry.type === 'line' ? [entry.raw] : []))
        .flatMap((raw, line) => (shown.has(line) || raw.length === 0 ? [] : [decoder.kindOf(raw)]));
      const unlisted = silent.filter(
        (kind) => !decoder.silentKinds.some((listed) => `${kind}/`.startsWith(`${listed.split(',')[0]}/`)),
      );
      expect([...new Set(unlisted)]).toEqual([]);
    });
  });
}
