import type { IncomingMessage, ServerResponse } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Observer } from '../domain/ports.js';
import { isHttpJson } from './http-json-route.js';
import { isJsonRpc } from './json-rpc-route.js';

/** The path of the metrics, in Prometheus's text format. */
export const METRICS_PATH = '/metrics';

/** What the server counts, for whoever watches over it; no name, prompt or id of anyone is among it. */
export interface Metrics {
  /** Told by the engine and the store. */
  readonly observer: Observer;
  /** Counts a request when its response has ended. */
  request(request: IncomingMessage, response: ServerResponse): void;
  /** `size`: how many event streams are open. */
  watchStreams(streams: { readonly size: number }): void;
  serve(response: ServerResponse): Promise<void>;
}

/** Upper ends in seconds: a turn lasts up to an hour and more, a commit is over before one can look. */
const turnBuckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600];
const commitBuckets = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.05, 0.25, 1, 5];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const requests = new Counter({
    name: 'kedi_a2a_requests_total',
    help: 'Requests over HTTP, by what they were for and the status of the answer.',
    labelNames: ['route', 'status'] as const,
    registers,
  });
  const tasks = new Counter({
    name: 'kedi_a2a_tasks_total',
    help: 'Turns of tasks that came to an end, by agent and the state they left the task in.',
    labelNames: ['agent', 'state'] as const,
    registers,
  });
  const failures = new Counter({
    name: 'kedi_a2a_task_failures_total',
    help: 'Tasks that failed, by agent and code.',
    labelNames: ['agent', 'code'] as const,
    registers,
  });
  const refusals = new Counter({
    name: 'kedi_a2a_schema_refusals_total',
    help: 'Typed requests whose schema was refused, by code.',
    labelNames: ['code'] as const,
    registers,
  });
  const turns = new Histogram({
    name: 'kedi_a2a_turn_seconds',
    help: 'How long an agent ran for one turn.',
    labelNames: ['agent'] as const,
    buckets: turnBuckets,
    registers,
  });
  let queue = { running: 0, pending: 0 };
  new Gauge({
    name: 'kedi_a2a_turns_running',
    help: 'Turns that run now.',
    registers,
    collect() {
      this.set(queue.running);
    },
  });
  new Gauge({
    name: 'kedi_a2a_turns_pending',
    help: 'Turns that wait their turn.',
    registers,
    collect() {
      this.set(queue.pending);
    },
  });
  const entries = new Counter({
    name: 'kedi_a2a_log_entries_total',
    help: 'Entries appended to the logs of tasks.',
    registers,
  });
  const bytes = new Counter({
    name: 'kedi_a2a_log_bytes_total',
    help: 'Bytes appended to the logs of tasks.',
    registers,
  });
  const commits = new Histogram({
    name: 'kedi_a2a_commit_seconds',
    help: 'How long a transaction of the store took, by whether it succeeded.',
    labelNames: ['ok'] as const,
    buckets: commitBuckets,
    registers,
  });

  return {
    observer: {
      turnEnded({ agentKind: agent, state, code, seconds }) {
        tasks.inc({ agent, state });
        if (code !== undefined) failures.inc({ agent, code });
        if (code?.startsWith('SCHEMA_')) refusals.inc({ code });
        // A refused request runs no agent.
        if (seconds > 0) turns.observe({ agent }, seconds);
      },
      queueChanged(counts) {
        queue = counts;
      },
      appended(append) {
        entries.inc(append.entries);
        bytes.inc(append.bytes);
      },
      committed: ({ ok, seconds }) => commits.observe({ ok: String(ok) }, seconds),
    },
    request(request, response) {
      const route = routeOf(request);
      response.once('close', () => requests.inc({ route, status: response.statusCode }));
    },
    watchStreams(streams) {
      new Gauge({
        name: 'kedi_a2a_event_streams',
        help: 'Event streams that are open.',
        registers,
        collect() {
          this.set(streams.size);
        },
      });
    },
    async serve(response) {
      const text = await registry.metrics();
      response.writeHead(200, { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' });
      response.end(text);
    },
  };
}

/** A name for what a request is for; paths are the client's to choose, and there may be no end of them. */
export function routeOf(request: IncomingMessage): string {
  const { url = '' } = request;
  if (isJsonRpc(request)) return 'json-rpc';
  if (isHttpJson(request)) return 'http-json';
  if (url.startsWith('/api/v1/agent-output/')) return 'agent-output';
  if (url.startsWith('/api/v1/sessions')) return 'sessions';
  return url.startsWith('/.well-known/') ? 'card' : 'other';
}
