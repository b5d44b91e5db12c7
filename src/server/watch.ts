import { setImmediate as nextTurn } from 'node:timers/promises';
import { KediError } from '../domain/errors.js';
import { follow } from '../domain/follow.js';
import type { TaskLog } from '../domain/ports.js';
import { isInterrupted, isTerminal, type TaskRecord } from '../domain/task.js';
import { foldTask, type StreamEvent, settledStatus, type Task } from '../protocol/task-fold.js';

/** The task as its log has it now, at least as far as `record` tells. */
export async function readTask(log: TaskLog, record: TaskRecord): Promise<Task> {
  const fold = foldTask(record);
  while (fold.length < record.length) {
    // A long log is read in many pieces, between which others shall have their turn.
    if (fold.length > 0) await nextTurn();
    const entries = await log.read(record, fold.length);
    if (entries.length === 0) throw taskNotFound(record.taskId);
    fold.add(entries);
  }
  return fold.task();
}

/** The task's status alone, without reading through its log. */
export async function readStatus(log: TaskLog, record: TaskRecord): Promise<Task> {
  const { taskId, contextId, state, updatedAt, structured, length } = record;
  const bare = { id: taskId, contextId, artifacts: [], history: [] };
  if (!isSettled(state)) return { ...bare, status: { state, at: updatedAt } };
  const index = length - 1;
  const [last] = await log.read(record, index);
  if (last?.type !== 'state') return readTask(log, record);
  return { ...bare, status: settledStatus(last, { taskId, contextId, structured, index }) };
}

/** The task once it has ended or waits for its client, beyond what `record` tells; rejects when `signal` aborts. */
export async function awaitTask(log: TaskLog, record: TaskRecord, signal: AbortSignal): Promise<Task> {
  const fold = foldTask(record);
  // Who waits from the beginning reads once where the agent is quick.
  if (!isSettled(record.state)) await log.grown(record, record.length, signal);
  for await (const entries of follow(log, record, { signal })) {
    fold.add(entries);
    if (fold.length < record.length) await nextTurn();
    else if (isSettled(fold.state)) return fold.task();
  }
  signal.throwIfAborted();
  throw taskNotFound(record.taskId);
}

/**
 * A task's stream: the task, then what happens, event by event, until it has ended, or until `signal` aborts. `since`
 * undefined: it begins with the task as far as `record` tells. A number: with the task as the latest message left it,
 * which is the entry of that index or a later one; and it ends also when the task waits for its client.
 */
export async function* streamTask(
  log: TaskLog,
  record: TaskRecord,
  {
    since,
    historyLength,
    signal,
  }: {
    readonly since: number | undefined;
    readonly historyLength: number | undefined;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<readonly StreamEvent[], void, void> {
  const fold = foldTask(record);
  let events: StreamEvent[] = [];
  let begun = false;
  const tell = (event: StreamEvent): void => {
    events.push(event);
  };
  for await (const entries of follow(log, record, { signal })) {
    for (const entry of entries) {
      fold.add([entry], begun ? tell : undefined);
      const begins =
        since === undefined ? fold.length === record.length : entry.type === 'message' && fold.length > since;
      if (begins && fold.length <= record.length) {
        begun = true;
        events = [{ kind: 'task', task: limitHistory(fold.task(), historyLength) }];
      }
      if (since !== undefined && fold.length >= record.length && isInterrupted(fold.state)) {
        yield events;
        return;
      }
    }
    if (fold.length < record.length) await nextTurn();
    else if (events.length > 0) {
      yield events;
      events = [];
    }
  }
}

/** The task with so many of its latest messages and no more (A2A 1.0, 3.2.4); undefined sets no limit. */
export function limitHistory(task: Task, historyLength: number | undefined): Task {
  if (historyLength === undefined || historyLength >= task.history.length) return task;
  return { ...task, history: historyLength === 0 ? [] : task.history.slice(-historyLength) };
}

/** The same for a task that never was, one that is gone, and a stranger's. */
export const taskNotFound = (taskId: string): KediError =>
  new KediError('TASK_NOT_FOUND', 'There is no such task, or no longer.', { info: { taskId } });

const isSettled = (state: TaskRecord['state']): boolean => isTerminal(state) || isInterrupted(state);
