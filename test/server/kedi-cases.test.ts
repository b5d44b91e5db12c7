import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { type A2aHost, type Json, startA2aHost, typed } from '../support/a2a-host.js';
import { temporaryDirectory } from '../support/temporary.js';

interface Case {
  readonly name: string;
  readonly schema: string;
  readonly valid: readonly string[];
  readonly invalid: readonly string[];
}

/** Schemas as a Kedi client makes them from its types. */
const cases: readonly Case[] = JSON.parse(
  readFileSync(new URL('../fixtures/cases/kedi-schemas.json', import.meta.url), 'utf8'),
);

const directory = await temporaryDirectory(afterAll);

/** `cat` answers the document that stands in its prompt. */
const start = (until?: typeof afterAll): Promise<A2aHost> =>
  startA2aHost({
    directory,
    flags: { agent: 'command', agentOptions: '{"command":["cat"]}' },
    ...(until && { until }),
  });

const asking = (schema: string, document: string) => typed(schema, { more: { parts: [{ text: document }] } });

const bytesOf = ({ artifacts = [] }: Json): readonly string[] =>
  artifacts.map(({ name, parts }: Json) => {
    expect(name).toBe('kedi-structured-output');
    expect(parts).toHaveLength(1);
    return Buffer.from(parts[0].raw, 'base64').toString('utf8');
  });

const valid = cases.flatMap(({ name, schema, valid }) =>
  valid.map((document) => ({ name, schema, document })),
);
const invalid = cases.flatMap(({ name, schema, invalid }) =>
  invalid.map((document) => ({ name, schema, document })),
);

const first = await start(afterAll);
const tasks = new Map<string, string>();

describe("the artifact's bytes are the document's", () => {
  it.each(valid)('for SendMessage and GetTask: $name, $document', async ({ schema, document }) => {
    const { task } = await first.result('SendMessage', asking(schema, document));
    expect(bytesOf(task)).toEqual([document]);
    expect(bytesOf(await first.result('GetTask', { id: task.id }))).toEqual([document]);
    tasks.set(task.id, document);
  });

  it.each(valid)('for SendStreamingMessage: $name, $document', async ({ schema, document }) => {
    const events: Json[] = [];
    for await (const event of first.stream('SendStreamingMessage', asking(schema, document)))
      events.push(event);
    const artifacts = events.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact ?? []);
    expect(bytesOf({ artifacts })).toEqual([document]);
    tasks.set(events[0].task.id, document);
  });

  it('for ListTasks, and after a restart for GetTask too', async () => {
    const list = async (host: A2aHost): Promise<ReadonlyMap<string, string>> => {
      const { tasks: listed } = await host.result('ListTasks', { includeArtifacts: true, pageSize: 100 });
      return new Map(listed.map((task: Json) => [task.id, bytesOf(task)[0]]));
    };
    expect(tasks.size).toBe(2 * valid.length);
    expect(await list(first)).toEqual(tasks);
    await first.close();
    const second = await start();
    expect(await list(second)).toEqual(tasks);
    for (const [id, document] of tasks) {
      expect(bytesOf(await second.result('GetTask', { id }))).toEqual([document]);
    }
    await second.close();
  });
});

describe('a document that does not match', () => {
  it('fails its task, and no artifact is left', async () => {
    const host = await start();
    for (const { name, schema, document } of invalid) {
      const { task } = await host.result('SendMessage', asking(schema, document));
      expect([name, document, task.status.state]).toEqual([name, document, 'TASK_STATE_FAILED']);
      const [failure] = Object.values<Json>(task.status.message.metadata);
      expect(failure.code).toBe('RESULT_INVALID');
      expect(await host.result('GetTask', { id: task.id })).not.toHaveProperty('artifacts');
    }
    await host.close();
  });
});
