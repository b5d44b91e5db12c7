import { KediError } from '../domain/errors.js';

/**
 * Parses an answer for the SDK's types, or refuses it where they would lose something without a word (KediError
 * UNSUPPORTED_OPERATION): they take a part whose data is `null` for one without content; and as a
 * `google.protobuf.Struct`, of gRPC, they have no member named `__proto__`.
 */
export function parseForSdk(text: string, binding: 'gRPC' | 'A2A 0.3'): unknown {
  const answer: unknown = JSON.parse(text);
  if (!suspect.test(text)) return answer;
  const refuse = (loss: string): never => {
    throw new KediError(
      'UNSUPPORTED_OPERATION',
      `The answer has ${loss}, which cannot be told over ${binding}; it can be fetched over JSON-RPC of A2A 1.0.`,
    );
  };
  if (hasNullPart(answer)) return refuse('null as data');
  if (binding === 'gRPC' && hasPrototype(answer)) return refuse('a member named __proto__');
  return answer;
}

/** Each of the name's characters may be spelt as an escape. */
const suspect = /__proto__|\\u00(5f|6f|7[024])|"data":null/i;

/** Members that hold documents of others, in which `null` and every name mean nothing to A2A. */
export const documents: ReadonlySet<string> = new Set(['data', 'metadata']);

const hasNullPart = (value: unknown): boolean =>
  entriesOf(value).some(([name, member]) =>
    documents.has(name) ? name === 'data' && member === null : hasNullPart(member),
  );

const hasPrototype = (value: unknown): boolean =>
  entriesOf(value).some(([name, member]) => name === '__proto__' || hasPrototype(member));

const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];
