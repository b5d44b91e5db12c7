import { RequestError } from '@agentclientprotocol/sdk';
import { KediError } from '../../domain/errors.js';
import { isShape, type Shape, shapeAt, shapesAt, textAt } from '../kit/json-line.js';
import type { AcpSettings } from './options.js';
import type { Peer } from './peer.js';

/** The way by which one request's schema goes to the agent, and its document comes back. */
export type SchemaWay = 'none' | 'format' | 'metadata' | 'claude-lines' | 'instruction';

export interface Opened {
  readonly sessionId: string;
  /** The conversation that was asked for is not known to the agent; this is a new one. */
  readonly lost: boolean;
  readonly way: SchemaWay;
}

export interface Opening {
  readonly settings: AcpSettings;
  readonly typed: boolean;
  readonly session: string | undefined;
  readonly cwd: string;
  /** `_meta` of the session, for a way that was chosen. */
  readonly sessionMeta: (way: SchemaWay) => Shape | undefined;
  /** The agent's answer to our introduction, as it came. */
  readonly introduction: () => Shape;
  /** Called before a session is loaded. */
  readonly replays: () => void;
  readonly signal: AbortSignal;
}

/** How long a program may take until its session is open; the slowest was seen to take eleven seconds. */
const openMs = 120_000;

/** Introduces us, logs in, opens the session (the one before, if there is one) and sets it as the operator wants it. */
export async function openConversation(peer: Peer, opening: Opening): Promise<Opened> {
  // A timer of our own: on Node 20 a signal made by AbortSignal.any forgets the AbortSignal.timeout that it was made of.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), openMs);
  try {
    return await open(peer, { ...opening, signal: AbortSignal.any([opening.signal, late.signal]) });
  } catch (cause) {
    opening.signal.throwIfAborted();
    if (!late.signal.aborted) throw cause;
    const message = `${opening.settings.program.bin} did not open a session of ACP within ${openMs / 1_000} seconds.`;
    throw new KediError('AGENT_UNAVAILABLE', message, { cause });
  } finally {
    clearTimeout(timer);
  }
}

async function open(peer: Peer, opening: Opening): Promise<Opened> {
  const { settings, session, signal } = opening;
  const capabilities = await introduce(peer, opening);
  if (settings.login !== undefined) {
    const method = settings.version === 1 ? 'authenticate' : 'auth/login';
    await peer.request(method, { methodId: settings.login }, signal);
  }
  const way = chooseWay(capabilities, opening);
  const resumed =
    session === undefined ? undefined : await resume(peer, { ...opening, session, way, capabilities });
  const opened = resumed ?? (await begin(peer, { ...opening, way }));
  const sessionId = resumed === undefined ? textAt(opened, 'sessionId') : session;
  if (sessionId === undefined)
    throw new KediError('AGENT_FAILED', 'The agent opened a session without an id.');
  await setSession(peer, { sessionId, opened, settings, signal });
  return { sessionId, lost: session !== undefined && resumed === undefined, way };
}

async function introduce(peer: Peer, { settings, introduction, signal }: Opening): Promise<Shape> {
  const { version, files, terminal } = settings;
  const fs = { readTextFile: files !== 'off', writeTextFile: files === 'write' };
  const info = { name: 'kedi-a2a', title: 'Kedi A2A server', version: '1' };
  const said =
    version === 1 ? { clientInfo: info, clientCapabilities: { fs, terminal } } : { info, capabilities: {} };
  const answer = await peer.request('initialize', { protocolVersion: version, ...said }, signal);
  if (answer.protocolVersion !== version) {
    const speaks = `${settings.program.bin} speaks version ${answer.protocolVersion} of ACP, not ${version}`;
    throw new KediError('AGENT_UNAVAILABLE', `${speaks}: see the option "protocol".`);
  }
  return shapeAt(introduction(), version === 1 ? 'agentCapabilities' : 'capabilities');
}

