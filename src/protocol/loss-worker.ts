import { parentPort, workerData } from 'node:worker_threads';
import type { LossJob } from './loss-aside.js';
import { findHiddenLoss } from './parsed-form.js';
import { findProtobufLoss } from './protobuf-value.js';

const job: LossJob = workerData;

parentPort?.postMessage(
  job.kind === 'protobuf' ? findProtobufLoss(job.document) : findHiddenLoss(job.document, job.schema),
);
