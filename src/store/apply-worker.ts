import { parentPort, workerData } from 'node:worker_threads';
import type { Answer, Job, Place } from './apply.js';
import { type Connection, openConnection } from './connection.js';
import { journalStarts } from './journal.js';
import { createJournalReader, type Transaction } from './journal-reader.js';
import { merge } from './merge.js';

const { directory, database }: Place = workerData;

/** One transaction takes over so much at least, or all there is. */
const transactionBytes = 4 * 1024 * 1024;

/** Between two syncs, after each of which what the journal no longer needs is removed. */
const syncBytes = 16 * 1024 * 1024;

const journal = createJournalReader(directory);
let connection: Connection | undefined;
let applied: number | undefined;
let synced = 0;
/** Steps that the database refused because what they insert is there: it must not happen, and must not stop the rest. */
let refused = 0;

/** Opened with the first job, so that what is wrong is the answer to that one. */
const open = (): Connection => (connection ??= openConnection(database));

/** How far the database has come; undefined: it has no tables yet. */
function stored(): number | undefined {
  const { all } = open();
  if (all("select name from sqlite_master where name = 'facts'", []).length === 0) return undefined;
  const [row] = all("select value from facts where name = 'journal'", []);
  return row === undefined ? 0 : Number((row as { readonly value: string }).value);
}

type Read = typeof journal.read;

/** Takes over what there is of the journal, up to `end`. */
function advance(end: number, read: Read = journal.read): number {
  let at = applied ?? stored() ?? 0;
  while (at < end) {
    const next = read(at);
    if (next === undefined) break;
    at = transact(next, { end, read });
    applied = at;
    if (at - synced >= syncBytes) {
      sync(at);
      journal.remove(at);
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
    note(at);
    run('commit', []);
    return at;
  } catch (error) {
    if (handle.inTransaction) run('rollback', []);
    throw error;
  }
}

const note = (at: number) =>
  open().run(
    "insert into facts (name, value) values ('journal', ?) on conflict (name) do update set value = excluded.value",
    [String(at)],
  );

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
  const { database: handle } = open();
  handle.exec('pragma synchronous = full');
  try {
    note(at);
  } finally {
    handle.exec('pragma synchronous = normal');
  }
  synced = at;
}

/** For the start: takes over whatever is whole, and removes the journal, so that a new one can begin there. */
function recover(): Answer {
  const from = stored();
  synced = from ?? 0;
  const [first] = journalStarts(directory);
  if (first === undefined) return { applied: synced, refused, torn: [] };
  if (from === undefined || first > from) {
    throw new Error('the journal in the data directory goes on from another store.db.');
  }
  const at = advance(Number.POSITIVE_INFINITY, journal.readChecked);
  sync(at);
  return { applied: at, refused, torn: journal.removeAll(at) };
}

/** What is all in the database needs no journal any more. */
function close(end: number): void {
  try {
    if (advance(end) !== end || journalStarts(directory).length === 0) return;
    sync(end);
    journal.removeAll(end);
  } finally {
    journal.close();
    connection?.close();
  }
}

function answer(job: Job): Answer {
  try {
    if (job.kind === 'recover') return recover();
    if (job.kind === 'close') close(job.end);
    else if (advance(job.end) < job.end) throw new Error('the journal in the data directory has a gap.');
    return { applied: job.end, refused, torn: [] };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { error: { message, code: codeOf(error) } };
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

parentPort?.on('message', (job: Job) => parentPort?.postMessage(answer(job)));