/** The proposal puts the capability in the tree of v2; in v1 the prompt's capabilities have a tree of their own. */
function chooseWay(capabilities: Shape, { settings, typed }: Opening): SchemaWay {
  if (!typed) return 'none';
  const prompt =
    settings.version === 1
      ? shapeAt(capabilities, 'promptCapabilities')
      : shapeAt(shapeAt(capabilities, 'session'), 'prompt');
  if (settings.structured !== 'instruction') {
    if (isShape(prompt.responseFormat)) return 'format';
    if (settings.metadata !== undefined)
      return settings.metadata.claudeLines === true ? 'claude-lines' : 'metadata';
  }
  if (settings.structured !== 'native') return 'instruction';
  throw new KediError(
    'UNSUPPORTED',
    'This agent has no way of its own to answer by a schema, and the option "structured" allows no other.',
  );
}

type Session = Opening & { readonly way: SchemaWay };

const sessionParams = ({ settings, cwd, sessionMeta, way }: Session): Shape => {
  const meta = sessionMeta(way);
  return { cwd, mcpServers: settings.mcpServers, ...(meta === undefined ? {} : { _meta: meta }) };
};

async function begin(peer: Peer, session: Session): Promise<Shape> {
  try {
    return await peer.request('session/new', sessionParams(session), session.signal);
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== authRequired) throw error;
    const { bin } = session.settings.program;
    throw new KediError(
      'AGENT_UNAVAILABLE',
      `${bin} is not logged in: log in with it, or set the option "login".`,
      {
        cause: error,
      },
    );
  }
}

/** JSON-RPC code of ACP for a login that is missing. */
export const authRequired = -32_000;

/** The session of before; undefined where the agent cannot open one again, or does not know it any more. */
async function resume(
  peer: Peer,
  session: Session & { readonly session: string; readonly capabilities: Shape },
): Promise<Shape | undefined> {
  const { settings, capabilities, signal } = session;
  const resumes = settings.version === 2 || isShape(shapeAt(capabilities, 'sessionCapabilities').resume);
  if (!resumes && capabilities.loadSession !== true) return undefined;
  const method = resumes ? 'session/resume' : 'session/load';
  session.replays();
  try {
    return await peer.request(method, { sessionId: session.session, ...sessionParams(session) }, signal);
  } catch (error) {
    // Whatever it says of a session that it does not know, a new one can be begun.
    if (error instanceof RequestError && error.code !== authRequired) return undefined;
    throw error;
  }
}

async function setSession(
  peer: Peer,
  {
    sessionId,
    opened,
    settings,
    signal,
  }: {
    readonly sessionId: string;
    readonly opened: Shape;
    readonly settings: AcpSettings;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const options = shapesAt(opened, 'configOptions').map(([option]) => option);
  const setOption = (configId: string, value: string): Promise<Shape> =>
    peer.request('session/set_config_option', { sessionId, configId, value }, signal);
  const byCategory = (category: string): string | undefined => {
    const found = options.find((option) => option.category === category);
    return found === undefined ? undefined : textAt(found, 'id');
  };

  const { mode, model, config } = settings;
  if (mode !== undefined) {
    const modes = shapesAt(shapeAt(opened, 'modes'), 'availableModes').map(([each]) => each.id);
    const option = byCategory('mode');
    if (modes.includes(mode.id))
      await peer.request('session/set_mode', { sessionId, modeId: mode.id }, signal);
    else if (option !== undefined) await setOption(option, mode.id);
    else if (mode.chosen) throw unknown('mode', mode.id);
  }
  if (model !== undefined) {
    const option = byCategory('model');
    if (option !== undefined) await setOption(option, model);
    else if (isShape(opened.models))
      await peer.request('session/set_model', { sessionId, modelId: model }, signal);
    else throw unknown('model', model);
  }
  for (const [id, value] of Object.entries(config)) await setOption(id, value);
}

const unknown = (what: string, id: string): KediError =>
  new KediError('AGENT_UNAVAILABLE', `The agent has no ${what} "${id}" to choose.`);
