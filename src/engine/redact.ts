import { isUtf8 } from 'node:buffer';
import type { OutputEvent } from '../domain/agent.js';
import type { JsonText } from '../domain/json.js';
import type { Part } from '../domain/message.js';
import type { Entry } from '../domain/task.js';
import { jsonText, readDocument } from '../schema/document.js';
import type { Redact } from './failure.js';

/**
 * An entry as it may leave the server: secrets replaced in what the agent wrote and in the sentences about it. A
 * client's own message stays what it was, and so does a typed result, which is delivered byte for byte.
 */
export function redactEntry(entry: Entry, redact: Redact): Entry {
  switch (entry.type) {
    case 'message':
      return entry;
    case 'run':
      return entry.why === undefined ? entry : { ...entry, why: redact(entry.why) };
    case 'line':
      return {
        ...entry,
        raw: redactBytes(entry.raw, redact),
        events: entry.events?.map((event) => redactEvent(event, redact)),
      };
    case 'artifact':
      return {
        ...entry,
        artifact: { ...entry.artifact, parts: entry.artifact.parts.map((part) => redactPart(part, redact)) },
      };
    case 'notice':
      return { ...entry, text: redact(entry.text) };
    case 'state':
      if (entry.text === undefined && entry.pointer === undefined) return entry;
      return {
        ...entry,
        ...(entry.text !== undefined && { text: redact(entry.text) }),
        ...(entry.pointer !== undefined && { pointer: redact(entry.pointer) }),
      };
  }
}

function redactBytes(raw: Uint8Array, redact: Redact): Uint8Array {
  const encoding = isUtf8(raw) ? 'utf8' : 'latin1';
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString(encoding);
  const safe = redact(text);
  return safe === text ? raw : Buffer.from(safe, encoding);
}

function redactEvent(event: OutputEvent, redact: Redact): OutputEvent {
  switch (event.type) {
    case 'delta':
    case 'tool_result':
    case 'status':
    case 'raw':
      return { ...event, text: redact(event.text) };
    case 'tool_call':
      return { ...event, input: redactJson(event.input, redact) };
    case 'usage':
      return event.text === undefined ? event : { ...event, text: redact(event.text) };
    case 'artifact':
      return { ...event, parts: event.parts.map((part) => redactPart(part, redact)) };
    case 'session':
      return event;
  }
}

/** Bytes and documents are the agent's work and stay whole; its prose does not tell secrets. */
const redactPart = (part: Part, redact: Redact): Part =>
  part.kind === 'text' ? { ...part, text: redact(part.text) } : part;

function redactJson(json: JsonText, redact: Redact): JsonText {
  const safe = redact(json);
  if (safe === json) return json;
  const read = readDocument(safe, { depth: 1_000 });
  return read.ok ? read.json : jsonText('***');
}
