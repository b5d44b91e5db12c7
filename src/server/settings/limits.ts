import { count, duration, type Setting, size } from '../setting.js';

/** What one request, one task and all of them together may take. */
export const limitsSettings = {
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
  principalTasks: count({
    group: 'Limits',
    fallback: '0',
    from: '0',
    to: '100000',
    help: 'How many tasks of one principal may run or wait, so that none takes all places; 0 sets no limit.',
  }),
  rateLimit: count({
    group: 'Limits',
    fallback: '0',
    from: '0',
    to: '1000000',
    help: 'How many requests a minute one principal may send, a sixth of them at once; 0 sets no limit.',
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
} as const satisfies Record<string, Setting>;
