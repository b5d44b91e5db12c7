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
