import type { BindingRequirement } from './requirement.js';

const json = ['JSON-RPC', 'HTTP+JSON'] as const;

/** What A2A 1.0 asks of a server over each of its bindings; clauses of the specification. */
export const a2aRequirements = [
  {
    id: 'A2A-3.1.1-a',
    clause: '3.1.1',
    sentence: 'SendMessage answers with a task, which holds what the agent made, or with a direct message.',
  },
  {
    id: 'A2A-3.1.1-b',
    clause: '3.1.1, 3.3.2',
    sentence:
      'A part of a media type that the agent does not take is refused with ContentTypeNotSupportedError.',
  },
  {
    id: 'A2A-3.1.1-c',
    clause: '3.1.1',
    sentence: 'A message to a task that has ended is refused with UnsupportedOperationError.',
  },
  {
    id: 'A2A-3.1.2-a',
    clause: '3.1.2',
    sentence: 'A stream that is a message only has exactly one message and then closes.',
  },
  {
    id: 'A2A-3.1.2-b',
    clause: '3.1.2',
    sentence: "A task's stream begins with the task and closes at its terminal state.",
  },
  {
    id: 'A2A-3.1.2-c',
    clause: '3.1.2, 4.2.2',
    sentence: 'An artifact that comes in chunks is put together by append and ends with lastChunk.',
  },
  {
    id: 'A2A-3.1.3-a',
    clause: '3.1.3',
    sentence: 'GetTask has the state and the artifacts of a task as they are.',
  },
  {
    id: 'A2A-3.1.4-a',
    clause: '3.1.4',
    bindings: json,
    sentence: 'Without includeArtifacts no task of a list has the field artifacts, with it each has.',
  },
  {
    id: 'A2A-3.1.4-b',
    clause: '3.1.4',
    bindings: json,
    sentence: 'nextPageToken is always there, and empty on the last page.',
  },
  {
    id: 'A2A-3.1.4-c',
    clause: '3.1.4',
    sentence: 'Tasks are listed in pages by a cursor, the latest status first, each once.',
  },
  { id: 'A2A-3.1.4-d', clause: '3.1.4', sentence: 'A list is filtered by context and by state.' },
  { id: 'A2A-3.1.5-a', clause: '3.1.5', sentence: 'CancelTask ends a running task as canceled.' },
  {
    id: 'A2A-3.1.5-b',
    clause: '3.1.5',
    sentence: 'A task that has ended is not canceled: TaskNotCancelableError.',
  },
  {
    id: 'A2A-3.1.6-a',
    clause: '3.1.6',
    sentence: 'A subscription begins with the task as it is and ends at its terminal state.',
  },
  {
    id: 'A2A-3.1.6-b',
    clause: '3.1.6',
    sentence: 'A task that has ended takes no subscription: UnsupportedOperationError.',
  },
  {
    id: 'A2A-3.1.7-a',
    clause: '3.1.7, 3.1.8',
    sentence: 'A push configuration that was created is returned with its id and URL, then and by Get.',
  },
  {
    id: 'A2A-3.1.9-a',
    clause: '3.1.9',
    sentence: 'All push configurations of a task are listed, in pages where they are asked for.',
  },
  {
    id: 'A2A-3.1.10-a',
    clause: '3.1.8, 3.1.10',
    sentence: 'A push configuration is deleted for good, twice as well as once, and Get then fails.',
  },
  {
    id: 'A2A-3.1.11-a',
    clause: '3.1.11, 3.3.4',
    sentence:
      'Where the card declares no extended card, GetExtendedAgentCard is an UnsupportedOperationError.',
  },
  {
    id: 'A2A-3.2.2-a',
    clause: '3.2.2',
    sentence: 'A blocking call waits for a terminal or an interrupted state.',
  },
  {
    id: 'A2A-3.2.2-b',
    clause: '3.2.2',
    sentence: 'With returnImmediately a call returns while the task still works.',
  },
  {
    id: 'A2A-3.2.4-a',
    clause: '3.2.4',
    sentence: 'historyLength: unset is all, zero is none, n is at most the n latest messages.',
  },
  {
    id: 'A2A-3.3.2-a',
    clause: '3.3.2',
    sentence: 'A message without its required fields is refused, and no task is made of it.',
  },
  {
    id: 'A2A-3.3.2-b',
    clause: '3.3.2, 9.5, 10.6, 11.6',
    sentence:
      'An error of A2A has a sentence, and an ErrorInfo with its reason and the domain of the protocol.',
  },
  {
    id: 'A2A-3.3.4-a',
    clause: '3.3.4',
    sentence: 'Where push notifications are off, all their operations are PushNotificationNotSupportedError.',
  },
  {
    id: 'A2A-3.4.1-a',
    clause: '3.4.1',
    sentence: 'A context id is made where there is none and returned, and kept where the client has one.',
  },
  { id: 'A2A-3.4.2-a', clause: '3.4.2', sentence: 'Each new task has an id of its own, which is returned.' },
  {
    id: 'A2A-3.4.2-b',
    clause: '3.1.3, 3.1.5, 3.1.6, 3.4.2',
    sentence: 'A task that does not exist is TaskNotFoundError for whatever names it.',
  },
  {
    id: 'A2A-3.4.3-a',
    clause: '3.4.3',
    sentence: 'A message that names a task alone belongs to its context, and goes on with its history.',
  },
  {
    id: 'A2A-3.4.3-b',
    clause: '3.4.3',
    sentence: 'A message whose context is not that of its task is refused.',
  },
  {
    id: 'A2A-3.5.2-a',
    clause: '3.5.2',
    sentence: 'Events come in the order in which they were made: working, what was made, completed.',
  },
  {
    id: 'A2A-3.5.3-a',
    clause: '3.5.3',
    sentence: 'Several streams of a task have the same events, and one that closes does not end another.',
  },
  {
    id: 'A2A-3.6.2-a',
    clause: '3.6.2',
    sentence: 'A version that is not spoken is refused with VersionNotSupportedError.',
  },
  {
    id: 'A2A-4.1.3-a',
    clause: '4.1.3',
    sentence: 'The states input-required and rejected are told as such, with a message that says why.',
  },
  {
    id: 'A2A-4.1.6-a',
    clause: '4.1.6',
    sentence: 'Parts of text, bytes, URL and data arrive as they are, with media type and file name.',
  },
  {
    id: 'A2A-5.4-a',
    clause: '5.4',
    sentence: 'Each error has the code that its binding has for it.',
  },
  {
    id: 'A2A-5.5-a',
    clause: '5.5',
    bindings: json,
    sentence: 'Fields are in camelCase, and enums are the names of the proto.',
  },
  {
    id: 'A2A-5.6.1-a',
    clause: '5.6.1',
    bindings: json,
    sentence: 'Times are ISO 8601 in UTC, with the letter Z and milliseconds.',
  },
  {
    id: 'A2A-9.1-a',
    clause: '9.1, 11.1',
    bindings: json,
    sentence: "A response has its binding's media type: application/json, and application/a2a+json.",
  },
] as const satisfies readonly BindingRequirement[];
