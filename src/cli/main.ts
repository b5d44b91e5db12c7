#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { failures, KediError } from '../domain/errors.js';
import { agentsCommand } from './agents.js';
import { callCommand } from './call.js';
import { cardCommand } from './card.js';
import { doctorCommand } from './doctor.js';
import { hashCommand } from './hash.js';
import { keygenCommand } from './keygen.js';
import { serveCommand } from './serve.js';

/** The version of this package, as its `package.json` has it. */
const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

const program = new Command('kedi-a2a')
  .description('Typed answers from any agent, over A2A 1.0.')
  .version(version)
  .showHelpAfterError('(--help shows what there is)')
  .addCommand(serveCommand())
  .addCommand(callCommand())
  .addCommand(cardCommand())
  .addCommand(agentsCommand())
  .addCommand(doctorCommand())
  .addCommand(hashCommand())
  .addCommand(keygenCommand());

// A reader that has seen enough, such as head, closes the pipe: nothing is left to say.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 141 : 1);
});

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`kedi-a2a: ${describe(error)}\n`);
  process.exitCode = error instanceof KediError ? failures[error.code].exit : 1;
}

/** A failure as a user reads it: its sentence, code, place and task; only what nobody foresaw shows where it came from. */
function describe(error: unknown): string {
  if (!(error instanceof KediError))
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  const { message, code, pointer, fields, info } = error;
  if (code === 'SETTINGS_INVALID') return message;
  const place = pointer === undefined ? '' : ` at ${pointer === '' ? '(root)' : pointer}`;
  const violations = fields.map(({ field, description }) => `\n  ${field}: ${description}`).join('');
  const { taskId } = info;
  const task = taskId === undefined || message.includes(taskId) ? '' : `\ntask: ${taskId}`;
  return `${message} (${code}${place})${violations}${task}`;
}
