import { isUtf8 } from 'node:buffer';
import type { OutputEvent } from '../domain/agent.js';
import type { Artifact, Message, Part } from '../domain/message.js';
import type { Entry, StructuredRequest } from '../domain/task.js';
import { storedJson } from '../schema/document.js';

type MessageEntry = Extract<Entry, { type: 'message' }>;
type LineEntry = Extract<Entry, { type: 'line' }>;
type RawPart = Extract<Part, { kind: 'raw' }>;
type DataPart = Extract<Part, { kind: 'data' }>;

/**
 * Entries as the text of one row: a JSON array, lines as short tuples, bytes as text where they are valid UTF-8 and as
 * base64 elsewhere; after a line feed the documents, schemas and metadata, as they are, to which the JSON refers. Exact:
 * what comes back is equal, and no document or schema is parsed or escaped on the way.
 */
export function encodeEntries(entries: readonly Entry[]): string {
  const tail: Tail = { text: '' };
  let last = 0;
  const json = JSON.stringify(
    entries.map((entry): StoredEntry => {
      const since = entry.at - last;
      last = entry.at;
      if (entry.type === 'line') return encodeLine(entry, { since, tail });
      if (entry.type === 'message') return encodeMessage(entry, tail);
      if (entry.type !== 'artifact') return entry;
      return { type: 'artifact', at: entry.at, artifact: encodeParts(entry.artifact, tail) };
    }),
  );
  return tail.text === '' ? json : `${json}\n${tail.text}`;
}

/** Texts of rows that follow each other as the text of one: their lengths in UTF-16 units, and a line feed before them. */
export const joinRows = (texts: readonly string[]): string =>
  `+${texts.map((text) => text.length).join()}\n${texts.join('')}`;

/** Reads what `encodeEntries` wrote, joined or not. */
export function decodeEntries(text: string): readonly Entry[] {
  if (!text.startsWith('+')) return decodeRow(text);
  let start = text.indexOf('\n') + 1;
  return text
    .slice(1, start - 1)
    .split(',')
    .flatMap((length) => {
      const row = text.slice(start, start + Number(length));
      start += row.length;
      return decodeRow(row);
    });
}

function decodeRow(text: string): readonly Entry[] {
  // JSON as it was printed has no line feed.
  const end = text.indexOf('\n');
  const stored: readonly StoredEntry[] = JSON.parse(end < 0 ? text : text.slice(0, end));
  const tail = end < 0 ? '' : text.slice(end + 1);
  let last = 0;
  return stored.map((entry): Entry => {
    const read = decodeEntry(entry, { last, tail });
    last = read.at;
    return read;
  });
}

/** What stands after the JSON, so far. */
interface Tail {
  text: string;
}

/** Where a text begins and ends in the tail. */
type Kept = readonly [start: number, end: number];

function keep(text: string, tail: Tail): Kept {
  const start = tail.text.length;
  tail.text += text;
  return [start, tail.text.length];
}

/** Rows of earlier versions have the text itself. */
const kept = (place: string | Kept, tail: string): string =>
  typeof place === 'string' ? place : tail.slice(place[0], place[1]);

/** 0 or 1 for the channel, milliseconds since the entry before, the bytes, and the events if it was understood. */
type StoredLine = readonly [
  channel: 0 | 1,
  since: number,
  raw: string | readonly [base64: string],
  events?: readonly StoredEvent[],
];

type StoredEntry =
  | StoredLine
  | Exclude<Entry, { type: 'line' | 'message' | 'artifact' }>
  | StoredMessage
  | (Omit<Extract<Entry, { type: 'artifact' }>, 'artifact'> & { readonly artifact: Stored<Artifact> });

type StoredMessage = Omit<MessageEntry, 'message' | 'metadata' | 'structured'> & {
  readonly message: Stored<Message>;
  readonly metadata?: string | Kept | undefined;
  readonly structured?: Omit<StructuredRequest, 'schema'> & {
    /** Mostly it stands in the metadata, as a string. */
    readonly schema: string | Kept | { readonly quoted: Kept };
  };
};

type StoredPart =
  | Exclude<Part, { kind: 'raw' | 'data' }>
  | (Omit<RawPart, 'bytes'> & ({ readonly base64: string } | { readonly text: Kept }))
  | (Omit<DataPart, 'json'> & { readonly json: string | Kept });

type Stored<Whole extends { readonly parts: readonly Part[] }> = Omit<Whole, 'parts'> & {
  readonly parts: readonly StoredPart[];
};

type ArtifactEvent = Extract<OutputEvent, { type: 'artifact' }>;
type StoredEvent = Exclude<OutputEvent, { type: 'artifact' }> | Stored<ArtifactEvent>;

