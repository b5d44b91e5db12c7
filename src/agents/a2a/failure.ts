import { KediError } from '../../domain/errors.js';

/**
 * A failure of the peer or of the road to it, as one of this agent's: what ended the peer's task keeps its code and its
 * words; of the road no address is told. The sentence for the operator's log is `error.message` itself.
 */
export function failureOf(error: KediError): KediError {
  switch (error.code) {
    case 'PEER_UNREACHABLE':
      return new KediError('AGENT_UNAVAILABLE', 'The agent behind this one cannot be reached.', {
        cause: error,
      });
    case 'PEER_UNSUITABLE':
    case 'UNAUTHENTICATED':
    case 'BUSY':
    case 'RATE_LIMITED': {
      const words = error.message.replace(/https?:\/\/[^\s,;]+/g, 'it');
      return new KediError('AGENT_UNAVAILABLE', `The agent behind this one cannot be asked: ${words}`, {
        cause: error,
      });
    }
    default:
      return error;
  }
}

/** Whether the peer takes no more messages to its task that asked. */
export const isForgotten = (error: unknown): boolean =>
  error instanceof KediError && (error.code === 'TASK_NOT_FOUND' || error.code === 'UNSUPPORTED_OPERATION');
