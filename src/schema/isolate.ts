import { Worker } from 'node:worker_threads';
import { KediError } from '../domain/errors.js';
import type { Verdict } from '../domain/schema.js';
import { type JudgingOptions, tooCostly } from './compile.js';
import { storedJson } from './document.js';
import type { extractDocument } from './extract.js';
import type { SchemaCode } from './refuse.js';
import type { sample } from './sample.js';

/** What the worker is asked; every job stands for itself. */
export type Job =
  /** To judge a document, or only whether the schema is one. */
  | {
      readonly kind: 'judge';
      readonly schema: string;
      readonly document: string | undefined;
      readonly options: JudgingOptions;
    }
  /** To find the document in an agent's prose. */
  | { readonly kind: 'extract'; readonly prose: string }
  /** To make a document that is valid by a schema. */
  | { readonly kind: 'sample'; readonly schema: string };

/** What it answers; a verdict comes without the document, which its asker has. */
export type Answer =
  | { readonly kind: 'valid' }
  | { readonly kind: 'refused'; readonly verdict: Extract<Verdict, { ok: false }> }
  | {
      readonly kind: 'not a schema';
      readonly code: SchemaCode;
      readonly message: string;
      readonly pointer: string;
    }
  | { readonly kind: 'extracted'; readonly found: Extraction }
  | { readonly kind: 'sampled'; readonly made: Sample };

/** What `extractDocument` finds. */
type Extraction = ReturnType<typeof extractDocument>;

/** What `sample` makes. */
type Sample = ReturnType<typeof sample>;

/** Judges in a thread of its own, where a regular expression may hang without harm to anybody else. */
export interface Isolate {
  /** Throws KediError `SCHEMA_…` if the schema is refused, or takes too long to compile. */
  compile(schema: string, options: JudgingOptions): Promise<void>;
  /** `milliseconds`: how long it may take beyond reading; by default what is right for a schema that may hang. */
  check(
    schema: string,
    how: { readonly document: string; readonly options: JudgingOptions; readonly milliseconds?: number },
  ): Promise<Verdict>;
  extract(prose: string): Promise<Extraction>;
  sample(schema: string): Promise<Sample>;
  close(): Promise<void>;
}

/** For what may hang: two blinks of an eye. */
const briefly = 400;

/** For what tries many things, each of them bounded. */
const patiently = 5_000;

/** And more for a text that takes long merely to read. */
const readingTime = (text: string): number => text.length / 2_048;

/** Run from its sources, as in tests, the program finds the worker where the build has put it. */
const workerFile = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/schema/worker.js' : './worker.js',
  import.meta.url,
);

/**
 * One worker with one job at a time, and a spare that is warm already: a worker that takes too long, or too much memory,
 * is killed with its job alone, and the next job goes to the spare. Threads are started when the first job comes, and
 * keep the process alive only while somebody waits for them. The memory of each is enough for a document of 8 MiB that
 * is nothing but small objects.
 */
export function createIsolate({ megabytes = 1_024 }: { readonly megabytes?: number } = {}): Isolate {
  const queue: Pending[] = [];
  let threads: Thread[] = [];
  let current: Pending | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function run(job: Job, milliseconds: number): Promise<Answer | 'too costly'> {
    if (isClosed) return Promise.reject(new KediError('INTERNAL', 'The judge of schemas is closed.'));
    return new Promise((resolve, reject) => {
      queue.push({ job, milliseconds, resolve, reject });
      dispatch();
    });
  }

  function dispatch(): void {
    if (current !== undefined || queue.length === 0) return;
    while (threads.length < 2) threads.push(start());
    const [thread] = threads;
    thread?.worker.ref();
    if (!thread?.isReady) return;
    current = queue.shift();
    if (current === undefined) return;
    timer = setTimeout(() => giveUp(thread), current.milliseconds);
    thread.worker.postMessage(current.job);
  }

  function finish(): Pending | undefined {
    const done = current;
    current = undefined;
    clearTimeout(timer);
    return done;
  }

  function start(): Thread {
    const worker = new Worker(workerFile, {
      // Not those of the process, some of which no worker takes.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: megabytes },
    });
    const thread: Thread = { worker, isReady: false };
    worker.on('message', (message: Answer | 'ready') => {
      // What a thread says that was given up already is not about the present job.
      if (!threads.includes(thread)) return;
      if (message === 'ready') thread.isReady = true;
      else {
        worker.unref();
        finish()?.resolve(message);
      }
      dispatch();
    });
    worker.on('error', (error) => lose(thread, error));
    worker.on('exit', () => lose(thread, undefined));
    // Only now: listening to messages would undo it.
    worker.unref();
    return thread;
  }

  function giveUp(thread: Thread): void {
    threads = threads.filter((other) => other !== thread);
    void thread.worker.terminate();
    finish()?.resolve('too costly');
    dispatch();
  }

  /** A thread has ended by itself. One that never came up would not the next time either: whoever waits is told. */
  function lose(thread: Thread, error: unknown): void {
    if (!threads.includes(thread)) return;
    const wasFirst = threads[0] === thread;
    threads = threads.filter((other) => other !== thread);
    const failure = new KediError('INTERNAL', 'The worker that judges schemas has ended.', { cause: error });
    if (wasFirst && !thread.isReady) for (const { reject } of queue.splice(0)) reject(failure);
    if (wasFirst && isOutOfMemory(error)) finish()?.resolve('too costly');
    else if (wasFirst) finish()?.reject(failure);
    dispatch();
  }

  return {
    async compile(schema, options) {
      const answer = await run({ kind: 'judge', schema, document: undefined, options }, briefly);
      if (answer === 'too costly') throw new KediError('SCHEMA_TOO_COSTLY', tooLong, { pointer: '' });
      if (answer.kind === 'not a schema') throw notASchema(answer);
    },
    async check(schema, { document, options, milliseconds = briefly }) {
      const job = { kind: 'judge', schema, document, options } as const;
      const answer = await run(job, milliseconds + readingTime(document));
      if (answer === 'too costly') return tooCostly('judging it takes too long or too much memory');
      if (answer.kind === 'not a schema') throw notASchema(answer);
      return answer.kind === 'refused' ? answer.verdict : { ok: true, json: storedJson(document.trim()) };
    },
    async extract(prose) {
      const answer = await run({ kind: 'extract', prose }, briefly + readingTime(prose));
      if (answer !== 'too costly' && answer.kind === 'extracted') return answer.found;
      return {
        ok: false,
        reason: 'Finding a JSON document in the answer takes too long or too much memory.',
      };
    },
    async sample(schema) {
      const answer = await run({ kind: 'sample', schema }, patiently);
      if (answer !== 'too costly' && answer.kind === 'sampled') return answer.made;
      return { ok: false, reason: 'Making a sample for this schema takes too long or too much memory.' };
    },
    async close() {
      isClosed = true;
      const ended = threads;
      threads = [];
      const failure = new KediError('INTERNAL', 'The judge of schemas was closed before it had judged.');
      for (const pending of [finish(), ...queue.splice(0)]) pending?.reject(failure);
      await Promise.all(ended.map(({ worker }) => worker.terminate()));
    },
  };
}

interface Pending {
  readonly job: Job;
  readonly milliseconds: number;
  resolve(answer: Answer | 'too costly'): void;
  reject(error: KediError): void;
}

interface Thread {
  readonly worker: Worker;
  isReady: boolean;
}

const tooLong = 'Compiling the schema takes too long or too much memory.';

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

const notASchema = ({ code, message, pointer }: Extract<Answer, { kind: 'not a schema' }>): KediError =>
  new KediError(code, message, { pointer });
