import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { acpDecoder, silentKinds as acpSilentKinds } from '../../src/agents/acp-client/decode.js';
import { claudeDecoder, silentKinds as claudeSilentKinds } from '../../src/agents/claude-code/decode.js';
import { codexDecoder, silentKinds as codexSilentKinds } from '../../src/agents/codex/decode.js';
import { splitLines } from '../../src/agents/kit/lines.js';
import type { OutputEvent } from '../../src/domain/agent.js';
import type { Entry } from '../../src/domain/task.js';
import { asked, begun, completed } from './log-entries.js';

/** A CLI's decoder beside the lines that the real one was seen to print. */
export interface DecoderUnderTest {
  readonly agent: string;
  /** Begins a run. */
  begin(): (line: Uint8Array) => readonly OutputEvent[] | undefined;
  /** The kinds of lines that make no frame, as the agent prints them. */
  readonly silentKinds: readonly string[];
  /** What kind a line is of, in the words of that list. */
  kindOf(line: Uint8Array): string;
}

const text = (value: unknown): string => (typeof value === 'string' ? `/${value}` : '');

function shape(line: Uint8Array): Record<string, unknown> {
  const value: unknown = JSON.parse(new TextDecoder().decode(line));
  if (typeof value !== 'object' || value === null) throw new Error('not an object');
  return { ...value };
}

const inner = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

export const decoders: readonly DecoderUnderTest[] = [
  {
    agent: 'claude-code',
    begin: () => claudeDecoder().decode,
    silentKinds: claudeSilentKinds,
    kindOf(line) {
      const { type, subtype, event } = shape(line);
      const { type: eventType, delta } = inner(event);
      return `${type}${text(subtype)}${text(eventType)}${text(inner(delta).type)}`;
    },
  },
  {
    agent: 'codex',
    begin: () => codexDecoder().decode,
    silentKinds: codexSilentKinds,
    kindOf(line) {
      const { type, item } = shape(line);
      return `${type}${text(inner(item).type)}`;
    },
  },
  ...['claude-agent-acp', 'codex-acp', 'gemini', 'opencode'].map(
    (agent): DecoderUnderTest => ({
      agent,
      begin: () => {
        const decoder = acpDecoder({ allows: () => false });
        decoder.prompted();
        return decoder.decode;
      },
      silentKinds: acpSilentKinds,
      kindOf(line) {
        const { method, params } = shape(line);
        if (typeof method !== 'string') return 'response';
        return `${method}${text(inner(inner(params).update).sessionUpdate)}`;
      },
    }),
  ),
];

const fixtures = fileURLToPath(new URL('../fixtures/harness/', import.meta.url));

/** What the CLI printed on stdout in each of the recorded runs. */
export const recordings = (agent: string): readonly { readonly name: string; readonly bytes: Uint8Array }[] =>
  readdirSync(`${fixtures}${agent}`)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => ({
      name: name.slice(0, -'.jsonl'.length),
      bytes: readFileSync(`${fixtures}${agent}/${name}`),
    }));

/** The log of a task in which an agent printed these blocks of bytes, with what its decoder understood of them. */
export function logOf(
  decoder: DecoderUnderTest,
  blocks: Iterable<Uint8Array>,
  end: Entry = completed,
): Entry[] {
  const splitter = splitLines();
  const decode = decoder.begin();
  const lines = [...blocks].flatMap((block) => splitter.push(block)).concat(splitter.end());
  return [
    asked(),
    begun,
    ...lines.map(
      ({ bytes, whole }): Entry => ({
        type: 'line',
        at: 1_790_000_000_000,
        raw: bytes,
        channel: 'stdout',
        events: whole ? decode(bytes) : undefined,
      }),
    ),
    end,
  ];
}
