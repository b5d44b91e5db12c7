import { Worker } from 'node:worker_threads';
import type { Answer, Job, Place } from './apply.js';

/** The thread that writes to the database; begun with its first job, and anew after one that it did not survive. */
export interface Thread {
  /** One job at a time; rejects with the error of the database or of a file, `code` with it. */
  ask(job: Job): Promise<Extract<Answer, { applied: number }>>;
  /** After its last job. */
  end(): Promise<void>;
}

/** Run from its sources, as in tests, the program finds the worker where the build has put it. */
const workerFile = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/store/apply-worker.js' : './apply-worker.js',
  import.meta.url,
);

export function createThread(place: Place): Thread {
  let worker: Worker | undefined;
  let waiting: { settle(answer: Answer): void } | undefined;

  const settle = (answer: Answer): void => {
    const { settle } = waiting ?? {};
    waiting = undefined;
    // It keeps the process alive only while somebody waits for it.
    worker?.unref();
    settle?.(answer);
  };
  const start = (): Worker => {
    const started = new Worker(workerFile, {
      workerData: place,
      // Not the options of the process, some of which no worker takes.
      execArgv: [],
      // What it reads is soon of no use: more room would only be filled.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    const lose = (cause?: unknown): void => {
      if (worker !== started) return;
      worker = undefined;
      const reason = cause instanceof Error ? `: ${cause.message}` : '';
      settle({ error: { message: `the thread that writes to it has ended${reason}`, code: '' } });
    };
    return started.on('message', settle).on('error', lose).on('exit', lose);
  };

  return {
    ask: (job) =>
      new Promise((resolve, reject) => {
        waiting = {
          settle(answer) {
            if ('error' in answer) reject(Object.assign(new Error(answer.error.message), answer.error));
            else resolve(answer);
          },
        };
        worker ??= start();
        worker.ref();
        worker.postMessage(job);
      }),
    async end() {
      const ending = worker;
      worker = undefined;
      await ending?.terminate();
    },
  };
}
