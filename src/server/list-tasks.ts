import { KediError } from '../domain/errors.js';
import type { Message, Part } from '../domain/message.js';
import type { TaskLog } from '../domain/ports.js';
import type { ListTasksRequest } from '../protocol/a2a-read.js';
import type { Task } from '../protocol/task-fold.js';
import { limitHistory, readStatus, readTask } from './watch.js';

/** One page of ListTasks. */
export interface TaskList {
  readonly tasks: readonly Task[];
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}

/**
 * A page of a principal's tasks (A2A 1.0, 3.1.4). It has fewer than were asked for where they are large: a hundred
 * results of megabytes are more than one answer can hold.
 */
export async function listTasks(
  log: TaskLog,
  { request, principal }: { readonly request: ListTasksRequest; readonly principal: string },
): Promise<TaskList> {
  const { pageSize, includeArtifacts, historyLength = 0 } = request;
  const page = await log.list({
    principal,
    limit: pageSize,
    ...(request.contextId !== undefined && { contextId: request.contextId }),
    ...(request.state !== undefined && { states: [request.state] }),
    ...(request.updatedSince !== undefined && { updatedSince: request.updatedSince }),
    ...(request.pageToken !== undefined && { page: request.pageToken }),
  });
  const told = { pageSize, totalSize: page.total };
  const tasks: Task[] = [];
  let bytes = 0;
  for (const [index, record] of page.records.entries()) {
    const whole = includeArtifacts || historyLength > 0;
    const read = whole ? readTask(log, record) : readStatus(log, record);
    const task = await read.catch(unlessRemoved);
    if (task === undefined) continue;
    const limited = limitHistory(task, historyLength);
    const shown = includeArtifacts ? limited : { ...limited, artifacts: [] };
    tasks.push(shown);
    bytes += sizeOf(shown);
    if (bytes > mostBytes && index < page.records.length - 1) {
      return { ...told, tasks, nextPageToken: page.after(record) };
    }
  }
  return { ...told, tasks, nextPageToken: page.next ?? '' };
}

/** A task may be too old by now, and be removed while the page is made. */
function unlessRemoved(error: unknown): undefined {
  if (!(error instanceof KediError) || error.code !== 'TASK_NOT_FOUND') throw error;
}

/** About how large a page may become before it ends. */
const mostBytes = 16 * 1024 * 1024;

const sizeOf = ({ artifacts, history }: Task): number =>
  [...artifacts, ...history].reduce((sum, { parts }: Pick<Message, 'parts'>) => sum + sizeOfParts(parts), 0);

const sizeOfParts = (parts: readonly Part[]): number =>
  parts.reduce((sum, part) => sum + sizeOfPart(part), 0);

function sizeOfPart(part: Part): number {
  switch (part.kind) {
    case 'text':
      return part.text.length;
    case 'raw':
      return part.bytes.length;
    case 'url':
      return part.url.length;
    case 'data':
      return part.json.length;
  }
}
