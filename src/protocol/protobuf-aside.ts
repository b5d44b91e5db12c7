import { Worker } from 'node:worker_threads';
import { KediError } from '../domain/errors.js';
import type { JsonText } from '../domain/json.js';
import type { Loss } from './protobuf-value.js';

/** Run from its sources, as in tests, the program finds the worker where the build has put it. */
const workerFile = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/protocol/protobuf-worker.js' : './protobuf-worker.js',
  import.meta.url,
);

/** As `findProtobufLoss`, in a thread of its own, which ends with it: for documents that are large. */
export function findProtobufLossAside(document: JsonText): Promise<Loss | undefined> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile, { workerData: document });
    const fail = (cause: unknown): void =>
      reject(new KediError('INTERNAL', 'The worker that tries protobuf has ended.', { cause }));
    worker.once('message', resolve);
    worker.once('error', fail);
    // After an answer this changes nothing.
    worker.once('exit', fail);
  });
}
