import { KediError } from '../domain/errors.js';
import type { Part } from '../domain/message.js';

/** Media types of text and data, which every agent takes: they become its prompt. */
export const promptModes = ['text/plain', 'application/json'] as const;

/**
 * Accepts parts that the agent can take, or throws KediError CONTENT_TYPE_NOT_SUPPORTED that names the first it cannot:
 * text and data as they are, and of all else what its kind declares in `inputModes` (`image/png`, `image/*`).
 */
export function acceptParts(parts: readonly Part[], inputModes: readonly string[]): void {
  for (const [index, part] of parts.entries()) {
    const mode = modeOf(part);
    if (isPrompt(part, mode) || inputModes.some((accepted) => matches(mode, accepted))) continue;
    const accepted = [...promptModes, ...inputModes].join(', ');
    const hint = part.kind === 'raw' || part.kind === 'url' ? ` as a ${part.kind} part` : '';
    throw new KediError(
      'CONTENT_TYPE_NOT_SUPPORTED',
      `message.parts[${index}] is of ${mode}${hint}, which this agent does not take; it takes text and data of ${accepted}.`,
      { info: { part: String(index), mediaType: mode, accepted } },
    );
  }
}

/** Bytes and addresses are not part of a prompt, whatever they are of. */
const isPrompt = (part: Part, mode: string): boolean =>
  (part.kind === 'text' || part.kind === 'data') && promptModes.some((accepted) => accepted === mode);

function modeOf(part: Part): string {
  const written = part.mediaType?.split(';', 1)[0]?.trim().toLowerCase();
  if (written !== undefined && written !== '') return written;
  switch (part.kind) {
    case 'text':
      return 'text/plain';
    case 'data':
      return 'application/json';
    case 'raw':
    case 'url':
      return 'application/octet-stream';
  }
}

const matches = (mode: string, accepted: string): boolean =>
  accepted === mode ||
  accepted === '*/*' ||
  (accepted.endsWith('/*') && mode.startsWith(accepted.slice(0, -1)));
