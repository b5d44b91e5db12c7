import { randomUUID } from 'node:crypto';
import { KediError } from '../domain/errors.js';
import type { JsonText } from '../domain/json.js';
import type { Artifact, Part } from '../domain/message.js';
import { readDocument } from '../schema/document.js';
import { type Encoding, KEDI_STRUCTURED_OUTPUT_URI, RESULT_ARTIFACT_NAME } from './kedi-extension.js';
import { findLoss } from './loss-aside.js';
import { isJson } from './media-type.js';

/**
 * The one artifact of a structured task (Kedi structured output v1, "Successful Result"), from a document that has
 * passed its check. `json-utf8`: a raw part of exactly the document's bytes. `protobuf-value`: a data part, or
 * KediError RESULT_LOSSY where something in the document would not survive as a `google.protobuf.Value`.
 */
export async function writeResult({
  document,
  encoding,
}: {
  readonly document: JsonText;
  readonly encoding: Encoding;
}): Promise<Artifact> {
  const part: Part = encoding === 'json-utf8' ? writeRaw(document) : await writeData(document);
  return {
    artifactId: randomUUID(),
    name: RESULT_ARTIFACT_NAME,
    parts: [part],
    extensions: [KEDI_STRUCTURED_OUTPUT_URI],
  };
}

const mediaType = 'application/json';

const writeRaw = (document: JsonText): Part => ({ kind: 'raw', bytes: Buffer.from(document), mediaType });

async function writeData(document: JsonText): Promise<Part> {
  const loss = await findLoss({ kind: 'protobuf', document });
  if (loss === undefined) return { kind: 'data', json: document, mediaType };
  const place = loss.pointer === '' ? 'The document' : `At ${loss.pointer}, the document`;
  throw new KediError(
    'RESULT_LOSSY',
    `${place} has ${loss.reason}: it cannot be sent as "protobuf-value", only as "json-utf8".`,
    { pointer: loss.pointer },
  );
}

/**
 * The document among a completed task's artifacts, as the peer sent it, for a client to check against its schema. A
 * raw part counts before a data part, also when it is malformed. No artifact or part of the right kind: KediError
 * RESULT_MISSING; else RESULT_MALFORMED, or RESULT_TOO_LARGE beyond `maxBytes` of UTF-8.
 */
export function readResult(
  artifacts: readonly Artifact[],
  { maxBytes = 8 * 2 ** 20 }: { readonly maxBytes?: number } = {},
): JsonText {
  const part = findPart(artifacts);
  const read = readDocument(part.kind === 'raw' ? part.bytes : part.json, {
    depth: deepest,
    bytes: maxBytes,
  });
  if (read.ok) return read.json;
  if (read.fault === 'size') throw new KediError('RESULT_TOO_LARGE', `The result is ${read.reason}.`);
  throw malformed(`The result cannot be read: ${read.reason}, at character ${read.offset + 1}.`);
}

type DocumentPart = Extract<Part, { readonly kind: 'raw' | 'data' }>;

function findPart(artifacts: readonly Artifact[]): DocumentPart {
  const [artifact, ...more] = artifacts.filter(
    ({ name, extensions }) =>
      name === RESULT_ARTIFACT_NAME && extensions.includes(KEDI_STRUCTURED_OUTPUT_URI),
  );
  if (artifact === undefined) throw missing(whatIsMissing(artifacts));
  if (more.length > 0) throw malformed(`The task has ${more.length + 1} typed results, and not one.`);
  const raw = artifact.parts.filter((part) => part.kind === 'raw');
  const parts = raw.length > 0 ? raw : artifact.parts.filter((part) => part.kind === 'data');
  const [part] = parts;
  if (part === undefined) throw missing('The result has neither a raw nor a data part.');
  if (parts.length > 1) throw malformed(`The result has ${parts.length} ${part.kind} parts, and not one.`);
  // The older form has no media type from every peer.
  if (!isJson(part.mediaType ?? (part.kind === 'data' ? mediaType : '')))
    throw malformed(`The result's ${part.kind} part is not of media type ${mediaType}.`);
  return part;
}

function whatIsMissing(artifacts: readonly Artifact[]): string {
  if (artifacts.some(({ name }) => name === RESULT_ARTIFACT_NAME))
    return `The artifact "${RESULT_ARTIFACT_NAME}" does not name the extension, so it is no typed result.`;
  return `The task has no artifact "${RESULT_ARTIFACT_NAME}", so there is no typed result.`;
}

/** How deep is for the schema and the judge to say; here it only has to be bounded. */
const deepest = 1_000;

const missing = (sentence: string): KediError => new KediError('RESULT_MISSING', sentence);
const malformed = (sentence: string): KediError => new KediError('RESULT_MALFORMED', sentence);
