import { setImmediate as nextTurn } from 'node:timers/promises';
import { KediError } from '../domain/errors.js';
import type { TaskLog } from '../domain/ports.js';
import type { OutputSchema, SchemaJudge } from '../domain/schema.js';
import { isInterrupted, isTerminal, type StructuredRequest, type TaskRecord } from '../domain/task.js';
import { type Order, refusalOf } from './order.js';
import { sizeOfEntry } from './size.js';

/**
 * What a follow-up goes on with: the typed request that opened its task, its schema accepted anew. An order that asks
 * for something else, or for nothing that can be carried out: KediError INVALID_PARAMS.
 */
export async function readFollowUp(
  order: Order,
  {
    record,
    log,
    judge,
    bounds,
  }: {
    readonly record: TaskRecord;
    readonly log: TaskLog;
    readonly judge: SchemaJudge;
    readonly bounds: { readonly promptBytes: number };
  },
): Promise<{
  readonly structured: StructuredRequest | undefined;
  readonly output: OutputSchema | undefined;
  /** How many bytes the agent has written in the task's earlier turns. */
  readonly logged: number;
}> {
  refuseUnlessWaiting(record, { busy: false });
  if (order.contextId !== record.contextId) {
    throw refuse('message.contextId', 'is not the context of the task');
  }
  const refusal = refusalOf(order, bounds.promptBytes);
  if (refusal !== undefined) throw refuse('message', `cannot be carried out: ${refusal.message}`);

  const opening = await log.opening(record);
  const structured = opening?.type === 'message' ? opening.structured : undefined;
  const again = order.structured;
  if (
    again !== undefined &&
    (again.schema !== structured?.schema || again.resultEncoding !== structured.resultEncoding)
  ) {
    throw refuse('metadata', 'asks for something else than the message that opened the task');
  }
  return {
    structured,
    output:
      structured === undefined ? undefined : (again?.output ?? (await judge.compile(structured.schema))),
    logged: await sizeOfLog(log, record),
  };
}

async function sizeOfLog(log: TaskLog, record: TaskRecord): Promise<number> {
  let size = 0;
  for (let read = 0; read < record.length; ) {
    const entries = await log.read(record, read);
    if (entries.length === 0) break;
    for (const entry of entries) size += sizeOfEntry(entry);
    read += entries.length;
    // A long log is read in many pieces, and others have their turn between them.
    if (read < record.length) await nextTurn();
  }
  return size;
}

/** A task takes a message only while it waits for one; `busy`: something has been begun that its record does not show yet. */
export function refuseUnlessWaiting(
  { taskId, state }: TaskRecord,
  { busy }: { readonly busy: boolean },
): void {
  if (isInterrupted(state) && !busy) return;
  throw new KediError(
    'UNSUPPORTED_OPERATION',
    isTerminal(state)
      ? 'The task has ended, so it takes no more messages.'
      : 'The task is being worked on, and takes a message only when it asks for one.',
    { info: { taskId } },
  );
}

const refuse = (field: string, description: string): KediError =>
  new KediError('INVALID_PARAMS', `The follow-up's ${field} ${description}.`, {
    fields: [{ field, description }],
  });
