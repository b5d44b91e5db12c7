import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Projection, project, unread } from '../../src/chat/project.js';
import type { Entry } from '../../src/domain/task.js';
import { type Frame, frameWriter } from '../../src/protocol/agent-output.js';
import { foldTask, RESPONSE_ARTIFACT } from '../../src/protocol/task-fold.js';
import { textLog } from '../support/arbitrary-log.js';

const whole = (entries: readonly Entry[]): readonly Frame[] => project(unread, entries).frames;

it('gives the same frames however the log is cut into pieces', () => {
  fc.assert(
    fc.property(textLog, fc.infiniteStream(fc.integer({ min: 1, max: 4 })), (entries, lengths) => {
      const frames: Frame[] = [];
      let at: Projection = unread;
      let from = 0;
      for (const length of lengths) {
        const step = project(at, entries.slice(from, from + length));
        frames.push(...step.frames);
        at = step.after;
        from += length;
        if (from >= entries.length) break;
      }
      expect(frames).toEqual(whole(entries));
    }),
  );
});

it('counts its frames without a gap, and ends with the one terminal frame', () => {
  fc.assert(
    fc.property(textLog, (entries) => {
      const frames = whole(entries);
      expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, index) => index));
      const terminal = frames.flatMap(({ body, seq }) =>
        body.event === 'done' || body.event === 'error' ? [seq] : [],
      );
      expect(terminal).toEqual([frames.length - 1]);
      expect(whole(entries.slice(0, -1))).toEqual(frames.slice(0, -1));
    }),
  );
});

it('says, all deltas together, what the answer of the task is', () => {
  fc.assert(
    fc.property(textLog, (entries) => {
      const task = foldTask({ taskId: 't', contextId: 'c' });
      task.add(entries);
      const response = task.task().artifacts.find(({ artifactId }) => artifactId === RESPONSE_ARTIFACT);
      const answer = response?.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
      const deltas = whole(entries).map(({ body }) => (body.event === 'delta' ? body.content : ''));
      expect(deltas.join('')).toBe(answer ?? '');
    }),
  );
});

it('leaves no line without a frame that was not understood, and points every frame to a line', () => {
  fc.assert(
    fc.property(textLog, (entries) => {
      const frames = whole(entries);
      const lines = entries.filter((entry) => entry.type === 'line');
      lines.forEach(({ events }, line) => {
        if (events === undefined) {
          expect(frames.filter((frame) => frame.line === line && frame.body.event === 'raw')).toHaveLength(1);
        }
      });
      for (const { line } of frames) expect(line).toBeLessThan(Math.max(1, lines.length));
    }),
  );
});

it('prints every frame as JSON on one line, with its session and where it came from', () => {
  const write = frameWriter({ sessionId: 's', commandId: 'c' });
  fc.assert(
    fc.property(textLog, (entries) => {
      for (const frame of whole(entries)) {
        const text = write(frame);
        expect([...text].every((character) => character >= ' ')).toBe(true);
        expect(JSON.parse(text)).toMatchObject({
          session_id: 's',
          raw_ref: { command_id: 'c', line: frame.line },
        });
      }
    }),
  );
});
