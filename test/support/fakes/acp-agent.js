#!/usr/bin/env node
// An ACP agent without a model, for tests: it prints a banner, keeps its sessions in its working directory, never ends
// by itself, and does what its environment says:
//   FAKE_PROTOCOL  1 or 2 (the draft)
//   FAKE_FORMAT    it has the response format of the proposal, and answers with FAKE_DOCUMENT
//   FAKE_DOCUMENT  what it says to every prompt, in pieces
//   FAKE_LOG       a file that gets each line that it reads
//   FAKE_STOP      the reason with which it stops
//   FAKE_ERROR     the error with which it answers a prompt: its code
//   FAKE_ASK       the kind of tool call for which it asks permission; it then says what the answer was
//   FAKE_CALL      JSON of a request that it makes to its client; it then says what the answer was
//   FAKE_SLOW      it begins to answer, and goes on for ever, with a child that ignores TERM
//   FAKE_FORGETS   it cannot open a session again; 'unknown': it says so, only when it is asked
//   FAKE_LOGIN     it wants a login of that id first
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { env } = process;
const version = Number(env.FAKE_PROTOCOL ?? 1);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const waiting = new Map();
let asked = 0;
let loggedIn = env.FAKE_LOGIN === undefined;

process.stdout.write(
  '  Welcome to the agent!  \n{"level":"info","msg":"a line of JSON that is no message"}\n',
);
setInterval(() => {}, 60_000);

const call = (method, params) =>
  new Promise((resolve) => {
    asked += 1;
    waiting.set(`fake-${asked}`, resolve);
    send({ id: `fake-${asked}`, method, params });
  });
const update = (sessionId, change) =>
  send({ method: 'session/update', params: { sessionId, update: change } });
const say = (sessionId, text, messageId) => {
  for (const piece of text.match(/[\s\S]{1,9}/gu) ?? []) {
    const content = { type: 'text', text: piece };
    update(sessionId, { sessionUpdate: 'agent_message_chunk', content, messageId });
  }
};

const file = (sessionId) => `sessions/${sessionId}`;
const said = (sessionId) => readFileSync(file(sessionId), 'utf8').trim().split('\n').filter(Boolean);

function refuse(code, message) {
  throw Object.assign(new Error(message), { code });
}

function opened(sessionId) {
  if (env.FAKE_FORGETS !== undefined || !existsSync(file(sessionId))) refuse(-32002, 'Resource not found');
  for (const text of said(sessionId)) {
    update(sessionId, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text } });
    say(sessionId, `You said ${text}`, 'old');
  }
  return {};
}

const methods = {
  initialize: () => {
    const prompt = env.FAKE_FORMAT === undefined ? {} : { responseFormat: {} };
    const info = { name: 'fake', version: '1' };
    return version === 1
      ? {
          protocolVersion: 1,
          agentInfo: info,
          agentCapabilities: { loadSession: env.FAKE_FORGETS !== 'always', promptCapabilities: prompt },
        }
      : { protocolVersion: 2, info, capabilities: { session: { prompt } } };
  },
  authenticate: ({ methodId }) => {
    if (methodId !== env.FAKE_LOGIN) refuse(-32602, 'no such login');
    loggedIn = true;
    return {};
  },
  'session/new': () => {
    if (!loggedIn) refuse(-32000, 'Authentication required');
    const sessionId = randomUUID();
    mkdirSync('sessions', { recursive: true });
    appendFileSync(file(sessionId), '');
    return { sessionId };
  },
  'session/load': ({ sessionId }) => opened(sessionId),
  'session/resume': ({ sessionId }) => opened(sessionId),
  'session/prompt': prompt,
};

async function prompt({ sessionId, prompt: [{ text }] }) {
  if (env.FAKE_ERROR !== undefined) refuse(Number(env.FAKE_ERROR), 'the model failed');
  appendFileSync(file(sessionId), `${text.split('\n')[0]}\n`);
  if (version === 1) return { stopReason: await answer(sessionId) };
  setTimeout(async () => {
    update(sessionId, { sessionUpdate: 'state_update', state: 'running' });
    const stopReason = await answer(sessionId);
    update(sessionId, { sessionUpdate: 'state_update', state: 'idle', stopReason });
  });
  return { messageId: randomUUID() };
}

async function answer(sessionId) {
  const messageId = randomUUID();
  const warning = { type: 'text', text: '**Warning:** this is none of the answer.' };
  const _meta = { claudeCode: { kind: 'informational' } };
  update(sessionId, { sessionUpdate: 'agent_message_chunk', content: warning, _meta });
  if (env.FAKE_SLOW !== undefined) {
    spawn('sh', ['-c', 'trap "" TERM; sleep 600 & wait; sleep 600'], { stdio: 'ignore' });
    process.on('SIGTERM', () => {});
    say(sessionId, 'It begins', messageId);
    await new Promise(() => {});
  }
  if (env.FAKE_ASK !== undefined) {
    const options = ['allow_always', 'allow_once', 'reject_once'].map((kind) => ({
      optionId: kind,
      kind,
      name: kind,
    }));
    const toolCall = { toolCallId: 'call-1', title: 'Do it', kind: env.FAKE_ASK, status: 'pending' };
    const subject = { type: 'tool_call', toolCall };
    const request = version === 1 ? { toolCall } : { title: 'Do it', subject };
    const { result } = await call('session/request_permission', { sessionId, options, ...request });
    say(sessionId, JSON.stringify(result), messageId);
  } else if (env.FAKE_CALL !== undefined) {
    const { method, params } = JSON.parse(env.FAKE_CALL);
    const { result, error } = await call(method, { sessionId, ...params });
    say(sessionId, JSON.stringify(result ?? error), messageId);
  } else say(sessionId, env.FAKE_DOCUMENT ?? said(sessionId).join(' | '), messageId);
  return env.FAKE_STOP ?? 'end_turn';
}

for await (const line of createInterface({ input: process.stdin })) {
  if (env.FAKE_LOG !== undefined) appendFileSync(env.FAKE_LOG, `${line}\n`);
  const { id, method, params, ...rest } = JSON.parse(line);
  if (method === undefined) waiting.get(id)?.(rest);
  else if (id !== undefined) {
    const handler = methods[method] ?? (() => refuse(-32601, 'Method not found'));
    Promise.resolve()
      .then(() => handler(params))
      .then((result) => send({ id, result }))
      .catch(({ code = -32603, message }) => send({ id, error: { code, message } }));
  }
}
