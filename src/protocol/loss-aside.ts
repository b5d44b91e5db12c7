import { Worker } from 'node:worker_threads';
import { KediError } from '../domain/errors.js';
import type { JsonText } from '../domain/json.js';
import { findHiddenLoss } from './parsed-form.js';
import { findProtobufLoss, type Loss } from './protobuf-value.js';

/** Run from its sources, as in tests, the program finds the worker where the build has put it. */
const workerFile = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/protocol/loss-worker.js' : './loss-worker.js',
  import.meta.url,
);

/** What is looked for: a loss on the way through protobuf, or one that a harness's parser may have hidden. */
export type LossJob =
  | { readonly kind: 'protobuf'; readonly document: JsonText }
  | { readonly kind: 'parsed'; readonly document: string; readonly schema: string };

/** Of a larger document the search takes longer than others should have to wait. */
const longestInline = 65_536;

/** As `findProtobufLoss` and `findHiddenLoss`; for a large document in a thread of its own, which ends with it. */
export async function findLoss(job: LossJob): Promise<Loss | undefined> {
  if (job.document.length > longestInline) return findLossAside(job);
  return job.kind === 'protobuf' ? findProtobufLoss(job.document) : findHiddenLoss(job.document, job.schema);
}

function findLossAside(job: LossJob): Promise<Loss | undefined> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile, { workerData: job });
    const fail = (cause: unknown): void =>
      reject(new KediError('INTERNAL', 'The worker that looks for losses has ended.', { cause }));
    worker.once('message', resolve);
    worker.once('error', fail);
    // After an answer this changes nothing.
    worker.once('exit', fail);
  });
}
