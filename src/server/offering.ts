import type { AgentKind, OutputSource, StructuredWay } from '../domain/agent.js';
import { agentOutputExtension } from '../protocol/agent-output.js';
import { type CardExtension, typedAnswers } from '../protocol/card.js';
import { promptModes } from './input-modes.js';

/** What the served agent takes and gives, as its kind declares it and the card tells it. */
export interface Offering {
  /** Media types of input beyond those of every prompt. */
  readonly inputModes: readonly string[];
  readonly structured: StructuredWay;
  readonly source: OutputSource;
  readonly extensions: readonly CardExtension[];
}

/** The offering of an agent of this kind with these options. */
export function describeOffering(kind: AgentKind, options: Readonly<Record<string, unknown>>): Offering {
  const structured = kind.structured(options);
  return {
    inputModes: kind.inputModes ?? [],
    structured,
    source: kind.source,
    extensions: [...typedAnswers(structured), agentOutputExtension([kind.source])],
  };
}

/** The media types on the card. */
export const cardModes = ({ inputModes }: Offering) => ({
  inputModes: [...promptModes, ...inputModes],
  outputModes: promptModes,
});
