import { KediError } from '../domain/errors.js';
import type { JsonText } from '../domain/json.js';
import type { StructuredRequest } from '../domain/task.js';
import { createCache } from '../schema/cache.js';
import { jsonText, readDocument, readSpans, type Span, storedJson } from '../schema/document.js';
import { exactNumber } from '../schema/numbers.js';
import {
  ENCODINGS,
  type Encoding,
  KEDI_STRUCTURED_OUTPUT_URI,
  MAX_SCHEMA_BYTES,
  type Offer,
} from './kedi-extension.js';
import { findLossyNumber } from './lossless.js';
import { isJson } from './media-type.js';

const MEMBER = 'kediStructuredOutput';
const PLACE = `metadata.${MEMBER}`;

/**
 * What a message asks for by Kedi structured output v1 ("Request"), read from the text of `SendMessageRequest.metadata`;
 * undefined for a text request. What is wrong fails the task, so it is thrown before any agent starts: KediError
 * REQUEST_MALFORMED, SCHEMA_MALFORMED, SCHEMA_TOO_LARGE or SCHEMA_LOSSY. Whether the schema is one is the judge's to say.
 */
export function readStructuredRequest({
  metadata,
  messageExtensions,
  headerExtensions,
  acceptedOutputModes,
}: {
  readonly metadata: JsonText | undefined;
  readonly messageExtensions: readonly string[];
  readonly headerExtensions: readonly string[];
  readonly acceptedOutputModes: readonly string[];
}): StructuredRequest | undefined {
  if (metadata === undefined) return undefined;
  const known = asked.get(metadata);
  const wanted = known === undefined ? readMetadata(metadata).members.get(MEMBER) : undefined;
  if (known === undefined && wanted === undefined) return undefined;
  const uri = KEDI_STRUCTURED_OUTPUT_URI;
  if (!messageExtensions.includes(uri) && !headerExtensions.includes(uri))
    throw malformed(
      `${PLACE} asks for a typed answer, but neither message.extensions nor the A2A-Extensions header names ${uri}.`,
      '/message/extensions',
    );
  if (!acceptedOutputModes.some(isJson))
    throw malformed(
      `${PLACE} asks for a typed answer, but configuration.acceptedOutputModes does not list application/json.`,
      '/configuration/acceptedOutputModes',
    );
  if (known !== undefined) return known;
  if (wanted?.kind !== 'object') throw wrong('', 'must be an object');
  const version = wanted.members.get('version');
  // By value: `1.0` and `1e0` are 1 as well.
  if (version?.kind !== 'number' || exactNumber(version.json) !== 1) throw wrong('version', 'must be 1');
  const resultEncoding = readEncoding(wanted.members.get('resultEncoding'));
  // A part of a text keeps the whole of it, and these are parts of the request's.
  const request = { schema: storedJson(copied(readSchema(wanted))), resultEncoding };
  asked.set(copied(metadata), { value: request, bytes: 2 * (metadata.length + request.schema.length) });
  return request;
}

const copied = (text: string): string => Buffer.from(text).toString();

/** What good metadata asks for: a program sends the same with every message. */
const asked = createCache<StructuredRequest>(4 * 1_024 * 1_024);

function readMetadata(metadata: string): Span {
  const read = readSpans(metadata, { depth: 1_000 });
  if (read.ok) return read.span;
  throw malformed(`The request's metadata cannot be read: ${read.reason}.`, '/metadata');
}

function readEncoding(span: Span | undefined): Encoding {
  if (span === undefined) return 'protobuf-value';
  const encoding = ENCODINGS.find((known) => known === span.string);
  if (encoding === undefined)
    throw wrong('resultEncoding', `must be ${ENCODINGS.map((known) => `"${known}"`).join(' or ')}`);
  return encoding;
}

