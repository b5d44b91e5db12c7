import { describe, expect, it } from 'vitest';
import { hostileCases } from '../schema/hostile-cases.js';
import { line, message, says, scripted, startA2aHost, typed } from '../support/a2a-host.js';
import { call } from '../support/raw-http.js';

describe('Schemas made to be dear, and documents for them', () => {
  it.each(['sampled', 'answered'] as const)(
    'keep nobody else waiting: %s',
    { timeout: 240_000 },
    async (how) => {
      let document = '';
      const answering = scripted(async function* ({ output }) {
        if (output !== undefined) return { kind: 'json', document };
        yield says('hello');
        return { kind: 'done' };
      });
      const host = await startA2aHost(how === 'answered' ? { agentKind: answering } : {});
      let done = false;
      let longest = 0;
      const other = (async () => {
        while (!done) {
          const begun = performance.now();
          const { task } = await host.result('SendMessage', { message: message('hi') });
          expect(task.status.state).toBe('TASK_STATE_COMPLETED');
          longest = Math.max(longest, performance.now() - begun);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })();
      /** How long the other client waited while this one was served. */
      const waited = async (schema: string): Promise<number> => {
        longest = 0;
        const { result, error } = await host.call('SendMessage', typed(schema));
        expect(error ?? result.task.status.state).toMatch(/COMPLETED|FAILED/);
        return longest;
      };
      const slow: string[] = [];
      for (const { name, make } of hostileCases) {
        const made = make();
        document = made.document;
        const first = await waited(made.schema);
        // Once more, since it may have been the machine that was busy.
        const milliseconds = first > 1_000 ? Math.min(first, await waited(made.schema)) : first;
        if (milliseconds > 1_000)
          slow.push(`${name}: another client waited for ${Math.round(milliseconds)} ms`);
      }
      done = true;
      await other;
      expect(slow).toEqual([]);
    },
  );
});

describe('What is asked for and not taken', () => {
  it('many large results come in pages that fit', { timeout: 60_000 }, async () => {
    const large = `"${'x'.repeat(7_000_000)}"`;
    const agentKind = scripted(async function* () {
      yield line();
      return { kind: 'json', document: large };
    });
    const host = await startA2aHost({ agentKind });
    for (let index = 0; index < 12; index += 1)
      await host.result('SendMessage', typed('true', { more: { contextId: 'c' } }));
    const seen = new Set<string>();
    let pages = 0;
    for (let pageToken = ''; pages === 0 || pageToken !== ''; pages += 1) {
      const { status, text } = await host.post(
        call(1, 'ListTasks', { contextId: 'c', pageSize: 100, includeArtifacts: true, pageToken }),
      );
      expect(status).toBe(200);
      expect(text.length).toBeLessThan(64_000_000);
      const { result } = JSON.parse(text);
      expect(result.totalSize).toBe(12);
      for (const task of result.tasks) seen.add(task.id);
      pageToken = result.nextPageToken;
    }
    expect(seen.size).toBe(12);
    expect(pages).toBeGreaterThan(1);
  });
});
