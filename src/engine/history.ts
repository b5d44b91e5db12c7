import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Message } from '../domain/message.js';
import type { TaskLog } from '../domain/ports.js';
import { type Entry, isInterrupted, isTerminal, type TaskRecord } from '../domain/task.js';
import { foldTask, type Task } from '../protocol/task-fold.js';
import { sizeOfPart } from './size.js';

/** How far back is looked, in tasks, and in characters of what was said. */
const bounds = { tasks: 100, characters: 1024 * 1024 } as const;

/**
 * What was said in a context before a task's present message, oldest first: what clients wrote, what the agent asked,
 * and what it answered, one message a task. Of a long conversation the newest part, whole tasks.
 */
export async function readHistory({
  log,
  principal,
  contextId,
  taskId,
  earlier,
}: {
  readonly log: TaskLog;
  readonly principal: string;
  readonly contextId: string;
  readonly taskId: string;
  /** How many entries of the task's own log come before the message. */
  readonly earlier: number;
}): Promise<readonly Message[]> {
  const { records } = await log.list({ principal, contextId, limit: bounds.tasks });
  const before = records
    // What runs is this very task, and what waits for its turn comes after it.
    .filter(({ state }) => isTerminal(state) || isInterrupted(state))
    .sort((one, other) => other.createdAt - one.createdAt || (one.taskId < other.taskId ? 1 : -1));
  const tasks: (readonly Message[])[] = [];
  let characters = 0;
  const take = async (record: TaskRecord, length: number): Promise<void> => {
    const messages = said(await readTask(log, { record, length }));
    characters += messages.reduce((sum, message) => sum + lengthOf(message), 0);
    if (characters <= bounds.characters) tasks.unshift(messages);
  };

  const own = earlier > 0 ? await log.get({ principal, taskId }) : undefined;
  if (own !== undefined) await take(own, earlier);
  for (const record of before) {
    if (characters > bounds.characters) break;
    await take(record, record.length);
  }
  return tasks.flat();
}

async function readTask(
  log: TaskLog,
  { record, length }: { readonly record: TaskRecord; readonly length: number },
): Promise<Task> {
  const fold = foldTask(record);
  while (fold.length < length) {
    const entries: readonly Entry[] = await log.read(record, fold.length);
    if (entries.length === 0) break;
    fold.add(entries.slice(0, length - fold.length));
    // A long log is read in many pieces, and others have their turn between them.
    await nextTurn();
  }
  return fold.task();
}

function said({ id, contextId, history, artifacts, status }: Task): readonly Message[] {
  const parts = artifacts.flatMap((artifact) => artifact.parts);
  const messages = [...history];
  if (parts.length > 0) {
    messages.push({
      messageId: `${id}-answer`,
      role: 'agent',
      parts,
      contextId,
      taskId: id,
      extensions: [],
      referenceTaskIds: [],
    });
  }
  if (isInterrupted(status.state) && status.message !== undefined) messages.push(status.message);
  return messages;
}

const lengthOf = ({ parts }: Message): number => parts.reduce((sum, part) => sum + sizeOfPart(part), 0);
