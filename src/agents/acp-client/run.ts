import { randomUUID } from 'node:crypto';
import type { Line, Outcome, OutputEvent, Turn } from '../../domain/agent.js';
import { instruct } from '../kit/instruct.js';
import type { Shape } from '../kit/json-line.js';
import { outgoingSchema } from '../kit/outgoing-schema.js';
import { startProcess } from '../kit/process.js';
import { remind } from '../kit/remind.js';
import type { ProgramEnd } from '../kit/run-program.js';
import { openTail } from '../kit/tail.js';
import { transcript } from '../kit/transcript.js';
import { untilSilent } from '../kit/until-silent.js';
import { type Opened, openConversation, type SchemaWay } from './conversation.js';
import { type AcpDecoder, acpDecoder } from './decode.js';
import { answerFiles } from './files.js';
import type { AcpSettings } from './options.js';
import { failureOf, outcomeOf } from './outcome.js';
import { connectPeer, type Peer } from './peer.js';
import { answerPermission } from './permission.js';
import { schemaMeta } from './schema-meta.js';
import { openTerminals } from './terminals.js';
import { openWire } from './wire.js';

/** How long it may say nothing more after its turn; the lines that still come are of its own affairs. */
const idleMs = 100;

/** Some end neither with their stdin nor at a TERM, and what they have to keep they keep as they go. */
const graceMs = 500;

/** One request: a process of the agent's, a conversation with it, and its end. */
export async function* run(turn: Turn, settings: AcpSettings): AsyncGenerator<Line, Outcome, void> {
  const { program, args, permissions } = settings;
  const cwd = program.cwd ?? turn.workspace;
  const decoder = acpDecoder({ allows: (kind) => permissions.has(kind) });
  const schema = turn.output === undefined ? undefined : outgoingSchema(turn.output.text);
  const slots = { wrapped: `schema-${randomUUID()}`, plain: `schema-${randomUUID()}` };
  const child = await startProcess({
    program: program.bin,
    args: [...args, ...program.extraArgs],
    cwd,
    env: program.env,
    input: undefined,
    signal: turn.signal,
    graceMs,
  });
  const wire = openWire(child, {
    exact: { [slots.wrapped]: schema?.text ?? '', [slots.plain]: turn.output?.text ?? '' },
  });
  const terminals = openTerminals({ directory: cwd, env: program.env, signal: turn.signal });
  const files = answerFiles({ directory: cwd, access: settings.files });
  const peer = connectPeer(wire.stream, {
    version: settings.version,
    answers: (method, params) =>
      answerPermission({ permissions, kindOf: decoder.kindOf })(method, params) ??
      files(method, params) ??
      (settings.terminal ? terminals.answer(method, params) : undefined),
  });
  const notices: OutputEvent[] = [];
  const talk = converse(peer, { turn, settings, decoder, slots, cwd, notices });
  // What fails before the turn has ended ends the process, and with that the lines.
  talk.catch(() => child.stop());
  const errors = openTail();
  let end: ProgramEnd | undefined;
  try {
    const lines = untilSilent(child.lines(), {
      isDone: () => decoder.stop() !== undefined,
      silentMs: idleMs,
    });
    while (true) {
      const step = await lines.next();
      if (step.done) break;
      const { channel, bytes, whole } = step.value;
      if (channel === 'stderr') {
        errors.push(bytes);
        yield { raw: bytes, channel, events: undefined };
        continue;
      }
      const events = whole ? decoder.decode(bytes) : undefined;
      if (whole) wire.deliver(bytes);
      yield {
        raw: bytes,
        channel,
        events: notices.length === 0 ? events : [...notices.splice(0), ...(events ?? [])],
      };
    }
    wire.end();
    if (decoder.stop() === undefined)
      end = { ending: await child.ended(), spoke: false, errors: errors.text() };
    const { way } = await talk;
    return outcomeOf(decoder, { way, schema });
  } catch (error) {
    turn.signal.throwIfAborted();
    throw failureOf(error, { bin: program.bin, end });
  } finally {
    peer.close();
    await Promise.all([child.stop(), terminals.close()]);
  }
}

interface Talk {
  readonly turn: Turn;
  readonly settings: AcpSettings;
  readonly decoder: AcpDecoder;
  /** Strings that stand for the schema in what is sent: as a model's API takes it, and as the client sent it. */
  readonly slots: { readonly wrapped: string; readonly plain: string };
  readonly cwd: string;
  /** Filled with what there is to say beside the agent's own lines. */
  readonly notices: OutputEvent[];
}

/** Our half of the conversation; resolves when the prompt was answered (v1) or accepted (v2). */
async function converse(peer: Peer, talk: Talk): Promise<Opened> {
  const { turn, settings, decoder, cwd, notices } = talk;
  const { signal } = turn;
  const opened = await openConversation(peer, {
    settings,
    typed: turn.output !== undefined,
    session: turn.session,
    cwd,
    sessionMeta: (way) => sessionMeta(way, talk),
    introduction: decoder.introduction,
    replays: decoder.replays,
    signal,
  });
  if (opened.lost) {
    const text = `The agent does not know the conversation ${turn.session} any more; a new one is begun.`;
    notices.push({ type: 'status', status: 'session_lost', text });
  }
  const { sessionId, way } = opened;
  decoder.prompted();
  const prompt = [{ type: 'text', text: await promptText(turn, { way, isNew: sessionId !== turn.session }) }];
  await peer.request('session/prompt', { sessionId, prompt, ...promptExtras(way, talk) }, signal);
  return opened;
}

/** An agent whose conversation could not be opened again is told what was said in it. */
async function promptText(
  turn: Turn,
  { way, isNew }: { readonly way: SchemaWay; readonly isNew: boolean },
): Promise<string> {
  const asked = way === 'instruction' ? instruct(turn) : remind(turn);
  const before = isNew ? transcript(await turn.history()) : undefined;
  return before === undefined ? asked : `${before}\n\nUser: ${asked}`;
}

function sessionMeta(way: SchemaWay, { settings: { metadata }, slots }: Talk): Shape | undefined {
  if (metadata === undefined) return undefined;
  if (way === 'claude-lines') return schemaMeta(metadata, slots.wrapped);
  return way === 'metadata' && metadata.on === 'session' ? schemaMeta(metadata, slots.plain) : undefined;
}

function promptExtras(way: SchemaWay, { settings: { metadata }, slots }: Talk): Shape {
  if (way === 'format') {
    return { responseFormat: { type: 'json', name: 'kedi-structured-output', schema: slots.plain } };
  }
  return way === 'metadata' && metadata?.on === 'prompt' ? { _meta: schemaMeta(metadata, slots.plain) } : {};
}
