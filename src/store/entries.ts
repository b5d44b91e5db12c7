import { isUtf8 } from 'node:buffer';
import type { OutputEvent } from '../domain/agent.js';
import type { Artifact, Message, Part } from '../domain/message.js';
import type { Entry } from '../domain/task.js';

type LineEntry = Extract<Entry, { type: 'line' }>;
type RawPart = Extract<Part, { kind: 'raw' }>;

/**
 * Entries as the text of one row: a JSON array, lines as short tuples, bytes as text where they are valid UTF-8 and as
 * base64 elsewhere. Exact: what comes back is equal, and no document or schema in it is parsed, since each is a string.
 */
export function encodeEntries(entries: readonly Entry[]): string {
  let last = 0;
  return JSON.stringify(
    entries.map((entry): StoredEntry => {
      const since = entry.at - last;
      last = entry.at;
      if (entry.type === 'line') return encodeLine(entry, since);
      if (entry.type === 'message') return { ...entry, message: encodeParts(entry.message) };
      if (entry.type === 'artifact') return { ...entry, artifact: encodeParts(entry.artifact) };
      return entry;
    }),
  );
}

/** Reads what `encodeEntries` wrote. */
export function decodeEntries(text: string): readonly Entry[] {
  const stored: readonly StoredEntry[] = JSON.parse(text);
  let last = 0;
  return stored.map((entry): Entry => {
    const read = decodeEntry(entry, last);
    last = read.at;
    return read;
  });
}

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
  | (Omit<Extract<Entry, { type: 'message' }>, 'message'> & { readonly message: Stored<Message> })
  | (Omit<Extract<Entry, { type: 'artifact' }>, 'artifact'> & { readonly artifact: Stored<Artifact> });

type StoredPart = Exclude<Part, { kind: 'raw' }> | (Omit<RawPart, 'bytes'> & { readonly base64: string });

type Stored<Whole extends { readonly parts: readonly Part[] }> = Omit<Whole, 'parts'> & {
  readonly parts: readonly StoredPart[];
};

type ArtifactEvent = Extract<OutputEvent, { type: 'artifact' }>;
type StoredEvent = Exclude<OutputEvent, { type: 'artifact' }> | Stored<ArtifactEvent>;

function encodeLine(line: LineEntry, since: number): StoredLine {
  const { buffer, byteOffset, byteLength } = line.raw;
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const raw = isUtf8(bytes) ? bytes.toString('utf8') : ([bytes.toString('base64')] as const);
  const channel = line.channel === 'stdout' ? 0 : 1;
  if (line.events === undefined) return [channel, since, raw];
  return [
    channel,
    since,
    raw,
    line.events.map((event) => (event.type === 'artifact' ? encodeParts(event) : event)),
  ];
}

function decodeEntry(entry: StoredEntry, last: number): Entry {
  if (isLine(entry)) {
    const [channel, since, raw, events] = entry;
    return {
      type: 'line',
      at: last + since,
      channel: channel === 0 ? 'stdout' : 'stderr',
      raw: typeof raw === 'string' ? Buffer.from(raw, 'utf8') : Buffer.from(raw[0], 'base64'),
      events: events?.map((event) => (event.type === 'artifact' ? decodeParts(event) : event)),
    };
  }
  if (entry.type === 'message') return { ...entry, message: decodeParts(entry.message) };
  if (entry.type === 'artifact') return { ...entry, artifact: decodeParts(entry.artifact) };
  return entry;
}

const isLine = (entry: StoredEntry): entry is StoredLine => Array.isArray(entry);

function encodeParts<Whole extends { readonly parts: readonly Part[] }>(whole: Whole): Stored<Whole> {
  const parts = whole.parts.map((part): StoredPart => {
    if (part.kind !== 'raw') return part;
    const { bytes, ...rest } = part;
    return {
      ...rest,
      base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
    };
  });
  return { ...whole, parts };
}

function decodeParts<Whole extends { readonly parts: readonly StoredPart[] }>(
  whole: Whole,
): Omit<Whole, 'parts'> & { readonly parts: readonly Part[] } {
  const parts = whole.parts.map((part): Part => {
    if (!('base64' in part)) return part;
    const { base64, ...rest } = part;
    return { ...rest, bytes: Buffer.from(base64, 'base64') };
  });
  return { ...whole, parts };
}
