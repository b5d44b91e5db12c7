import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { AgentKind } from '../domain/agent.js';
import { KediError } from '../domain/errors.js';
import { readDocument } from '../schema/document.js';
import { a2a } from './a2a.js';
import { acp } from './acp.js';
import { aiSdk } from './ai-sdk.js';
import { claudeCode } from './claude-code.js';
import { codex } from './codex.js';
import { command } from './command.js';
import { deepAgents } from './deepagents.js';
import { demo } from './demo.js';
import { module } from './module.js';
import { openai } from './openai.js';

/** Every kind of agent; settings, help, the card's `sources`, the README's table and the contract suite follow from it. */
export const agentKinds: readonly AgentKind[] = [
  demo,
  command,
  claudeCode,
  codex,
  acp,
  openai,
  aiSdk,
  deepAgents,
  a2a,
  module,
];

/** The kind of that name; none: KediError SETTINGS_INVALID that lists those there are. */
export function findAgentKind(kind: string): AgentKind {
  const found = agentKinds.find((candidate) => candidate.kind === kind);
  if (found !== undefined) return found;
  throw invalid(
    `There is no kind of agent "${kind}"; there are ${agentKinds.map((each) => each.kind).join(', ')}.`,
  );
}

/**
 * The options of an agent from the JSON object that the operator wrote, checked by the kind's schema. What is wrong is
 * a KediError SETTINGS_INVALID whose sentence names the option.
 */
export function readAgentOptions(kind: AgentKind, json: string): Readonly<Record<string, unknown>> {
  const read = readDocument(json);
  if (!read.ok) {
    throw invalid(`The options of ${named(kind)} are not JSON: ${read.reason} at offset ${read.offset}.`);
  }
  const options: unknown = JSON.parse(read.json);
  const check = new Ajv2020({ verbose: true }).compile<Readonly<Record<string, unknown>>>(kind.options);
  if (check(options)) return options;
  const [error] = check.errors ?? [];
  throw invalid(error === undefined ? `The options of ${named(kind)} are not valid.` : sentence(kind, error));
}

const invalid = (message: string): KediError => new KediError('SETTINGS_INVALID', message);

const named = ({ kind }: AgentKind): string => `the agent "${kind}"`;

function sentence(kind: AgentKind, error: ErrorObject): string {
  const { instancePath, keyword, params, message } = error;
  const [option, ...inside] = instancePath.split('/').slice(1);
  if (option === undefined) {
    if (keyword === 'additionalProperties') {
      const names = Object.keys(kind.options.properties);
      const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
      return `There is no option "${params.additionalProperty}" of ${named(kind)}; ${known}.`;
    }
    if (keyword === 'required') {
      const missing = String(params.missingProperty);
      return `The option "${missing}" of ${named(kind)} is missing: ${kind.options.properties[missing]?.description ?? ''}`;
    }
    return `The options of ${named(kind)} must be a JSON object.`;
  }
  const place = inside.length === 0 ? '' : ` at "${inside.join('/')}"`;
  return `The option "${option}" of ${named(kind)} ${expected(error, message)}${place}.`;
}

function expected({ keyword, params }: ErrorObject, message: string | undefined): string {
  switch (keyword) {
    case 'enum':
      return `must be one of ${params.allowedValues.map((value: unknown) => JSON.stringify(value)).join(', ')}`;
    case 'additionalProperties':
      return `must have no key "${params.additionalProperty}"`;
    default:
      return message ?? 'is not valid';
  }
}
