import type { Line } from '../domain/agent.js';
import type { Part } from '../domain/message.js';
import type { Entry } from '../domain/task.js';

/** About how many bytes an entry adds to the log. */
export function sizeOfEntry(entry: Entry): number {
  return entry.type === 'line' ? sizeOfLine(entry) : 0;
}

/** Even an empty line takes this much. */
const least = 16;

/** About how many bytes a line of an agent's adds, all that was understood of it included. */
export function sizeOfLine({ raw, events }: Line): number {
  let size = raw.byteLength;
  for (const event of events ?? []) {
    if ('text' in event && event.text !== undefined) size += event.text.length;
    if (event.type === 'tool_call') size += event.input.length;
    if (event.type === 'artifact') size += event.parts.reduce((sum, part) => sum + sizeOfPart(part), 0);
  }
  return Math.max(size, least);
}

/** The content of a part, as text or bytes. */
export function sizeOfPart(part: Part): number {
  switch (part.kind) {
    case 'text':
      return part.text.length;
    case 'raw':
      return part.bytes.byteLength;
    case 'url':
      return part.url.length;
    case 'data':
      return part.json.length;
  }
}
