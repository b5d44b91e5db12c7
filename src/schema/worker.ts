import { parentPort } from 'node:worker_threads';
import { KediError } from '../domain/errors.js';
import { acceptSchema, weigh } from './accept.js';
import { createCache } from './cache.js';
import { type CompiledSchema, compileAccepted, type JudgingOptions } from './compile.js';
import { extractDocument } from './extract.js';
import type { Answer, Job } from './isolate.js';
import { isSchemaCode } from './refuse.js';
import { sample } from './sample.js';

/** Schemas compiled before, so that the documents of one schema pay for it once. */
const compiled = createCache<CompiledSchema>(8 * 1_024 * 1_024);

function answer(job: Job): Answer {
  switch (job.kind) {
    case 'extract':
      return { kind: 'extracted', found: extractDocument(job.prose) };
    case 'sample':
      return { kind: 'sampled', made: sample(job.schema) };
    case 'judge':
      return judge(job);
  }
}

function judge({ schema, document, options }: Extract<Job, { kind: 'judge' }>): Answer {
  try {
    const { check } = compile(schema, options);
    const verdict = document === undefined ? undefined : check(document);
    return verdict === undefined || verdict.ok ? { kind: 'valid' } : { kind: 'refused', verdict };
  } catch (error) {
    if (!(error instanceof KediError) || !isSchemaCode(error.code)) throw error;
    return { kind: 'not a schema', code: error.code, message: error.message, pointer: error.pointer ?? '' };
  }
}

function compile(schema: string, options: JudgingOptions): CompiledSchema {
  const key = JSON.stringify(options) + schema;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const accepted = acceptSchema(schema);
  const value = compileAccepted(accepted, options);
  compiled.set(key, { value, bytes: weigh(accepted) });
  return value;
}

parentPort?.on('message', (job: Job) => parentPort?.postMessage(answer(job)));
parentPort?.postMessage('ready');
