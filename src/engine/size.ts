import type { Part } from '../domain/message.js';
import type { Entry } from '../domain/task.js';

/** About how many bytes an entry adds to the log. */
export function sizeOfEntry(entry: Entry): number {
  if (entry.type !== 'line') return 0;
  let size = entry.raw.byteLength;
  for (const event of entry.events ?? []) {
    if ('text' in event && event.text !== undefined) size += event.text.length;
    if (event.type === 'tool_call') size += event.input.length;
    if (event.type === 'artifact') size += event.parts.reduce((sum, part) => sum + sizeOfPart(part), 0);
  }
  return size;
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
