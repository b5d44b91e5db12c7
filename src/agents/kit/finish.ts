import type { FinishReason } from '../../domain/agent.js';
import { KediError } from '../../domain/errors.js';

/**
 * Refuses an answer that its model did not bring to its end: half of one, in text or typed, is never passed off as the
 * whole. KediError AGENT_FAILED; what was said stays on the task.
 */
export function requireWhole(reason: FinishReason): void {
  switch (reason) {
    case 'length':
      throw new KediError(
        'AGENT_FAILED',
        'The model’s answer was cut off at its limit of tokens, before its end.',
      );
    case 'content-filter':
      throw new KediError('AGENT_FAILED', 'The model’s answer was stopped by the filter of its provider.');
    case 'error':
      throw new KediError('AGENT_FAILED', 'The model broke off its answer with an error.');
    case 'stop':
    case 'other':
      return;
  }
}

/** Why an answer that ends in a call of a tool is none, where the agent has no tools of its own. */
export const toolWanted = (): KediError =>
  new KediError('AGENT_FAILED', 'The model called a tool, and there is nobody here to run it.');

/** Why an answer is none whose end nobody told. */
export const brokenOff = (): KediError =>
  new KediError('AGENT_FAILED', 'The model’s answer broke off: the connection was closed before its end.');
