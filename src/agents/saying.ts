import type { FinishReason, Line, Outcome } from '../domain/agent.js';
import { KediError } from '../domain/errors.js';
import type { JsonText } from '../domain/json.js';
import type { Part } from '../domain/message.js';
import { jsonText, readDocument } from '../schema/document.js';
import type { StreamJson } from './kit/stream-json.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The line for what an author's agent yielded (`AgentSaying`). Authors write JavaScript too, so nothing is taken on trust:
 * what is of no known shape is a KediError AGENT_FAILED that says which field is wrong.
 */
export function lineOf(saying: unknown, write: StreamJson): Line {
  if (typeof saying === 'string') return write.delta(saying);
  if (!isFields(saying))
    throw wrong(`The agent yielded ${nameOf(saying)}, not a string or an object with a type`);
  const take = taker(`a "${String(saying.type)}"`, saying);
  const parent = take.optional('parent', isString);
  const from = parent === undefined ? {} : { parent };
  switch (saying.type) {
    case 'text':
      return write.delta(take.required('text', isString), {
        ...(take.optional('startsMessage', isBoolean) ? { startsMessage: true } : {}),
        ...from,
      });
    case 'tool_call':
      return write.toolCall({
        id: take.required('id', isString),
        name: take.required('name', isString),
        input: readJson('inputJson', take.required('inputJson', isString)),
        ...from,
      });
    case 'tool_result':
      return write.toolResult({
        id: take.required('id', isString),
        ok: take.required('ok', isBoolean),
        text: take.required('text', isString),
        ...from,
      });
    case 'status':
      return write.status(take.required('status', isString), take.required('text', isString));
    case 'session':
      return write.session(take.required('id', isString));
    case 'usage':
      return usageLine(take, write);
    case 'artifact':
      return artifactLine(take, write);
    default:
      throw wrong(`The agent yielded an object of type ${JSON.stringify(saying.type)}, which is not known`);
  }
}

/** The outcome for what it returned (`AgentResult`), under the same rule; a failure of its own: KediError AGENT_FAILED. */
export function outcomeOf(result: unknown, { structured }: { readonly structured: boolean }): Outcome {
  if (result === undefined) return { kind: 'done' };
  if (typeof result === 'string') {
    return structured ? { kind: 'json', document: result } : { kind: 'text', text: result };
  }
  if (isFields(result)) {
    if ('value' in result) {
      const document = printed(result.value);
      return structured ? { kind: 'json', document, parsed: true } : { kind: 'text', text: document };
    }
    if (isString(result.question)) {
      return { kind: 'question', text: result.question, ...(result.auth === true ? { auth: true } : {}) };
    }
    if (isString(result.rejected)) return { kind: 'rejected', reason: result.rejected };
    if (isString(result.failed)) throw new KediError('AGENT_FAILED', result.failed);
  }
  throw wrong(
    `The agent returned ${nameOf(result)}, not a string or an object with "value", "question", "rejected" or "failed"`,
  );
}

function usageLine(take: Taker, write: StreamJson): Line {
  const model = take.optional('model', isString);
  const usage = take.optional('usageJson', isString);
  const cost = take.optional('costUsd', isNumber);
  return write.result({
    finishReason: take.optional('finishReason', isFinishReason) ?? 'stop',
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage: readJson('usageJson', usage) }),
    ...(cost === undefined ? {} : { costUsd: jsonText(cost) }),
  });
}

function artifactLine(take: Taker, write: StreamJson): Line {
  const name = take.optional('name', isString);
  return write.artifact({
    artifactId: take.required('id', isString),
    ...(name === undefined ? {} : { name }),
    parts: take.required('parts', isList).map(partOf),
    append: take.optional('append', isBoolean) ?? false,
    lastChunk: take.optional('last', isBoolean) ?? true,
  });
}

function partOf(part: unknown): Part {
  if (!isFields(part)) throw wrong(`The agent yielded an artifact with ${nameOf(part)} as a part`);
  const take = taker('a part of an artifact', part);
  const mediaType = take.optional('mediaType', isString);
  const filename = take.optional('filename', isString);
  return {
    ...contentOf(take),
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(filename === undefined ? {} : { filename }),
  };
}

function contentOf(take: Taker): Part {
  const text = take.optional('text', isString);
  if (text !== undefined) return { kind: 'text', text };
  const bytes = take.optional('bytes', isBytes);
  // A copy, since it is recorded only later, and its author may use the buffer again.
  if (bytes !== undefined) return { kind: 'raw', bytes: Uint8Array.from(bytes) };
  const url = take.optional('url', isString);
  if (url !== undefined) return { kind: 'url', url };
  return { kind: 'data', json: readJson('json', take.required('json', isString)) };
}

interface Taker {
  required<T>(field: string, is: (value: unknown) => value is T): T;
  optional<T>(field: string, is: (value: unknown) => value is T): T | undefined;
}

/** Reads fields by their type; one that is missing or of another type is named in the error. */
function taker(what: string, fields: Fields): Taker {
  const required = <T>(field: string, is: (value: unknown) => value is T): T => {
    const value = fields[field];
    if (is(value)) return value;
    if (value === undefined) throw wrong(`The agent yielded ${what} without its "${field}"`);
    throw wrong(`The agent yielded ${what} whose "${field}" is ${nameOf(value)}`);
  };
  return {
    required,
    optional: (field, is) => (fields[field] === undefined ? undefined : required(field, is)),
  };
}

function readJson(field: string, text: string): JsonText {
  const read = readDocument(text);
  if (read.ok) return read.json;
  throw wrong(`The agent yielded an "${field}" that is not JSON (${read.reason} at offset ${read.offset})`);
}

function printed(value: unknown): string {
  try {
    return jsonText(value);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new KediError('AGENT_FAILED', `The agent returned a value that has no JSON: ${reason}`, { cause });
  }
}

const wrong = (sentence: string): KediError => new KediError('AGENT_FAILED', `${sentence}.`);

function nameOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isString = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isFinishReason = (value: unknown): value is FinishReason =>
  value === 'stop' ||
  value === 'length' ||
  value === 'content-filter' ||
  value === 'error' ||
  value === 'other';
