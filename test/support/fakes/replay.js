#!/usr/bin/env node
// Stands in for an agent program: prints recorded lines, as and when the program did, and then ends or does not.
// What it does is told by its environment:
//   REPLAY          a file of recorded lines
//   REPLAY_LINES    how many of them, from the first
//   REPLAY_STDERR   what it writes to stderr
//   REPLAY_EXIT     its exit code
//   REPLAY_THEN     'end', 'hang' (until it is ended) or 'stubborn' (ignores TERM, and has a child that does too)
//   REPLAY_LOG      a file that gets one JSON line a run: arguments, working directory, stdin
//   REPLAY_UNKNOWN  a file of lines to print instead where its arguments have `--resume` or `resume`
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';

const { env, argv } = process;
const args = argv.slice(2);
const stdin = (await buffer(process.stdin)).toString();
if (env.REPLAY_LOG !== undefined) {
  appendFileSync(env.REPLAY_LOG, `${JSON.stringify({ args, cwd: process.cwd(), stdin, env })}\n`);
}

if (env.REPLAY_THEN === 'stubborn') {
  process.on('SIGTERM', () => {});
  spawn('sh', ['-c', 'trap "" TERM; sleep 600 & wait; sleep 600'], { stdio: 'ignore' });
}

const resumes = args.includes('--resume') || args.includes('resume');
const unknown = resumes && env.REPLAY_UNKNOWN !== undefined;
const file = unknown ? env.REPLAY_UNKNOWN : env.REPLAY;
const recorded = file === undefined ? '' : readFileSync(file, 'utf8');
const lines = recorded.split('\n').slice(0, Number(env.REPLAY_LINES ?? Number.MAX_SAFE_INTEGER));
// In blocks of odd length, so that lines and characters are cut.
const bytes = Buffer.from(lines.join('\n'));
for (let at = 0; at < bytes.length; at += 997) writeSync(1, bytes.subarray(at, at + 997));
if (env.REPLAY_STDERR !== undefined) writeSync(2, env.REPLAY_STDERR);

if (env.REPLAY_THEN === 'hang' || env.REPLAY_THEN === 'stubborn') setInterval(() => {}, 60_000);
else process.exitCode = unknown ? 1 : Number(env.REPLAY_EXIT ?? 0);
