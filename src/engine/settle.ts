import type { Outcome } from '../domain/agent.js';
import { KediError } from '../domain/errors.js';
import type { Artifact } from '../domain/message.js';
import type { OutputSchema } from '../domain/schema.js';
import type { Entry, StructuredRequest } from '../domain/task.js';
import { findLoss, writeResult } from '../protocol/structured-output.js';
import { RESPONSE_ARTIFACT } from '../protocol/task-fold.js';
import type { Ending } from './failure.js';
import type { Hearing } from './hearing.js';

export interface SettleOptions {
  readonly hearing: Hearing;
  readonly structured: StructuredRequest | undefined;
  readonly output: OutputSchema | undefined;
  readonly resultBytes: number;
  readonly at: number;
}

/**
 * What a run's outcome means for its task. A typed result is checked here and nowhere else; refused: KediError
 * `RESULT_…`. A text agent that said nothing: KediError AGENT_EMPTY.
 */
export async function settle(outcome: Outcome, options: SettleOptions): Promise<Ending> {
  const { at, hearing, structured, output } = options;
  switch (outcome.kind) {
    case 'question': {
      const state = outcome.auth === true ? 'auth-required' : 'input-required';
      return [{ type: 'state', at, state, text: outcome.text }];
    }
    case 'rejected':
      throw new KediError('REJECTED', outcome.reason);
    case 'json':
      if (structured === undefined || output === undefined) return answer(outcome.document, options);
      return completed(at, [
        ...hearing.held(),
        await result(outcome, { structured, output, resultBytes: options.resultBytes }),
      ]);
    case 'text':
    case 'done':
      if (structured !== undefined) {
        throw new KediError('RESULT_MISSING', 'The agent ended without the document that was asked for.');
      }
      return answer(outcome.kind === 'text' ? outcome.text : '', options);
  }
}

/** The text of an answer counts only where the agent has not said it while it worked. */
function answer(text: string, { at, hearing }: SettleOptions): Ending {
  if (hearing.spoke()) return completed(at, []);
  if (text.trim() !== '') {
    const parts = [{ kind: 'text', text }] as const;
    const artifactId = RESPONSE_ARTIFACT;
    return completed(at, [{ artifactId, name: artifactId, parts, extensions: [] }]);
  }
  if (hearing.gave()) return completed(at, []);
  throw new KediError('AGENT_EMPTY', 'The agent ended without an answer.');
}

async function result(
  { document, parsed }: Extract<Outcome, { kind: 'json' }>,
  {
    structured,
    output,
    resultBytes,
  }: {
    readonly structured: StructuredRequest;
    readonly output: OutputSchema;
    readonly resultBytes: number;
  },
): Promise<Artifact> {
  const bytes = Buffer.byteLength(document);
  if (bytes > resultBytes) {
    throw new KediError(
      'RESULT_TOO_LARGE',
      `The agent's document has ${bytes} bytes; ${resultBytes} are the most that is taken.`,
    );
  }
  const verdict = await output.check(document);
  if (!verdict.ok) {
    const { pointer, message } = verdict.violation;
    throw new KediError(verdict.code, `The agent's document was refused: ${message}`, { pointer });
  }
  const loss =
    parsed === true ? await findLoss({ kind: 'parsed', document, schema: structured.schema }) : undefined;
  if (loss !== undefined) {
    throw new KediError(
      'RESULT_LOSSY',
      `Only a parsed form of the agent's document is to be had, and it cannot be shown to be exact: it has ${loss.reason} at ${loss.pointer || '(root)'}.`,
      { pointer: loss.pointer },
    );
  }
  return writeResult({ document: verdict.json, encoding: structured.resultEncoding });
}

const completed = (at: number, artifacts: readonly Artifact[]): Ending => [
  ...artifacts.map((artifact): Entry => ({ type: 'artifact', at, artifact })),
  { type: 'state', at, state: 'completed' },
];