/** `schemaJson` decides where it is present, also when it is bad. */
function readSchema({ members }: Span): JsonText {
  const authoritative = members.get('schemaJson');
  if (authoritative !== undefined) {
    if (!authoritative.string) throw wrong('schemaJson', 'must be a string that holds a JSON Schema');
    return readSchemaText(authoritative.string);
  }
  const legacy = members.get('schema');
  if (legacy === undefined) throw wrong('', 'needs schemaJson, or the older schema');
  if (legacy.kind !== 'object') throw wrong('schema', 'must be an object');
  const schema = readSchemaText(withoutSpace(legacy.json));
  const lossy = findLossyNumber(legacy);
  if (lossy === undefined) return schema;
  throw new KediError(
    'SCHEMA_LOSSY',
    `At ${lossy}, the schema has a number that a double cannot hold: it must be sent as schemaJson.`,
    { pointer: lossy },
  );
}

function readSchemaText(text: string): JsonText {
  const size = Buffer.byteLength(text);
  if (size > MAX_SCHEMA_BYTES)
    throw new KediError(
      'SCHEMA_TOO_LARGE',
      `The schema has ${size} bytes, and ${MAX_SCHEMA_BYTES} are allowed.`,
      { pointer: '' },
    );
  const read = readDocument(text, { depth: 1_000 });
  if (read.ok) return read.json;
  throw new KediError(
    read.fault === 'depth' ? 'SCHEMA_TOO_LARGE' : 'SCHEMA_MALFORMED',
    `The schema cannot be read: ${read.reason}, at character ${read.offset + 1}.`,
    { pointer: '' },
  );
}

/** The same tokens in the same spelling, with nothing between them: the compact JSON of what the client wrote. */
const withoutSpace = (json: JsonText): string => json.replace(/("[^"\\]*(?:\\.[^"\\]*)*")|[ \t\r\n]+/g, '$1');

/**
 * The metadata with which a client asks a peer for a document by this schema, in the best encoding that the peer has;
 * the older `schema` goes along where its numbers survive. What the peer's card rules out fails before anything is
 * sent: KediError PEER_UNSUITABLE, SCHEMA_TOO_LARGE or SCHEMA_LOSSY.
 */
export function writeStructuredRequest(schema: JsonText, offer: Offer): JsonText {
  if (offer.mode === 'fixed')
    throw new KediError('PEER_UNSUITABLE', 'The peer answers by a schema of its own and takes no other.');
  const size = Buffer.byteLength(schema);
  if (size > offer.maxSchemaBytes)
    throw new KediError(
      'SCHEMA_TOO_LARGE',
      `The schema has ${size} bytes, and the peer allows ${offer.maxSchemaBytes}.`,
      { pointer: '' },
    );
  const resultEncoding = ENCODINGS.find((encoding) => offer.resultEncodings.includes(encoding));
  if (resultEncoding === undefined)
    throw new KediError('PEER_UNSUITABLE', 'The peer sends results in no encoding that is known here.');
  const read = readSpans(schema, { depth: 1_000 });
  const lossy = read.ok ? findLossyNumber(read.span) : '';
  if (lossy !== undefined && !offer.schemaEncodings.includes('json-utf8'))
    throw new KediError(
      'SCHEMA_LOSSY',
      `At ${lossy}, the schema has a number that a double cannot hold, and the peer takes no others.`,
      { pointer: lossy },
    );
  const legacy = read.ok && read.span.kind === 'object' && lossy === undefined ? `,"schema":${schema}` : '';
  return readMetadata(
    `{"${MEMBER}":{"version":1,"resultEncoding":"${resultEncoding}","schemaJson":${jsonText(schema)}${legacy}}}`,
  ).json;
}

const malformed = (sentence: string, pointer: string): KediError =>
  new KediError('REQUEST_MALFORMED', sentence, { pointer });

/** For a member of the request's own object, or with an empty name for the object itself. */
const wrong = (name: string, description: string): KediError =>
  name === ''
    ? malformed(`${PLACE} ${description}.`, `/metadata/${MEMBER}`)
    : malformed(`${PLACE}.${name} ${description}.`, `/metadata/${MEMBER}/${name}`);
