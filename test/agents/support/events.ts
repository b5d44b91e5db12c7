import type { OutputEvent } from '../../../src/domain/agent.js';

/** The events of one type, with that type. */
export const ofType = <T extends OutputEvent['type']>(
  events: readonly OutputEvent[],
  type: T,
): readonly Extract<OutputEvent, { type: T }>[] =>
  events.filter((event): event is Extract<OutputEvent, { type: T }> => event.type === type);

/** What was said by the agent itself, or by the subagent of that tool call. */
export const spoken = (events: readonly OutputEvent[], parent?: string): string =>
  ofType(events, 'delta')
    .map((event) => (event.parent === parent ? event.text : ''))
    .join('');

/** What is told beside the conversation, but that a session began. */
export const told = (events: readonly OutputEvent[]): readonly (readonly [status: string, text: string])[] =>
  ofType(events, 'status')
    .filter(({ status }) => status !== 'init')
    .map(({ status, text }) => [status, text]);
