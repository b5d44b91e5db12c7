// The thread that writes to the database, which notes in a file beside its directory, at each removal of a file of the
// journal, whether all that the database has was synced by then.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { workerData } from 'node:worker_threads';
import Libsql from 'libsql';

let durability = 'normal';
let synced = false;

/** The head of the WAL's index: another one after each commit that has written anything. */
const head = () => fs.readFileSync(`${workerData.database}-shm`).toString('hex', 0, 48);

const { exec, prepare } = Libsql.prototype;
Libsql.prototype.exec = function (sql) {
  durability = /^pragma synchronous = (\w+)$/.exec(sql)?.[1] ?? durability;
  return exec.call(this, sql);
};
Libsql.prototype.prepare = function (sql) {
  const statement = prepare.call(this, sql);
  const { run } = statement;
  statement.run = (...given) => {
    const before = head();
    const result = run.apply(statement, given);
    // A commit that is synced takes along whatever was committed before.
    if (head() !== before) synced = durability === 'full';
    return result;
  };
  return statement;
};

const { unlinkSync } = fs;
fs.unlinkSync = (name) => {
  fs.appendFileSync(`${workerData.directory}.watched`, `${synced ? 'synced' : 'not synced'}\n`);
  unlinkSync(name);
};
syncBuiltinESMExports();

await import('../../dist/store/apply-worker.js');
