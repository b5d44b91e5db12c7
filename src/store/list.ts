import type { Kysely } from 'kysely';
import type { TaskPage, TaskQuery } from '../domain/ports.js';
import type { TaskRecord, TaskState } from '../domain/task.js';
import { readPage, writePage } from './page.js';
import { taskColumns, taskLength, taskRecord } from './statements.js';
import type { Tables } from './tables.js';

/** A page of a principal's tasks, newest change first; a task that changes while one pages comes up again at the top. */
export async function listTasks(kysely: Kysely<Tables>, query: TaskQuery): Promise<TaskPage> {
  let matching = kysely.selectFrom('tasks').where('principal', '=', query.principal);
  if (query.contextId !== undefined) matching = matching.where('context_id', '=', query.contextId);
  if (query.states !== undefined) {
    if (query.states.length === 0) return { records: [], total: 0, next: undefined, after };
    matching = matching.where('state', 'in', query.states);
  }
  if (query.updatedSince !== undefined) matching = matching.where('updated_at', '>=', query.updatedSince);

  let page = matching
    .select(taskColumns)
    .select(taskLength)
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    // One more than asked for tells whether there is a next page.
    .limit(query.limit + 1);
  if (query.page !== undefined) {
    const { updatedAt, id } = readPage(query.page);
    page = page.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('updated_at', 'id'), '<', tuple(updatedAt, id)),
    );
  }

  const [rows, counted] = await Promise.all([
    page.execute(),
    matching.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  const records = rows.slice(0, query.limit).map(taskRecord);
  const last = records.at(-1);
  return {
    records,
    total: counted.total,
    next: last !== undefined && rows.length > query.limit ? after(last) : undefined,
    after,
  };
}

const after = ({ updatedAt, taskId: id }: TaskRecord): string => writePage({ updatedAt, id });

/** Tasks of this data directory's server in one of these states, oldest first. */
export async function listUnfinished(
  kysely: Kysely<Tables>,
  { states, home }: { readonly states: readonly TaskState[]; readonly home: string },
): Promise<readonly TaskRecord[]> {
  if (states.length === 0) return [];
  const rows = await kysely
    .selectFrom('tasks')
    .select(taskColumns)
    .select(taskLength)
    .where('home', '=', home)
    .where('state', 'in', states)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(taskRecord);
}