function encodeLine(
  line: LineEntry,
  { since, tail }: { readonly since: number; readonly tail: Tail },
): StoredLine {
  const bytes = bufferOf(line.raw);
  const raw = isUtf8(bytes) ? bytes.toString('utf8') : ([bytes.toString('base64')] as const);
  const channel = line.channel === 'stdout' ? 0 : 1;
  if (line.events === undefined) return [channel, since, raw];
  return [
    channel,
    since,
    raw,
    line.events.map((event) => (event.type === 'artifact' ? encodeParts(event, tail) : event)),
  ];
}

function decodeEntry(
  entry: StoredEntry,
  { last, tail }: { readonly last: number; readonly tail: string },
): Entry {
  if (isLine(entry)) {
    const [channel, since, raw, events] = entry;
    return {
      type: 'line',
      at: last + since,
      channel: channel === 0 ? 'stdout' : 'stderr',
      raw: typeof raw === 'string' ? Buffer.from(raw, 'utf8') : Buffer.from(raw[0], 'base64'),
      events: events?.map((event) => (event.type === 'artifact' ? decodeParts(event, tail) : event)),
    };
  }
  if (entry.type === 'message') return decodeMessage(entry, tail);
  if (entry.type === 'artifact') return { ...entry, artifact: decodeParts(entry.artifact, tail) };
  return entry;
}

const isLine = (entry: StoredEntry): entry is StoredLine => Array.isArray(entry);

function encodeMessage(entry: MessageEntry, tail: Tail): StoredMessage {
  const { type, at, structured, acceptedOutputModes } = entry;
  const message = encodeParts(entry.message, tail);
  const metadata = entry.metadata === undefined ? undefined : keep(entry.metadata, tail);
  // Written out, since spreads cost more than all the rest.
  if (structured === undefined) return { type, at, message, metadata, acceptedOutputModes };
  const { schema, resultEncoding } = structured;
  const place = encodeSchema(schema, tail);
  return { type, at, message, metadata, acceptedOutputModes, structured: { schema: place, resultEncoding } };
}

/** A program asks by the same schema again and again, and with the same before it. */
let latest = { schema: '', quoted: '""', start: 0 };

function encodeSchema(schema: string, tail: Tail): Kept | { readonly quoted: Kept } {
  if (schema !== latest.schema) latest = { schema, quoted: JSON.stringify(schema), start: 0 };
  const { quoted } = latest;
  const isAt = (start: number): boolean => tail.text.slice(start, start + quoted.length) === quoted;
  // To search for it takes ten times as long.
  if (!isAt(latest.start)) latest.start = Math.max(tail.text.indexOf(quoted), 0);
  const { start } = latest;
  return isAt(start) ? { quoted: [start, start + quoted.length] } : keep(schema, tail);
}

function decodeMessage({ metadata, structured, ...rest }: StoredMessage, tail: string): MessageEntry {
  return {
    ...rest,
    message: decodeParts(rest.message, tail),
    ...(metadata !== undefined && { metadata: storedJson(kept(metadata, tail)) }),
    ...(structured !== undefined && {
      structured: { ...structured, schema: storedJson(decodeSchema(structured.schema, tail)) },
    }),
  };
}

const decodeSchema = (schema: string | Kept | { readonly quoted: Kept }, tail: string): string =>
  typeof schema === 'object' && 'quoted' in schema
    ? JSON.parse(kept(schema.quoted, tail))
    : kept(schema, tail);

function encodeParts<Whole extends { readonly parts: readonly Part[] }>(
  whole: Whole,
  tail: Tail,
): Stored<Whole> {
  const parts = whole.parts.map((part): StoredPart => {
    if (part.kind === 'data') return { ...part, json: keep(part.json, tail) };
    if (part.kind !== 'raw') return part;
    const { kind, mediaType, filename, metadata } = part;
    const bytes = bufferOf(part.bytes);
    // Databases hold no NUL.
    return isUtf8(bytes) && !bytes.includes(0)
      ? { kind, text: keep(bytes.toString('utf8'), tail), mediaType, filename, metadata }
      : { kind, base64: bytes.toString('base64'), mediaType, filename, metadata };
  });
  return { ...whole, parts };
}

function decodeParts<Whole extends { readonly parts: readonly StoredPart[] }>(
  whole: Whole,
  tail: string,
): Omit<Whole, 'parts'> & { readonly parts: readonly Part[] } {
  const parts = whole.parts.map((part): Part => {
    if (part.kind === 'data') return { ...part, json: storedJson(kept(part.json, tail)) };
    if (part.kind !== 'raw') return part;
    if ('base64' in part) {
      const { base64, ...rest } = part;
      return { ...rest, bytes: Buffer.from(base64, 'base64') };
    }
    const { text, ...rest } = part;
    return { ...rest, bytes: Buffer.from(kept(text, tail), 'utf8') };
  });
  return { ...whole, parts };
}

const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
