import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface PostgresServer {
  /** Of a new, empty database. */
  database(): Promise<string>;
  stop(): Promise<void>;
}

/** A PostgreSQL server of the machine's own, on a socket in a temporary directory; a sentence: why there is none. */
export async function startPostgres(): Promise<PostgresServer | string> {
  const account = serverAccount();
  if (account === undefined) return 'there is no account "postgres" to run it, and root may not';
  const directory = mkdtempSync(join(tmpdir(), 'kedi-postgres-'));
  if (account.uid !== undefined && account.gid !== undefined) chownSync(directory, account.uid, account.gid);
  const run = (program: string, args: readonly string[]): void => {
    execFileSync(program, [...args], { ...account, cwd: directory, stdio: 'pipe' });
  };
  const data = join(directory, 'data');
  try {
    run('initdb', ['--no-sync', '-A', 'trust', '-U', 'kedi', '-E', 'UTF8', '--locale=C', data]);
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    return `initdb could not be run: ${error instanceof Error ? error.message.split('\n')[0] : error}`;
  }
  const server = spawn(
    'postgres',
    ['-D', data, '-k', directory, '-c', 'listen_addresses=', '-c', 'fsync=off'],
    {
      ...account,
      cwd: directory,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const exited = once(server, 'exit');
  await new Promise<void>((resolve, reject) => {
    let said = '';
    server.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('ready to accept connections')) resolve();
    });
    exited.then(() => reject(new Error(said)));
  });

  let databases = 0;
  return {
    async database() {
      databases += 1;
      run('psql', [
        '-h',
        directory,
        '-U',
        'kedi',
        '-d',
        'postgres',
        '-c',
        `create database kedi${databases}`,
      ]);
      return `postgres://kedi@localhost/kedi${databases}?host=${encodeURIComponent(directory)}`;
    },
    async stop() {
      server.kill('SIGINT');
      await exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** As whom the server runs: it refuses root. */
function serverAccount(): { readonly uid?: number; readonly gid?: number } | undefined {
  if (process.getuid?.() !== 0) return {};
  try {
    const [uid, gid] = ['-u', '-g'].map((flag) =>
      Number(execFileSync('id', [flag, 'postgres'], { stdio: 'pipe' })),
    );
    return uid === undefined || gid === undefined ? undefined : { uid, gid };
  } catch {
    return undefined;
  }
}
