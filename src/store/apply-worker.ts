import { parentPort, workerData } from 'node:worker_threads';
import type { Answer, Job, Place } from './apply.js';
import { type Connection, openConnection } from './connection.js';
import { journalsIn } from './journal.js';
import { createJournalReader, type JournalReader, type Transaction } from './journal-reader.js';
import { merge } from './merge.js';
import { sqliteStatements } from './sqlite-statements.js';

const { directory, database }: Place = workerData;
const { selectFact, setFact } = sqliteStatements;

/** One transaction takes over so much at least, or all there is. */
const transactionBytes = 4 * 1024 * 1024;

/** Between two syncs, after each of which what the journal no longer needs is removed. */
const syncBytes = 32 * 1024 * 1024;

let connection: Connection | undefined;
let journal: (JournalReader & { readonly id: string }) | undefined;
let applied: number | undefined;
let synced = 0;
/** Steps that the database refused because what they insert is there: it must not happen, and must not stop the rest. */
let refused = 0;

/** Opened with the first job, so that what is wrong is the answer to that one. */
function open(): Connection {
  if (connection !== undefined) return connection;
  // A journal is kept until what was taken over has been synced.
  connection = openConnection(database, 'normal');
  // What one transaction writes should fit, or it is written twice: in KiB.
  connection.database.exec('pragma cache_size = -8000');
  // Each checkpoint syncs twice, and copies a page once, however often it was written since the one before: in pages.
  connection.database.exec('pragma wal_autocheckpoint = 2000');
  return connection;
}

/** What the database knows of its journal, if it has tables: whose it is, and how much of it was taken over. */
function known(): { readonly id: string; readonly applied: number } {
  const { all } = open();
  const facts = all("select name from sqlite_master where name = 'facts'", []);
  const fact = (name: string): string => {
    if (facts.length === 0) return '';
    const [row] = all(selectFact.sql, [name]) as readonly { readonly value: string }[];
    return row?.value ?? '';
  };
  return { id: fact('journal_id'), applied: Number(fact('journal')) };
}

function readerOf(id: string): JournalReader {
  if (journal?.id === id) return journal;
  journal?.close();
  journal = { id, ...createJournalReader({ directory, id }) };
  return journal;
}

type Read = JournalReader['read'];

/** Takes over what there is of a journal, up to `end`. */
function advance(reader: JournalReader, end: number, read: Read = reader.read): number {
  let at = applied ?? known().applied;
  while (at < end) {
    const next = read(at);
    if (next === undefined) break;
    at = transact(next, { end, read });
    applied = at;
    if (at - synced >= syncBytes) {
      sync(at);
      reader.remove(at);
    }
  }
  return at;
}

/** This transaction of the journal and some that follow, with how far that is, as one of the database. */
function transact(first: Transaction, { end, read }: { readonly end: number; readonly read: Read }): number {
  const { database: handle, run } = open();
  const most = Math.min(end, first.end + transactionBytes);
  const transactions = [first];
  let at = first.end;
  while (at < most) {
    const next = read(at);
    if (next === undefined) break;
    transactions.push(next);
    at = next.end;
  }
  run('begin immediate', []);
  try {
    for (const { statement, values } of merge(transactions.flatMap(({ steps }) => steps))) {
      insist(() => run(statement.sql, values));
    }
    run(setFact.sql, ['journal', String(at)]);
    run('commit', []);
    return at;
  } catch (error) {
    if (handle.inTransaction) run('rollback', []);
    throw error;
  }
}

function insist(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!codeOf(error).startsWith('SQLITE_CONSTRAINT')) throw error;
    refused += 1;
  }
}

/** Until here, what is in the database survives the loss of power without the journal. */
function sync(at: number): void {
  const { database: handle, run } = open();
  handle.exec('pragma synchronous = full');
  try {
    // What no run before has written: where a row stays as it is, SQLite writes nothing, and then it syncs nothing either.
    run(setFact.sql, ['synced', `${at} at ${new Date().toISOString()}`]);
  } finally {
    handle.exec('pragma synchronous = normal');
  }
  synced = at;
}

/** For the start: takes over whatever is whole, and removes the journal. */
function recover(): Answer {
  const { id, applied: from } = known();
  synced = from;
  const found = journalsIn(directory);
  if (found.length === 0) return { applied: from, refused };
  // Taken over into another database it would be lost, and that one be spoilt.
  if (found.some((file) => file.id !== id) || found.every(({ start }) => start > from)) {
    throw new Error('the journal in the data directory goes on from another store.db.');
  }
  const reader = readerOf(id);
  const at = advance(reader, Number.POSITIVE_INFINITY, reader.readChecked);
  sync(at);
  return { applied: at, refused, left: reader.removeAll(at) };
}

/** What is all in the database needs no journal any more; without an id there is none. */
function close({ id, end }: { readonly id: string; readonly end: number }): void {
  try {
    if (id === '' || advance(readerOf(id), end) !== end) return;
    sync(end);
    readerOf(id).removeAll(end);
  } finally {
    journal?.close();
    connection?.close();
  }
}

function answer(job: Job): Answer {
  try {
    if (job.kind === 'recover') return recover();
    if (job.kind === 'close') close(job);
    else if (advance(readerOf(job.id), job.end) < job.end) {
      throw new Error('the journal in the data directory has a gap.');
    }
    return { applied: job.end, refused };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { error: { message, code: codeOf(error) } };
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

parentPort?.on('message', (job: Job) => parentPort?.postMessage(answer(job)));
