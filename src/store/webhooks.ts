import type { Kysely, Selectable } from 'kysely';
import type { Webhook, Webhooks } from '../domain/ports.js';
import type { Commits } from './commits.js';
import { type Database, refusal } from './database.js';
import { statement } from './statements.js';
import type { Tables, WebhooksTable } from './tables.js';

/** Webhooks over a database; `home`: only of tasks that this data directory's server runs. */
export function createWebhooks({
  database,
  commits,
  home,
}: {
  readonly database: Database;
  readonly commits: Commits;
  readonly home: string;
}): Webhooks {
  const { kysely } = database;
  const { remove, insert, advance } = compile(kysely);
  const refuse = refusal(database);
  const rowsOf = (principal: string, taskId: string) =>
    kysely
      .selectFrom('webhooks')
      .selectAll()
      .where('principal', '=', principal)
      .where('task_id', '=', taskId)
      .orderBy('id');
  return {
    async put(webhook) {
      const { principal, taskId, id, url, token = '', authentication, told } = webhook;
      const { scheme = '', credentials = '' } = authentication ?? {};
      await commits.write([
        { statement: remove, values: [principal, taskId, id] },
        {
          statement: insert,
          values: [principal, taskId, id, url, token, scheme, credentials, told, 0],
        },
      ]);
    },
    async list({ principal, taskId }) {
      return (await rowsOf(principal, taskId).execute().catch(refuse)).map(webhookOf);
    },
    async remove({ principal, taskId }, id) {
      const known = await rowsOf(principal, taskId).where('id', '=', id).executeTakeFirst().catch(refuse);
      if (known === undefined) return false;
      await commits.write([{ statement: remove, values: [principal, taskId, id] }]);
      return true;
    },
    async advance({ principal, taskId, id }, { told, over }) {
      await commits.write([{ statement: advance, values: [told, over ? 1 : 0, principal, taskId, id] }]);
    },
    async unfinished() {
      const rows = await kysely
        .selectFrom('webhooks')
        .innerJoin('tasks', (join) =>
          join.onRef('tasks.principal', '=', 'webhooks.principal').onRef('tasks.id', '=', 'webhooks.task_id'),
        )
        .selectAll('webhooks')
        .where('webhooks.over', '=', 0)
        .where('tasks.home', '=', home)
        .execute()
        .catch(refuse);
      return rows.map(webhookOf);
    },
  };
}

function compile(kysely: Kysely<Tables>) {
  const key = { principal: '', task_id: '', id: '' };
  return {
    /** principal, task, id */
    remove: statement(
      kysely
        .deleteFrom('webhooks')
        .where('principal', '=', '')
        .where('task_id', '=', '')
        .where('id', '=', ''),
    ),
    /** principal, task, id, url, token, scheme, credentials, told, over */
    insert: statement(
      kysely
        .insertInto('webhooks')
        .values({ ...key, url: '', token: '', scheme: '', credentials: '', told: 0, over: 0 }),
    ),
    /** told, over, principal, task, id */
    advance: statement(
      kysely
        .updateTable('webhooks')
        .set({ told: 0, over: 0 })
        .where('principal', '=', '')
        .where('task_id', '=', '')
        .where('id', '=', ''),
    ),
  };
}

const webhookOf = (row: Selectable<WebhooksTable>): Webhook => ({
  principal: row.principal,
  taskId: row.task_id,
  id: row.id,
  url: row.url,
  ...(row.token !== '' && { token: row.token }),
  ...(row.scheme !== '' && {
    authentication: {
      scheme: row.scheme,
      ...(row.credentials !== '' && { credentials: row.credentials }),
    },
  }),
  told: row.told,
});
