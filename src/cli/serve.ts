import { Command, Option } from 'commander';
import { SECRET_VARIABLE } from '../server/auth/read-auth.js';
import { createLogger } from '../server/logger.js';
import { isLoopback } from '../server/loopback.js';
import { readSettings, unknownVariables } from '../server/read-settings.js';
import type { Settings } from '../server/settings.js';
import { write } from './output.js';
import { addSettingOptions, settingFlags } from './setting-options.js';
import { interruption } from './signals.js';

/** `kedi-a2a serve`: an agent as an A2A server, until it is told to stop. */
export const serveCommand = (): Command =>
  addSettingOptions(
    new Command('serve')
      .description(
        'Serve an agent over A2A 1.0. When it is ready, one line on stdout says where; logs are on stderr.',
      )
      .addOption(
        new Option('--config <FILE>', 'JSON file of settings, each under the camelCase name of its flag'),
      ),
  )
    .addHelpText('after', precedence)
    .action((flags: Readonly<Record<string, unknown>>) => serve(flags));

const precedence = `
Every flag may also be an environment variable (--max-body: KEDI_A2A_MAX_BODY) or a key of the config file
("maxBody"); a flag wins, then the environment, then the file. Sizes are bytes or have a unit (64KiB, 1MiB), times
always have one (500ms, 30s, 5m, 1h, 7d). The first SIGTERM or SIGINT ends the server in order, the second at once.`;

async function serve(flags: Readonly<Record<string, unknown>>): Promise<void> {
  const { env } = process;
  const settings = readSettings({
    flags: settingFlags(flags),
    env,
    directory: process.cwd(),
    ...(typeof flags.config === 'string' && { config: flags.config }),
  });
  const logger = createLogger({ sink: process.stderr, level: settings.logLevel, format: settings.logFormat });
  for (const sentence of unknownVariables(env, [SECRET_VARIABLE])) logger.warn(sentence);
  const { signal, release } = interruption();
  try {
    // Only now, so that other commands and a refusal need not wait for all of the server to load.
    const { startServer } = await import('../server/start.js');
    const server = await startServer(settings, { logger, env });
    try {
      if (settings.auth === 'none' && !settings.allowUnauthenticated) logger.warn(unauthenticated(settings));
      logger.info('listening', { url: server.url, agent: server.agentKind.kind, dataDir: settings.dataDir });
      await write(process.stdout, `listening on ${server.url}\n`);
      if (env.npm_lifecycle_event === 'start' || process.stderr.isTTY === true) {
        await write(process.stderr, invitation(server.url));
      }
      await aborted(signal);
      logger.info('stopping', { reason: String(signal.reason?.message), graceMs: settings.grace });
    } finally {
      await server.close();
    }
    logger.info('stopped');
  } finally {
    release();
  }
}

const unauthenticated = ({ publicUrl }: Settings): string =>
  publicUrl === undefined || isLoopback(new URL(publicUrl).hostname)
    ? 'whoever can reach this port can use the agent; --allow-unauthenticated says that this is meant'
    : `whoever can reach ${publicUrl} can use the agent, since this server asks for no credentials`;

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** A typed call to paste. */
const invitation = (url: string): string => `
Ask for a typed answer from another terminal:

  npx kedi-a2a call ${url} 'Describe a cat.' --schema '{"type":"object","properties":{"name":{"type":"string"},"lives":{"type":"integer","minimum":1,"maximum":9}},"required":["name","lives"],"additionalProperties":false}'

Its card: ${url}/.well-known/agent-card.json
`;
