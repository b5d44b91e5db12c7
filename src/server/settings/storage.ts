import { choice, count, duration, readPath, readWord, type Setting } from '../setting.js';

/** What is kept, where and for how long. */
export const storageSettings = {
  dataDir: {
    group: 'Storage',
    value: 'DIR',
    fallback: '.kedi-a2a',
    help: 'Where tasks, sessions and workspaces are kept; one server at a time.',
    read: readPath,
  },
  databaseUrlEnv: {
    group: 'Storage',
    value: 'NAME',
    fallback: undefined,
    help: 'The environment variable that holds the URL of a PostgreSQL database, in place of a SQLite file in the data directory.',
    read: readWord,
  },
  durability: choice({
    group: 'Storage',
    words: ['normal', 'full'],
    fallback: 'normal',
    help: 'What an acknowledged event survives: `normal` a kill of the server, `full` a loss of power too.',
  }),
  tasksRetained: count({
    group: 'Storage',
    fallback: '100000',
    from: '1',
    to: '100000000',
    help: 'How many finished tasks are kept, with their logs; the oldest go first.',
  }),
  taskAge: duration({
    group: 'Storage',
    fallback: '30d',
    from: '1m',
    to: '36500d',
    help: 'How long a finished task is kept.',
  }),
  sessionIdle: duration({
    group: 'Storage',
    fallback: '24h',
    from: '1m',
    to: '36500d',
    help: 'After how long without a request a session goes, with its workspace; what was said in it stays.',
  }),
} as const satisfies Record<string, Setting>;
