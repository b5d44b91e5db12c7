import type { ServerResponse } from 'node:http';
import type { ContextRecord } from '../domain/ports.js';
import { type Entry, isTerminal, type TaskRecord } from '../domain/task.js';
import { stateNames } from '../protocol/a2a-states.js';
import { CHAT_PATH } from '../protocol/agent-output.js';
import { RAW_PATH } from '../protocol/raw-output.js';
import { sendJson } from './answer.js';
import type { ChatExchange, ChatSurroundings } from './chat-exchange.js';
import { sendProblem } from './problem.js';
import { countParameter, parameter, readTarget } from './query.js';

type SourceOf = ChatSurroundings['sourceOf'];

/** `GET /api/v1/sessions`: the caller's contexts, the one with the newest change first. */
export async function serveSessions(exchange: ChatExchange): Promise<undefined> {
  const { request, response, caller, log } = exchange;
  const { limit, page } = readPage(readTarget(request));
  const { contexts, total, next } = await log.contexts({ principal: caller.principal, limit, page });
  const sessions = await Promise.all(contexts.map((context) => sessionOf(context, exchange)));
  return send(response, { sessions, total, next_page: next ?? null });
}

/** `GET /api/v1/sessions/{id}`: one context with its tasks, newest change first. */
export async function serveSession(exchange: ChatExchange): Promise<undefined> {
  const { request, response, caller, log, sourceOf } = exchange;
  const target = readTarget(request);
  const { limit, page } = readPage(target);
  const { principal, requestId } = caller;
  const contextId = lastSegment(target);
  const { contexts } = await log.contexts({ principal, contextId, limit: 1 });
  const [context] = contexts;
  if (context === undefined) {
    const detail = 'There is no such session, or no longer.';
    sendProblem(response, { status: 404, detail, requestId });
    return undefined;
  }
  const { records, total, next } = await log.list({ principal, contextId, limit, page });
  return send(response, {
    ...(await sessionOf(context, exchange)),
    commands: records.map((record) => commandOf(record, sourceOf)),
    total,
    next_page: next ?? null,
  });
}

async function sessionOf(context: ContextRecord, { log, sourceOf }: ChatSurroundings) {
  const { contextId, createdAt, updatedAt, tasks, latest } = context;
  return {
    session_id: contextId,
    title: titleOf(await log.opening(latest)),
    command_count: tasks,
    created_at_ms: createdAt,
    updated_at_ms: updatedAt,
    // What a client of one command a session looks at: the one opened last.
    command_id: latest.taskId,
    ...outputOf(latest, sourceOf),
  };
}

const titleLength = 80;

/** The first words of what was asked last, on one line; empty where it was no text. */
function titleOf(opening: Entry | undefined): string {
  const parts = opening?.type === 'message' ? opening.message.parts : [];
  const words = parts.flatMap((part) => (part.kind === 'text' ? [part.text.slice(0, 1_000)] : [])).join(' ');
  const line = words.replace(/\s+/g, ' ').trim();
  return line.length > titleLength ? `${[...line].slice(0, titleLength).join('')}…` : line;
}

function commandOf(record: TaskRecord, sourceOf: SourceOf) {
  return {
    command_id: record.taskId,
    created_at_ms: record.createdAt,
    updated_at_ms: record.updatedAt,
    structured: record.structured,
    ...outputOf(record, sourceOf),
  };
}

function outputOf({ taskId, state, agentKind }: TaskRecord, sourceOf: SourceOf) {
  const query = `?command_id=${encodeURIComponent(taskId)}`;
  return {
    state: stateNames[state],
    terminal: isTerminal(state),
    agent: agentKind,
    chat_source: sourceOf(agentKind) ?? 'none',
    chat_stream_url: `${CHAT_PATH}${query}`,
    output_stream_url: `${RAW_PATH}${query}`,
  };
}

function readPage(target: URL): { readonly limit: number; readonly page: string | undefined } {
  return {
    limit: countParameter(target, 'limit', { from: 1, to: 100 }) ?? 50,
    page: parameter(target, 'page'),
  };
}

/** Undecodable escapes name no session, so they are left as they are. */
function lastSegment({ pathname }: URL): string {
  const segment = pathname.slice(pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function send(response: ServerResponse, value: unknown): undefined {
  sendJson(response, 200, JSON.stringify(value), { 'Cache-Control': 'no-store' });
}
