import { parentPort, workerData } from 'node:worker_threads';
import { findProtobufLoss } from './protobuf-value.js';

parentPort?.postMessage(findProtobufLoss(workerData));
