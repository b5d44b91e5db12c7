import type { CitedRequirement } from './requirement.js';

/** What A2A 1.0 asks of a server beyond its operations: the card, credentials, notifications, signatures. */
export const citedA2aRequirements: readonly CitedRequirement[] = [
  {
    id: 'A2A-3.2.6-a',
    clause: '3.2.6, 4.6.2',
    sentence: 'Extensions that are asked for and known are told in the response.',
    at: [['server/json-rpc.test.ts', 'that are known are echoed by %s, in JSON and SSE alike']],
  },
  {
    id: 'A2A-3.3.1-a',
    clause: '3.3.1',
    sentence: 'Cancelling what runs stops it, whoever waits for it is told, and more than once does no harm.',
    at: [['server/a2a.test.ts', 'stops the agent of a %s request, which is told so']],
  },
  {
    id: 'A2A-3.6.2-b',
    clause: '3.6.2',
    sentence: 'An absent or empty A2A-Version is 0.3, and a version that is not spoken is refused by name.',
    at: [
      ['server/legacy.test.ts', 'gets its id back as it wrote it, and the answers of 0.3'],

      ['server/json-rpc.test.ts', 'of any other kind is -32009 with a sentence that names the header: %j'],
    ],
  },
  {
    id: 'A2A-4.3.3-a',
    clause: '4.3.3, 13.2',
    sentence: 'Notifications come in order, with the token and the authorization that were asked for.',
    at: [
      [
        'server/push/push.test.ts',
        'tell the whole of a task, in order, with the token and the authorization asked for',
      ],
      ['server/push/destination.test.ts', 'carries the authorization and says what it brings'],
    ],
  },
  {
    id: 'A2A-4.3.3-b',
    clause: '4.3.3',
    sentence: 'Delivery is attempted at least once, and again where the receiver is down.',
    at: [
      ['server/push/push.test.ts', 'gets all in order once it is back'],
      ['server/push/push.test.ts', 'go on after a restart with what was not told yet'],
    ],
  },
  {
    id: 'A2A-5.2-a',
    clause: '5.2, 8.3.1',
    sentence: 'Each binding that is served is on the card with its URL, and none that is not.',
    at: [
      ['server/http-json.test.ts', 'is on the card, and the client of the SDK speaks it'],
      ['server/http-json.test.ts', 'is not there where the operator leaves it out'],
      ['server/grpc.test.ts', 'is on the card as host and port, and the client of the SDK speaks it'],
    ],
  },
  {
    id: 'A2A-7.4-a',
    clause: '7.4',
    sentence: 'Every request is authenticated by what the card declares; without it nothing is done.',
    at: [
      ['server/principals.test.ts', 'every route but those for everyone answers 401 and says what it wants'],
      ['server/grpc.test.ts', 'are asked for in every call'],
    ],
  },
  {
    id: 'A2A-7.6-a',
    clause: '7.6',
    sentence: 'A task that lacks a credential waits as AUTH_REQUIRED, with a message that says for what.',
    at: [['server/a2a.test.ts', 'stay open for SubscribeToTask until the terminal state']],
  },
  {
    id: 'A2A-8.2-a',
    clause: '8.2, 8.6',
    sentence: 'The card is at its well-known path, and may be cached.',
    at: [
      ['server/card.test.ts', 'has what a person wrote and what the server knows'],
      ['server/card.test.ts', 'is by entity tag and by time, both answered with 304'],
    ],
  },
  {
    id: 'A2A-8.4-a',
    clause: '8.4',
    sentence:
      'A signed card is canonical, its signature is verified by a client, and fails once a word has changed.',
    at: [
      [
        'server/signing/card-key.test.ts',
        'is verified by the client of the SDK, and has no key that A2A does not know',
      ],
      ['server/signing/card-key.test.ts', 'is not verified once a word of it has changed'],
    ],
  },
  {
    id: 'A2A-9.3-a',
    clause: '9.1, 9.3',
    sentence:
      'What is no request of JSON-RPC 2.0 has the codes of JSON-RPC, and an id is returned as it was.',
    at: [
      ['server/json-rpc.test.ts', '%s gets its code'],
      ['server/json-rpc.test.ts', 'is echoed in every event of a stream'],
    ],
  },
  {
    id: 'A2A-11.3-a',
    clause: '11.3, 11.5',
    sentence: 'Each operation of HTTP+JSON has its verb and path, and its query is in camelCase.',
    at: [
      ['server/http-json.test.ts', 'gets, lists and cancels by paths and queries'],
      ['server/http-json.test.ts', 'tells which verbs a path has, and that others have nothing'],
    ],
  },
  {
    id: 'A2A-13.1-a',
    clause: '3.3.1, 13.1',
    sentence:
      "What belongs to another principal looks like what does not exist, and is in nobody else's list.",
    at: [
      ['server/principals.test.ts', 'does not exist for another, in the very words of what does not exist'],
      ['server/principals.test.ts', 'is in no list of another'],
    ],
  },
  {
    id: 'A2A-13.2-a',
    clause: '13.2',
    sentence: 'A webhook never leads to an address that is not public, unless the operator allowed it.',
    at: [
      [
        'server/push/destination.test.ts',
        'whose name leads inward is refused, also where only one of its addresses does',
      ],
      [
        'server/push/destination.test.ts',
        'is made to the address that was checked, even when the name has changed since',
      ],
      ['server/push/destination.test.ts', 'follows no redirect'],
    ],
  },
  {
    id: 'A2A-13.3-a',
    clause: '3.1.11, 13.3',
    sentence: 'The extended card is for clients with credentials, and the public one says that it exists.',
    at: [
      [
        'server/principals.test.ts',
        'declares the scheme and the extended card, and GetExtendedAgentCard is it',
      ],
    ],
  },
];
