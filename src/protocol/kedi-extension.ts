import { KediError } from '../domain/errors.js';
import type { StructuredRequest } from '../domain/task.js';
import type { Span } from '../schema/document.js';

/** The extension's identifier, compared exactly, its last slash included (Kedi structured output v1). */
export const KEDI_STRUCTURED_OUTPUT_URI = 'https://docs.kedi-lang.org/a2a/extensions/structured-output/v1/';

/** The name of the one artifact that carries a typed result. */
export const RESULT_ARTIFACT_NAME = 'kedi-structured-output';

/** Bytes of UTF-8 that a schema may have in a request to this server. */
export const MAX_SCHEMA_BYTES = 32_768;

export type Encoding = StructuredRequest['resultEncoding'];

/** How a schema and a result can travel; the second is the older one, and knows no numbers but doubles. */
export const ENCODINGS = ['json-utf8', 'protobuf-value'] as const satisfies readonly Encoding[];

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** What to put into `capabilities.extensions` of the card ("Agent Card Declaration"). */
export const kediExtension = () => ({
  uri: KEDI_STRUCTURED_OUTPUT_URI,
  description:
    'Send a JSON Schema with a request, and the answer is a JSON document that is valid against it.',
  required: false,
  params: {
    version: 1,
    mode: 'request-schema',
    schemaDialect: DIALECT,
    maxSchemaBytes: MAX_SCHEMA_BYTES,
    resultArtifactName: RESULT_ARTIFACT_NAME,
    schemaEncodings: ENCODINGS,
    resultEncodings: ENCODINGS,
  },
});

/** What a peer's card promises. `fixed`: its answers have a schema of the agent's own, and it takes none. */
export interface Offer {
  readonly mode: 'request-schema' | 'fixed';
  readonly maxSchemaBytes: number;
  readonly schemaEncodings: readonly Encoding[];
  readonly resultEncodings: readonly Encoding[];
}

/**
 * Reads `AgentExtension.params` of a peer's card, for its clients. Encodings that it does not name are the older one,
 * those unknown here are passed over. Parameters that are not of version 1, or wrong: KediError PEER_UNSUITABLE.
 */
export function readOffer(params: Span | undefined): Offer {
  const members = params?.members ?? new Map<string, Span>();
  const text = (name: string): string | undefined => members.get(name)?.string;
  if (asNumber(members.get('version')) !== 1) throw unsuitable('version', 'must be 1');
  const mode = text('mode');
  if (mode !== 'request-schema' && mode !== 'fixed')
    throw unsuitable('mode', 'must be "request-schema" or "fixed"');
  if (members.has('schemaDialect') && text('schemaDialect')?.replace(/#$/, '') !== DIALECT)
    throw unsuitable('schemaDialect', `must be "${DIALECT}"`);
  if (members.has('resultArtifactName') && text('resultArtifactName') !== RESULT_ARTIFACT_NAME)
    throw unsuitable('resultArtifactName', `must be "${RESULT_ARTIFACT_NAME}"`);
  const size = members.get('maxSchemaBytes');
  const maxSchemaBytes = size === undefined ? MAX_SCHEMA_BYTES : asNumber(size);
  if (maxSchemaBytes === undefined || !Number.isInteger(maxSchemaBytes) || maxSchemaBytes < 1)
    throw unsuitable('maxSchemaBytes', 'must be a whole number above zero');
  return {
    mode,
    maxSchemaBytes,
    schemaEncodings: readEncodings(members, 'schemaEncodings'),
    resultEncodings: readEncodings(members, 'resultEncodings'),
  };
}

function readEncodings(params: ReadonlyMap<string, Span>, name: string): readonly Encoding[] {
  const span = params.get(name);
  if (span === undefined) return ['protobuf-value'];
  if (span.kind !== 'array') throw unsuitable(name, 'must be a list');
  return ENCODINGS.filter((encoding) => span.items.some((item) => item.string === encoding));
}

const asNumber = (span: Span | undefined): number | undefined =>
  span?.kind === 'number' ? Number(span.json) : undefined;

const unsuitable = (name: string, description: string): KediError =>
  new KediError(
    'PEER_UNSUITABLE',
    `The peer's card is wrong for structured output: ${name} ${description}.`,
    {
      pointer: `/params/${name}`,
    },
  );
