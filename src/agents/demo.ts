import type { Agent, AgentKind, Line, Outcome, Turn } from '../domain/agent.js';
import { KediError } from '../domain/errors.js';
import { jsonText } from '../schema/document.js';
import { sampleIsolated } from '../schema/index.js';
import { pause } from './kit/pause.js';
import { type StreamJson, streamJson } from './kit/stream-json.js';

/** Needs no model, no key and no network, and says the same every time: for those who write a client. */
export const demo: AgentKind = {
  kind: 'demo',
  summary:
    'Answers at once without a model: a few words about the request, or sample data made from the schema.',
  source: 'stream-json',
  options: {
    type: 'object',
    properties: {
      delayMs: {
        type: 'integer',
        minimum: 0,
        maximum: 60_000,
        description: 'Milliseconds before each word, so that one can watch it stream; 0 by default.',
      },
    },
    additionalProperties: false,
  },
  structured: () => 'sample',
  create: (options): Agent => {
    const delayMs = typeof options.delayMs === 'number' ? options.delayMs : 0;
    return { run: (turn) => run(turn, { delayMs }) };
  },
};

async function* run(
  turn: Turn,
  { delayMs }: { readonly delayMs: number },
): AsyncGenerator<Line, Outcome, void> {
  const write = streamJson({ sessionId: turn.contextId });
  const ending = yield* rehearse(turn, write);
  if (ending !== undefined) return ending;
  if (turn.output !== undefined) {
    const made = await sampleIsolated(turn.output.text);
    if (!made.ok) {
      throw new KediError(
        'UNSUPPORTED',
        `The demo agent cannot make sample data for this schema: ${made.reason}`,
      );
    }
    yield write.status('sample', 'Sample data made from the schema; no model was asked.');
    yield write.result({ finishReason: 'stop', model: 'demo' });
    return { kind: 'json', document: made.json };
  }
  for (const word of answer(turn).match(/\s*\S+/g) ?? []) {
    if (delayMs > 0) await pause(delayMs, turn.signal);
    yield write.delta(word);
  }
  yield write.result({ finishReason: 'stop', model: 'demo' });
  return { kind: 'done' };
}

const answer = ({ prompt }: Turn): string =>
  `This is the demo agent, no model; you said: “${clipped(prompt)}” Try /help.`;

const help = `It answers without a model, the same every time: a few words about what you said or, for a typed request, sample data made from the schema. What else a client may have to cope with it rehearses on demand:

/ask [question]    asks you; your answer to the task is the next prompt
/tool [text]       calls a tool and shows its result
/file [text]       gives a file as an artifact
/recall            tells what you said before in this context
/wait [seconds]    is busy for that long
/reject [reason]   declines
/fail [reason]     fails`;

/** In one line of at most 60 characters; a long text is not looked at beyond what may be quoted. */
function clipped(text: string): string {
  const start = [...text.trim().slice(0, 200).replace(/\s+/g, ' ')];
  return start.length > 60 ? `${start.slice(0, 60).join('')}…` : start.join('');
}

const longestWaitSeconds = 600;

/** What a client has to cope with beside an answer, at the first word of the prompt; undefined: the answer follows. */
async function* rehearse(turn: Turn, write: StreamJson): AsyncGenerator<Line, Outcome | undefined, void> {
  const [command = '', ...words] = turn.prompt.trim().slice(0, 1_000).split(/\s+/);
  const rest = words.join(' ');
  switch (command) {
    case '/ask':
      return { kind: 'question', text: rest || 'What is your name?' };
    case '/help':
      return turn.output === undefined ? { kind: 'text', text: help } : undefined;
    case '/recall': {
      if (turn.output !== undefined) return undefined;
      const said = (await turn.history()).filter(({ role }) => role === 'user').flatMap(({ parts }) => parts);
      const texts = said.map((part) => (part.kind === 'text' ? clipped(part.text) : `a ${part.kind} part`));
      return {
        kind: 'text',
        text: texts.length === 0 ? 'Nothing was said before.' : `You said before: ${texts.join(' | ')}`,
      };
    }
    case '/reject':
      return { kind: 'rejected', reason: rest || 'The demo agent was asked to decline.' };
    case '/fail':
      throw new KediError('AGENT_FAILED', rest || 'The demo agent was asked to fail.');
    case '/tool':
      yield write.toolCall({ id: 'tool-1', name: 'measure', input: jsonText({ text: rest }) });
      yield write.toolResult({ id: 'tool-1', ok: true, text: `${rest.length} characters` });
      return undefined;
    case '/file':
      yield write.artifact({
        artifactId: 'demo-file',
        name: 'demo.txt',
        parts: [
          {
            kind: 'raw',
            bytes: Buffer.from(`${rest || 'A file made by the demo agent.'}\n`),
            mediaType: 'text/plain',
            filename: 'demo.txt',
          },
        ],
        append: false,
        lastChunk: true,
      });
      return undefined;
    case '/wait': {
      const seconds = Math.min(Math.max(Number(words[0]) || 0, 0), longestWaitSeconds);
      yield write.status('waiting', `Waiting ${seconds} seconds.`);
      await pause(seconds * 1_000, turn.signal);
      return undefined;
    }
    default:
      return undefined;
  }
}
