import { type Compilable, type ExpressionBuilder, expressionBuilder, type Kysely, sql } from 'kysely';
import type { TaskRecord, TaskState } from '../domain/task.js';
import type { Statement } from './database.js';
import type { Tables } from './tables.js';

export type Statements = ReturnType<typeof compileStatements>;

/** The statements of every turn, compiled once by Kysely for its dialect; each says the order of its values. */
export function compileStatements(kysely: Kysely<Tables>) {
  return {
    /** principal, id, context, agent kind, structured, state, created, updated, home */
    insertTask: statement(
      kysely.insertInto('tasks').values({
        principal: '',
        id: '',
        context_id: '',
        agent_kind: '',
        structured: 0,
        state: '',
        created_at: 0,
        updated_at: 0,
        home: '',
      }),
    ),
    /** state, updated, home (who has moved it on runs it), principal, id */
    updateTask: statement(
      kysely
        .updateTable('tasks')
        .set({ state: '', updated_at: 0, home: '' })
        .where('principal', '=', '')
        .where('id', '=', ''),
    ),
    /** principal, id */
    selectTask: statement(
      kysely
        .selectFrom('tasks')
        .select(taskColumns)
        .select(taskLength)
        .where('principal', '=', '')
        .where('id', '=', ''),
    ),
    /** principal, id, first, count, entries */
    insertRow: statement(
      kysely.insertInto('log').values({ principal: '', task_id: '', first: 0, count: 0, entries: '' }),
    ),
    /** principal, id, principal, id, index of the first entry, how many rows: from the row that holds that entry on */
    selectRows: statement(
      kysely
        .selectFrom('log')
        .select(['first', 'count', 'entries'])
        .where('principal', '=', '')
        .where('task_id', '=', '')
        .where('first', '>=', ({ selectFrom }) =>
          selectFrom('log')
            .select(({ fn, lit }) => fn.coalesce(fn.max('first'), lit(0)).as('start'))
            .where('principal', '=', '')
            .where('task_id', '=', '')
            .where('first', '<=', 0),
        )
        .orderBy('first')
        .limit(0),
    ),
    /** agent kind, principal, context */
    selectContext: statement(
      kysely
        .selectFrom('contexts')
        .leftJoin('sessions', (join) =>
          join
            .onRef('sessions.principal', '=', 'contexts.principal')
            .onRef('sessions.context_id', '=', 'contexts.context_id')
            .on('sessions.agent_kind', '=', ''),
        )
        .select(['contexts.workspace', 'sessions.session'])
        .where('contexts.principal', '=', '')
        .where('contexts.context_id', '=', ''),
    ),
    /** principal, context, workspace, used; a context that is there keeps its workspace */
    noteContext: statement(
      kysely
        .insertInto('contexts')
        .values({ principal: '', context_id: '', workspace: '', used_at: 0 })
        .onConflict((conflict) =>
          conflict
            .columns(['principal', 'context_id'])
            .doUpdateSet((row) => ({ used_at: row.ref('excluded.used_at') })),
        ),
    ),
    /** principal, context, agent kind, session */
    nameSession: statement(
      kysely
        .insertInto('sessions')
        .values({ principal: '', context_id: '', agent_kind: '', session: '' })
        .onConflict((conflict) =>
          conflict
            .columns(['principal', 'context_id', 'agent_kind'])
            .doUpdateSet((row) => ({ session: row.ref('excluded.session') })),
        ),
    ),
    /** name, value */
    setFact: statement(
      kysely
        .insertInto('facts')
        .values({ name: '', value: '' })
        .onConflict((conflict) =>
          conflict.column('name').doUpdateSet((row) => ({ value: row.ref('excluded.value') })),
        ),
    ),
    /** name */
    selectFact: statement(kysely.selectFrom('facts').select('value').where('name', '=', '')),
    /** principal, id; a task that runs stays */
    deleteTask: statement(
      kysely
        .deleteFrom('tasks')
        .where('principal', '=', '')
        .where('id', '=', '')
        .where('state', 'not in', [sql.lit('submitted'), sql.lit('working')]),
    ),
    /** principal, task; those of a task that is there stay */
    deleteWebhooks: statement(
      kysely
        .deleteFrom('webhooks')
        .where('principal', '=', '')
        .where('task_id', '=', '')
        .where(withoutTask('webhooks')),
    ),
    /** principal, id; the log of a task that is there stays */
    deleteLog: statement(
      kysely
        .deleteFrom('log')
        .where('principal', '=', '')
        .where('task_id', '=', '')
        .where(withoutTask('log')),
    ),
    /** principal, context, time; one that was used since stays */
    deleteContext: statement(
      kysely
        .deleteFrom('contexts')
        .where('principal', '=', '')
        .where('context_id', '=', '')
        .where('used_at', '<', 0),
    ),
    /** principal, context; those of a context that is there stay */
    deleteSessions: statement(
      kysely
        .deleteFrom('sessions')
        .where('principal', '=', '')
        .where('context_id', '=', '')
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('contexts')
                .select('contexts.context_id')
                .whereRef('contexts.principal', '=', 'sessions.principal')
                .whereRef('contexts.context_id', '=', 'sessions.context_id'),
            ),
          ),
        ),
    ),
  };
}

/** For rows whose task is gone: those of a task that is there stay. */
function withoutTask(table: 'log' | 'webhooks') {
  const { not, exists, selectFrom } = expressionBuilder<Tables, 'log' | 'webhooks'>();
  return not(
    exists(
      selectFrom('tasks')
        .select('tasks.id')
        .whereRef('tasks.principal', '=', `${table}.principal`)
        .whereRef('tasks.id', '=', `${table}.task_id`),
    ),
  );
}

/** Columns of a task that make a record; `taskLength` is the rest of it. */
export const taskColumns = [
  'tasks.principal',
  'tasks.id',
  'tasks.context_id',
  'tasks.agent_kind',
  'tasks.structured',
  'tasks.state',
  'tasks.created_at',
  'tasks.updated_at',
] as const;

/** How many entries a task has: where its last row ends. */
export const taskLength = (row: ExpressionBuilder<Tables, 'tasks'>) =>
  row
    .selectFrom('log')
    .select((entry) => entry(entry.ref('first'), '+', entry.ref('count')).as('end'))
    .whereRef('log.principal', '=', 'tasks.principal')
    .whereRef('log.task_id', '=', 'tasks.id')
    .orderBy('first', 'desc')
    .limit(row.lit(1))
    .as('length');

export interface TaskRow {
  readonly principal: string;
  readonly id: string;
  readonly context_id: string;
  readonly agent_kind: string;
  readonly structured: number;
  readonly state: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly length: number | null;
}

/** A row of `tasks` as the record that everyone else knows. */
export const taskRecord = (row: TaskRow): TaskRecord => ({
  principal: row.principal,
  taskId: row.id,
  contextId: row.context_id,
  agentKind: row.agent_kind,
  structured: row.structured === 1,
  state: storedState(row.state),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  length: row.length ?? 0,
});

/** The column holds nothing but states: `insertTask` and `updateTask` are given no other text. */
const storedState = (text: string): TaskState => text as TaskState;

/** A query compiled once, for values to come. */
export const statement = <Row>(query: Compilable<Row>): Statement<Row> => ({ sql: query.compile().sql });
