import { join } from 'node:path';
import { KediError } from '../domain/errors.js';
import { connect } from './connection.js';

/** Held until it is released, or until the process is gone, however it goes. */
export interface Lock {
  release(): void;
}

/**
 * Claims a data directory for this process: one server a directory, or two would run each other's tasks. The lock is
 * SQLite's own on a file beside the store, which the kernel frees even on `kill -9`. Taken: KediError
 * STORE_UNAVAILABLE.
 */
export function lockDirectory(directory: string): Lock {
  let connection: ReturnType<typeof connect> | undefined;
  try {
    connection = connect(join(directory, 'lock'));
    // Nothing is ever written, so there is nothing to roll back either, and no journal to leave behind.
    connection.exec('pragma journal_mode = memory');
    connection.exec('begin exclusive');
  } catch (error) {
    connection?.close();
    const busy = error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY';
    throw new KediError(
      'STORE_UNAVAILABLE',
      busy
        ? `Another server is using the data directory ${directory}.`
        : `The data directory ${directory} cannot be locked.`,
      { cause: error },
    );
  }
  const held = connection;
  return {
    release() {
      // A connection may outlive its closing until the collector comes; the lock must not.
      held.exec('rollback');
      held.close();
    },
  };
}
