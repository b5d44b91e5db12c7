import type { Kysely } from 'kysely';
import type { ContextPage, ContextQuery, ContextRecord } from '../domain/ports.js';
import { readPage, writePage } from './page.js';
import { taskColumns, taskLength, taskRecord } from './statements.js';
import type { Tables } from './tables.js';

/** A page of a principal's contexts, the one with the newest change first: an aggregate over an index of its tasks. */
export async function listContexts(kysely: Kysely<Tables>, query: ContextQuery): Promise<ContextPage> {
  let tasks = kysely.selectFrom('tasks').where('principal', '=', query.principal);
  if (query.contextId !== undefined) tasks = tasks.where('context_id', '=', query.contextId);

  let page = kysely
    .selectFrom(
      tasks
        .groupBy('context_id')
        .select(({ fn }) => [
          'context_id as id',
          fn.min('created_at').as('created'),
          fn.max('updated_at').as('updated'),
          fn.countAll<number>().as('tasks'),
        ])
        .as('context'),
    )
    .selectAll()
    .orderBy('updated', 'desc')
    .orderBy('id', 'desc')
    .limit(query.limit + 1);
  if (query.page !== undefined) {
    const { updatedAt, id } = readPage(query.page);
    page = page.where(({ eb, refTuple, tuple }) => eb(refTuple('updated', 'id'), '<', tuple(updatedAt, id)));
  }

  const [rows, counted] = await Promise.all([
    page.execute(),
    tasks.select(({ fn }) => fn.count<number>('context_id').distinct().as('total')).executeTakeFirstOrThrow(),
  ]);
  const contexts = await Promise.all(
    rows.slice(0, query.limit).map(async (row): Promise<ContextRecord | undefined> => {
      const key = { principal: query.principal, contextId: row.id };
      const latest = await latestTask(kysely, key);
      if (latest === undefined) return undefined;
      return { ...key, createdAt: row.created, updatedAt: row.updated, tasks: row.tasks, latest };
    }),
  );
  const last = rows.at(query.limit - 1);
  return {
    // One whose tasks went in between the two queries is no context any more.
    contexts: contexts.filter((context) => context !== undefined),
    total: counted.total,
    next:
      last !== undefined && rows.length > query.limit
        ? writePage({ updatedAt: last.updated, id: last.id })
        : undefined,
  };
}

async function latestTask(kysely: Kysely<Tables>, key: { principal: string; contextId: string }) {
  const row = await kysely
    .selectFrom('tasks')
    .select(taskColumns)
    .select(taskLength)
    .where('principal', '=', key.principal)
    .where('context_id', '=', key.contextId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : taskRecord(row);
}
