#!/usr/bin/env node
// Stands in for `claude` or `codex` (REMEMBER says which): keeps what it was asked in each session in its working
// directory, and answers with all of it.
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

const args = process.argv.slice(2);
const prompt = await text(process.stdin);
const after = (flag) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

const resumed = after('--resume') ?? after('resume');
const session = resumed ?? after('--session-id') ?? randomUUID();
mkdirSync('sessions', { recursive: true });
const file = `sessions/${session}`;
const known = existsSync(file);
if (resumed === undefined || known) appendFileSync(file, `${prompt}\n`);
const all = () => readFileSync(file, 'utf8').trim().split('\n').join(' | ');

if (process.env.REMEMBER === 'claude') {
  const line = { session_id: session, parent_tool_use_id: null };
  if (resumed !== undefined && !known) {
    const errors = [`No conversation found with session ID: ${session}`];
    say({ type: 'result', subtype: 'error_during_execution', is_error: true, errors, ...line });
    process.exitCode = 1;
  } else {
    say({ type: 'system', subtype: 'init', ...line });
    const content = [{ type: 'text', text: all() }];
    say({ type: 'assistant', message: { id: 'msg_1', role: 'assistant', model: 'fake', content }, ...line });
    say({ type: 'result', subtype: 'success', is_error: false, result: all(), ...line });
  }
} else if (resumed !== undefined && !known) {
  process.stderr.write(`Error: thread/resume failed: no rollout found for thread id ${session}\n`);
  process.exitCode = 1;
} else {
  say({ type: 'thread.started', thread_id: session });
  say({ type: 'turn.started' });
  say({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: all() } });
  say({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } });
}
