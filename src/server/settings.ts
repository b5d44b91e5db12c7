import {
  choice,
  count,
  duration,
  readOrigins,
  readPath,
  readPublicUrl,
  readWord,
  type Setting,
  size,
  toggle,
} from './setting.js';

/**
 * Every setting of the server, once. From a row come the flag (`--max-body`), the environment variable
 * (`KEDI_A2A_MAX_BODY`), the key of the config file (`maxBody`), the help, the README's table and the check; a new
 * setting is a new row and nothing else.
 */
export const table = {
  agent: {
    group: 'Agent',
    value: 'KIND',
    fallback: 'demo',
    help: 'The kind of agent to serve; `kedi-a2a agents` lists them.',
    read: readWord,
  },
  agentOptions: {
    group: 'Agent',
    value: 'JSON',
    fallback: '{}',
    shape: 'object',
    help: "The agent's options, a JSON object; in the config file an object.",
    read: (json: string, directory: string) => ({ json, directory }),
  },
  attempts: count({
    group: 'Agent',
    fallback: '1',
    from: '1',
    to: '10',
    help: 'Runs in all for one typed request: after a refused document the agent is told why and runs again.',
  }),
  agentStderr: choice({
    group: 'Agent',
    words: ['on', 'off'],
    fallback: 'on',
    help: "Whether clients may see what the agent's process writes on stderr.",
  }),
  assertFormats: toggle({
    group: 'Agent',
    help: "Check JSON Schema's `format` too, which is only an annotation otherwise.",
  }),

  host: {
    group: 'Network',
    value: 'HOST',
    fallback: '127.0.0.1',
    help: 'The address to listen on.',
    read: readWord,
  },
  port: count({
    group: 'Network',
    fallback: '8000',
    from: '0',
    to: '65535',
    help: 'The port to listen on; 0 takes any free one.',
  }),
  publicUrl: {
    group: 'Network',
    value: 'URL',
    fallback: undefined,
    help: 'The URL under which clients reach this server, for its card; needed off loopback and behind a proxy.',
    read: readPublicUrl,
  },
  allowedOrigins: {
    group: 'Network',
    value: 'ORIGINS',
    fallback: '',
    shape: 'list',
    help: 'Web origins, beside its own, whose pages may call this server.',
    read: readOrigins,
  },
  allowUnauthenticated: toggle({
    group: 'Network',
    help: 'Serve without authentication and without a warning; on loopback only.',
  }),
  card: {
    group: 'Network',
    value: 'FILE',
    fallback: undefined,
    help: 'The hand-written half of the agent card (name, description, provider, skills) in place of the one shipped.',
    read: readPath,
  },
  strictCard: toggle({
    group: 'Network',
    help: 'Leave out of the card the extra keys that agent-output/v1 asks for and A2A 1.0 does not know.',
  }),

  dataDir: {
    group: 'Storage',
    value: 'DIR',
    fallback: '.kedi-a2a',
    help: 'Where tasks, sessions and workspaces are kept; one server at a time.',
    read: readPath,
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
    help: 'After how long without a request a session goes, with its workspace and logs.',
  }),

  maxBody: size({
    group: 'Limits',
    fallback: '1MiB',
    from: '1KiB',
    to: '256MiB',
    help: "A request's body.",
  }),
  maxPrompt: size({
    group: 'Limits',
    fallback: '1MiB',
    from: '1KiB',
    to: '256MiB',
    help: 'What is handed to the agent as a prompt.',
  }),
  maxResult: size({
    group: 'Limits',
    fallback: '8MiB',
    from: '1KiB',
    to: '256MiB',
    help: 'A typed result.',
  }),
  maxLog: size({
    group: 'Limits',
    fallback: '64MiB',
    from: '64KiB',
    to: '4GiB',
    help: "All output of one task's agent; more fails the task.",
  }),
  concurrency: count({
    group: 'Limits',
    fallback: '8',
    from: '1',
    to: '1024',
    help: 'How many agents run at the same time.',
  }),
  pending: count({
    group: 'Limits',
    fallback: '256',
    from: '0',
    to: '100000',
    help: 'How many tasks may wait for their turn; more are refused as busy.',
  }),
  // A timer of Node counts at most 2^31 - 1 milliseconds, 24.8 days.
  taskTimeout: duration({
    group: 'Limits',
    fallback: '1h',
    from: '1s',
    to: '24d',
    help: 'How long an agent may take for one message, all attempts together.',
  }),
  grace: duration({
    group: 'Limits',
    fallback: '10s',
    from: '0',
    to: '1h',
    help: 'At shutdown, how long running tasks may go on before they are canceled.',
  }),

  logLevel: choice({
    group: 'Logging',
    words: ['debug', 'info', 'warn', 'error'],
    fallback: 'info',
    help: 'The least level that is logged.',
  }),
  logFormat: choice({
    group: 'Logging',
    words: ['auto', 'json', 'pretty'],
    fallback: 'auto',
    help: 'One JSON object a line, or lines for people; `auto` is the latter on a terminal.',
  }),
} as const satisfies Record<string, Setting>;

type Table = typeof table;

/** Names of settings, as the config file and the program write them. */
export type SettingName = keyof Table;

type ValueOf<Row extends Setting> =
  | ReturnType<Row['read']>
  | (Row['fallback'] extends string ? never : undefined);

/** All settings, read and checked: sizes in bytes, times in milliseconds, paths absolute. */
export type Settings = { readonly [Name in SettingName]: ValueOf<Table[Name]> };

/** The flag of a setting: `--max-body`. */
export const flagOf = (name: string): string => `--${words(name).join('-')}`;

/** The environment variable of a setting: `KEDI_A2A_MAX_BODY`. */
export const variableOf = (name: string): string => `KEDI_A2A_${words(name).join('_').toUpperCase()}`;

/** Whether a setting has this name. */
export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(table, name);
}

/** The names in the order of the table. */
export const settingNames = Object.keys(table).filter((name): name is SettingName =>
  Object.hasOwn(table, name),
);

const words = (name: string): readonly string[] => name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
