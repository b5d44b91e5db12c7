import { nameOf } from '../domain/task.js';
import type { Value } from './database.js';
import { joinRows } from './entries.js';
import type { StoredStep } from './journal-record.js';
import { sqliteStatements } from './sqlite-statements.js';

/** A row takes no further ones from this size on, in UTF-16 units: whoever reads takes whole rows. */
const longestRow = 64 * 1024;

/** Those that are merged; what another version of this program wrote is left as it is. */
const { insertTask, updateTask, insertRow } = sqliteStatements;

/** What of a task is among the steps so far. */
interface Known {
  task?: Value[];
  row?: Row;
}

interface Row {
  readonly values: Value[];
  readonly texts: string[];
  length: number;
}

/**
 * Steps of transactions one after another as fewer that come to the same, where nobody looks in between: rows of a task
 * that follow each other are one, and a task that is made and then changed is made as it is in the end.
 */
export function merge(steps: Iterable<StoredStep>): readonly StoredStep[] {
  const merged: StoredStep[] = [];
  const rows: Row[] = [];
  let tasks = new Map<string, Known>();
  const knownOf = (principal: Value | undefined, id: Value | undefined): Known => {
    const name = nameOf(String(principal), String(id));
    const known = tasks.get(name) ?? {};
    if (!tasks.has(name)) tasks.set(name, known);
    return known;
  };

  for (const { statement, values: given } of steps) {
    const values = [...given];
    if (statement.sql === insertRow.sql) {
      const [principal, id, first, count, text] = values;
      const known = knownOf(principal, id);
      if (known.row !== undefined && goesOn(known.row, Number(first))) {
        known.row.values[3] = Number(known.row.values[3]) + Number(count);
        known.row.texts.push(String(text));
        known.row.length += String(text).length;
        continue;
      }
      known.row = { values, texts: [String(text)], length: String(text).length };
      rows.push(known.row);
    } else if (statement.sql === insertTask.sql) {
      knownOf(values[0], values[1]).task = values;
    } else if (statement.sql === updateTask.sql) {
      const [state, updated, home, principal, id] = values;
      const { task } = knownOf(principal, id);
      if (task !== undefined) {
        task.splice(5, 1, state ?? '');
        task.splice(7, 2, updated ?? '', home ?? '');
        continue;
      }
    } else {
      // It may be about any of them.
      tasks = new Map();
    }
    merged.push({ statement, values });
  }
  for (const { values, texts } of rows) if (texts.length > 1) values[4] = joinRows(texts);
  return merged;
}

const goesOn = ({ values, length }: Row, first: number): boolean =>
  Number(values[2]) + Number(values[3]) === first && length < longestRow;
