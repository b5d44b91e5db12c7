import type { CitedRequirement } from './requirement.js';

/** What agent-output/v1 asks, and what we settled where it is silent; clauses of that extension. */
export const agentOutputRequirements: readonly CitedRequirement[] = [
  {
    id: 'OUTPUT-1-a',
    clause: '1, 6',
    sentence: 'The card declares the extension with its sources, events, envelope, ids and way to resume.',
    at: [
      [
        'protocol/agent-output.test.ts',
        'names the sources of the running agent, the events and how to resume',
      ],
    ],
  },
  {
    id: 'OUTPUT-1-b',
    clause: '1, 6',
    sentence: 'The card has an interface entry for it, which an A2A client can read.',
    at: [
      ['server/card.test.ts', 'have the entry of agent-output/v1, its extra keys left out by --strict-card'],
      [
        'server/card.test.ts',
        "is understood by the SDK's client, extra keys and all, which then has an answer",
      ],
    ],
  },
  {
    id: 'OUTPUT-1-c',
    clause: '1, 5',
    sentence: 'Each session tells its chat source.',
    at: [
      [
        'chat/sessions-over-http.test.ts',
        'are the contexts with their state, the newest change first, and where to read their chat',
      ],
    ],
  },
  {
    id: 'OUTPUT-2-a',
    clause: '2',
    sentence: 'The raw stream has every line byte for byte: nothing is lost.',
    at: [
      ['chat/raw-over-http.test.ts', 'are there byte for byte, with channel, number and time'],
      ['chat/golden.test.ts', 'has a frame for each line of $name, or the line is of a silent kind'],
    ],
  },
  {
    id: 'OUTPUT-3-a',
    clause: '3',
    sentence: 'The chat is read by GET alone, and confers no control.',
    at: [['chat/chat-over-http.test.ts', 'is 405 for another method, and HEAD is answered at once']],
  },
  {
    id: 'OUTPUT-3-b',
    clause: '3',
    sentence: 'command_id is required, and a query that is wrong is refused by name.',
    at: [['chat/chat-over-http.test.ts', 'is 400 and a sentence that names the parameter (%j)']],
  },
  {
    id: 'OUTPUT-3-c',
    clause: '3',
    sentence: 'session_id names the space of ids, and grants nothing.',
    at: [
      ['chat/chat-over-http.test.ts', 'names the ids and the data, and resumes under that name alone'],
      ['chat/chat-over-http.test.ts', 'grants nothing: a stranger stays a stranger'],
      ['chat/chat-over-http.test.ts', 'is 400 where it cannot stand in an id (%j)'],
    ],
  },
  {
    id: 'OUTPUT-3-d',
    clause: '3',
    sentence: 'With replay all comes from the start and then live; without it, what comes from now on.',
    at: [
      ['chat/chat-over-http.test.ts', 'goes on live where the replay ends'],
      ['chat/chat-over-http.test.ts', 'has what comes from now on, with the numbers of a replay'],
    ],
  },
  {
    id: 'OUTPUT-3-e',
    clause: '3',
    sentence: 'A client that comes back with Last-Event-ID has what came after it, and nothing twice.',
    at: [
      ['chat/chat-over-http.test.ts', 'has what came after frame %i, whatever `replay` says'],
      [
        'chat/clients.test.ts',
        'loses nothing and doubles nothing when its connection breaks after every single event',
      ],
      [
        'chat/restart.test.ts',
        'is whole though the server is killed after every few frames and started again',
      ],
    ],
  },
  {
    id: 'OUTPUT-3-f',
    clause: '3',
    sentence: 'An unknown or expired command on resume ends with STREAM_INTERRUPTED and does not hang.',
    at: [['chat/chat-over-http.test.ts', 'is one error frame with a cursor, whose own id gets 204']],
  },
  {
    id: 'OUTPUT-4-a',
    clause: '4',
    sentence: 'Frames are named events with a JSON object and ids that only rise.',
    at: [
      [
        'chat/chat-over-http.test.ts',
        'has every frame with its event, id and data, and ends after the terminal one',
      ],
      ['protocol/agent-output.test.ts', 'is the data of an event with the id that a client comes back with'],
    ],
  },
  {
    id: 'OUTPUT-4-b',
    clause: '4',
    sentence: "A client that knows Fortemi's events alone reads the text unchanged.",
    at: [
      ['chat/clients.test.ts', "reads the assistant's text unchanged, and how it ended"],
      ['chat/clients.test.ts', 'understands a failure'],
    ],
  },
  {
    id: 'OUTPUT-4-c',
    clause: '4',
    sentence: 'A line that is not understood is a raw frame, and is not dropped.',
    at: [['chat/project.test.ts', 'shows a line that was not understood, and one of stderr, raw']],
  },
  {
    id: 'OUTPUT-4-d',
    clause: '4',
    sentence:
      'Tool calls and results carry their id, name, input as it was written, and whether it went well.',
    at: [
      [
        'chat/project.test.ts',
        'gives tool calls and results with their parent, and the input as it was written',
      ],
    ],
  },
  {
    id: 'OUTPUT-4-e',
    clause: '4',
    sentence: 'There is one terminal frame, at the end, and nothing after it.',
    at: [
      ['chat/project.test.ts', 'is told once, and nothing comes after it'],
      ['chat/project.test.ts', "is held back until the task's own end is known"],
    ],
  },
];
