import { findAgentKind, readAgentOptions } from '../agents/index.js';
import type { AgentKind } from '../domain/agent.js';
import { KediError } from '../domain/errors.js';
import type { Logger } from '../domain/ports.js';
import { createEngine } from '../engine/index.js';
import { createJudge } from '../schema/index.js';
import { openStore } from '../store/index.js';
import { shortestToken } from './auth/hash.js';
import { createAuthentication } from './auth/index.js';
import { isGuessable, readAuth } from './auth/read-auth.js';
import { createServer } from './index.js';
import { createMetrics } from './metrics.js';
import { createRedaction } from './secrets.js';
import type { Settings } from './settings.js';
import { asksForTraces, createTracing } from './tracing.js';

/** A server that runs. */
export interface RunningServer {
  /** `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly agentKind: AgentKind;
  /** No new work; running tasks get the grace of the settings, then are canceled; everything started is freed. */
  close(): Promise<void>;
}

/**
 * Makes all parts of a server from its settings and listens. What is wrong with the settings or the agent's options is
 * told before the port is bound, and whatever was started by then is freed again: KediError SETTINGS_INVALID,
 * STORE_UNAVAILABLE, or whatever the agent's kind throws.
 */
export async function startServer(
  settings: Settings,
  {
    logger,
    env,
    agentKind = findAgentKind(settings.agent),
    heartbeatMs,
  }: {
    readonly logger: Logger;
    /** From which the agent takes what its documentation names. */
    readonly env: Readonly<Record<string, string | undefined>>;
    /** An agent that is not in the registry; its options are those of the settings. */
    readonly agentKind?: AgentKind;
    /** How often a silent stream shows that it is alive, 15 seconds unless said. */
    readonly heartbeatMs?: number;
  },
): Promise<RunningServer> {
  const { json, directory } = settings.agentOptions;
  const agentOptions = readAgentOptions(agentKind, json);
  const auth = readAuth(settings, env);
  if (auth !== undefined && isGuessable(auth)) {
    logger.warn(`the secret is short and may be guessed: a token has at least ${shortestToken} characters`);
  }
  const authentication = auth && (await createAuthentication(auth));
  const metrics = createMetrics();
  const { observer } = metrics;
  const tracing = asksForTraces(env) ? await createTracing() : undefined;
  const started = openStack(logger);
  if (tracing !== undefined) started.push('the traces', tracing.close);
  try {
    const agent = await agentKind.create(agentOptions, {
      env,
      directory,
      warn: (message) => logger.warn(message),
    });
    started.push('the agent', () => agent.close?.());
    const store = await openStore({
      directory: settings.dataDir,
      durability: settings.durability,
      database: readDatabase(settings, env),
      retention: {
        tasks: settings.tasksRetained,
        ageMs: settings.taskAge,
        idleSessionMs: settings.sessionIdle,
      },
      logger,
      observer,
    });
    started.push('the store', () => store.close());
    const judge = createJudge({
      assertFormats: settings.assertFormats,
      documentBytes: settings.maxResult,
    });
    started.push('the judge of schemas', () => judge.close());
    const engine = createEngine({
      log: store.log,
      sessions: store.sessions,
      agent,
      agentKind: agentKind.kind,
      judge,
      attempts: settings.attempts,
      stderr: settings.agentStderr === 'on' ? 'keep' : 'drop',
      redact: createRedaction(env, agentOptions),
      bounds: {
        promptBytes: settings.maxPrompt,
        resultBytes: settings.maxResult,
        logBytes: settings.maxLog,
        concurrency: settings.concurrency,
        pending: settings.pending,
        turnMs: settings.taskTimeout,
        perPrincipal: settings.principalTasks === 0 ? Number.POSITIVE_INFINITY : settings.principalTasks,
      },
      logger,
      observer,
      tracing,
    });
    const interrupted = await engine.recover();
    if (interrupted > 0)
      logger.warn('tasks were cut off when the server before this one ended', { interrupted });
    const server = createServer({
      settings,
      agentKind,
      agentOptions,
      engine,
      store,
      judge,
      logger,
      authentication,
      metrics,
      tracing,
      heartbeatMs,
    });
    started.push('the server', () => server.close());
    const { url } = await server.listen();
    return { url, agentKind, close: started.close };
  } catch (error) {
    await started.close();
    throw error;
  }
}

/** Where the store is if not in the data directory. The URL has a password in it, so the settings only name its variable. */
function readDatabase(
  { databaseUrlEnv }: Settings,
  env: Readonly<Record<string, string | undefined>>,
): { readonly url: string } | undefined {
  if (databaseUrlEnv === undefined) return undefined;
  const url = env[databaseUrlEnv] ?? '';
  if (/^postgres(ql)?:\/\//.test(url)) return { url };
  // Not what it holds, which may be a secret that was put into the wrong place.
  const sentence = `--database-url-env: ${databaseUrlEnv} must hold a URL that begins with postgres://.`;
  throw new KediError('SETTINGS_INVALID', sentence);
}

/** What was started, to be freed in the opposite order; one that fails to close does not keep the others open. */
function openStack(logger: Logger) {
  const closers: { readonly what: string; readonly close: () => Promise<void> | undefined }[] = [];
  return {
    push: (what: string, close: () => Promise<void> | undefined): void => {
      closers.push({ what, close });
    },
    close: async (): Promise<void> => {
      for (let last = closers.pop(); last !== undefined; last = closers.pop()) {
        try {
          await last.close();
        } catch (error) {
          const cause = error instanceof KediError ? error.message : String(error);
          logger.error(`${last.what} could not be closed`, { cause });
        }
      }
    },
  };
}
