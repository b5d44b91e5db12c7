import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { KediError } from '../domain/errors.js';
import type { Logger, Sessions } from '../domain/ports.js';
import { nameOf } from '../domain/task.js';
import type { Commits } from './commits.js';
import type { Database } from './database.js';
import type { Statements } from './statements.js';

interface Parts {
  readonly database: Database;
  readonly statements: Statements;
  readonly commits: Commits;
  /** Where workspaces are made. */
  readonly directory: string;
  readonly logger: Logger;
  readonly now: () => number;
}

/**
 * Sessions and workspaces over a database. A context is written down when it first has a workspace or a session, and
 * costs nothing before.
 */
export function createSessions(parts: Parts): Sessions {
  const { database, statements, commits, directory, logger, now } = parts;
  return {
    async open({ principal, contextId, isNew }, agentKind) {
      const about = nameOf(principal, contextId);
      const [row] =
        isNew === true
          ? []
          : await database.query<{ workspace: string; session: string | null }>(
              statements.selectContext,
              [agentKind, principal, contextId],
              about,
            );
      const id = row?.workspace ?? v7();
      const note = () => ({
        statement: statements.noteContext,
        values: [principal, contextId, id, now()],
        about,
      });
      const noted = (): void => {
        commits.write([note()]).catch((error: unknown) => {
          logger.warn('the use of a context could not be noted', { contextId, reason: String(error) });
        });
      };
      if (row !== undefined) noted();

      let workspace: string | undefined;
      return {
        session: row?.session ?? undefined,
        rename: (session) =>
          commits.write([
            note(),
            { statement: statements.nameSession, values: [principal, contextId, agentKind, session] },
          ]),
        workspace() {
          if (workspace === undefined) {
            const path = join(directory, id);
            try {
              mkdirSync(path, { mode: 0o700, recursive: true });
            } catch (error) {
              throw new KediError('STORE_UNAVAILABLE', 'The workspace of this context cannot be made.', {
                cause: error,
              });
            }
            workspace = path;
            if (row === undefined) noted();
          }
          return workspace;
        },
      };
    },
  };
}
