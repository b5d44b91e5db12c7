import { AgentCard } from '@a2a-js/sdk';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { StructuredWay } from '../domain/agent.js';
import { KediError } from '../domain/errors.js';
import { legacyKeys } from './legacy-card.js';
import { kediExtension } from './structured-output.js';

/** The half of the agent card that a person writes: `agent-card.json`. */
export interface HandwrittenCard {
  readonly name: string;
  readonly description: string;
  readonly version?: string;
  readonly provider?: { readonly organization: string; readonly url: string };
  readonly documentationUrl?: string;
  readonly iconUrl?: string;
  readonly skills: readonly unknown[];
}

/**
 * Reads the hand-written half of the card from the text of its file. What is wrong with it is one sentence, KediError
 * SETTINGS_INVALID: unknown keys too, since the server itself fills in all others.
 */
export function readHandwrittenCard(text: string, file: string): HandwrittenCard {
  let card: unknown;
  try {
    card = JSON.parse(text);
  } catch (cause) {
    throw new KediError('SETTINGS_INVALID', `The agent card ${file} is not JSON: ${String(cause)}`, {
      cause,
    });
  }
  const check = new Ajv2020().compile<HandwrittenCard>(handwrittenSchema);
  if (check(card)) return card;
  const [error] = check.errors ?? [];
  const extra = error?.keyword === 'additionalProperties' ? ` (${error.params.additionalProperty})` : '';
  const place = error?.instancePath === '' ? 'it' : `"${error?.instancePath.slice(1)}"`;
  throw new KediError('SETTINGS_INVALID', `The agent card ${file}: ${place} ${error?.message}${extra}.`);
}

/** The half of the card that follows from the settings and the agent. */
export interface ServedCard {
  readonly version: string;
  /** Each with the keys that A2A 1.0 knows, and perhaps more of an extension's own. */
  readonly interfaces: readonly CardInterface[];
  readonly extensions: readonly CardExtension[];
  readonly inputModes: readonly string[];
  readonly outputModes: readonly string[];
  readonly push: boolean;
  /** Whether clients with credentials get a further card (4.4.3, `extendedAgentCard`). */
  readonly extended: boolean;
  readonly security: CardSecurity | undefined;
}

/** How clients prove who they are (4.5), in ProtoJSON. */
export interface CardSecurity {
  readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly securityRequirements: readonly {
    readonly schemes: Readonly<Record<string, { readonly list: readonly string[] }>>;
  }[];
}

/** One way to reach the agent (A2A 1.0, 4.4.6); further keys are copied as they are. */
export interface CardInterface {
  readonly url: string;
  readonly protocolBinding: string;
  readonly protocolVersion: string;
}

/** The declaration of an extension (4.4.4). */
export interface CardExtension {
  readonly uri: string;
  readonly description: string;
  readonly required: boolean;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Both halves as the AgentCard of A2A 1.0 (4.4.1), in ProtoJSON. */
export function writeCard(handwritten: HandwrittenCard, served: ServedCard): string {
  const known = AgentCard.toJSON(
    AgentCard.fromJSON({
      version: served.version,
      ...handwritten,
      ...served.security,
      supportedInterfaces: served.interfaces,
      capabilities: {
        streaming: true,
        pushNotifications: served.push,
        extendedAgentCard: served.extended,
        extensions: served.extensions,
      },
      defaultInputModes: served.inputModes,
      defaultOutputModes: served.outputModes,
    }),
  );
  // The codec drops the keys that an extension asks for beside those of A2A.
  return JSON.stringify({ ...Object(known), supportedInterfaces: served.interfaces, ...legacyKeys(served) });
}

/** The extension for typed answers as an agent of this kind offers it, or none. */
export function typedAnswers(way: StructuredWay): readonly CardExtension[] {
  const extension = kediExtension();
  return way === 'none' ? [] : [{ ...extension, description: `${extension.description} ${ways[way]}` }];
}

const ways: Readonly<Record<Exclude<StructuredWay, 'none'>, string>> = {
  native: "The schema is handed to the agent's own harness, and what comes back is checked.",
  instruction: 'The schema is given to the agent as an instruction, and what comes back is checked.',
  sample: 'This agent asks no model: the document is sample data, made up from the schema.',
};

const text = { type: 'string', minLength: 1 } as const;
const texts = { type: 'array', items: text } as const;

const handwrittenSchema = {
  type: 'object',
  properties: {
    name: text,
    description: text,
    version: text,
    provider: {
      type: 'object',
      properties: { organization: text, url: text },
      required: ['organization', 'url'],
      additionalProperties: false,
    },
    documentationUrl: text,
    iconUrl: text,
    skills: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: {
          id: text,
          name: text,
          description: text,
          tags: { ...texts, minItems: 1 },
          examples: texts,
          inputModes: texts,
          outputModes: texts,
        },
        required: ['id', 'name', 'description', 'tags'],
        additionalProperties: false,
      },
    },
  },
  required: ['name', 'description', 'skills'],
  additionalProperties: false,
};
