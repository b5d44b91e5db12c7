import { type ModelRequest, type ModelScript, type ModelStep, toolResults } from '../support/model-server.js';
import { widget } from './widget.js';

/** What the tests say, and what the scripted model makes of each. */
export const prompts = {
  hello: 'Say hello to the scripted model.',
  widget: 'Tell me of a widget.',
  remember: 'Remember the number 4711.',
  recall: 'Which number was it?',
  slow: 'Take a long time to answer.',
  refused: 'Have your request refused.',
} as const;

export const helloAnswer = 'Hello, wörld 😀, in one line.';

/** A program asks its model more than it was asked itself (titles, suggestions, warm-ups); each gets a sensible answer. */
export const converse: ModelScript = (request) => {
  const said = request.messages.filter(({ role }) => role === 'user').map(({ text }) => text);
  const all = said.join('\n');
  const last = Object.entries(prompts)
    .map(([name, text]) => ({ name, at: all.lastIndexOf(text) }))
    .reduce((one, other) => (other.at > one.at ? other : one));
  return last.at === -1 ? { do: 'text', text: 'A title' } : answer(last.name, { request, said });
};

function answer(
  name: string,
  { request, said }: { readonly request: ModelRequest; readonly said: readonly string[] },
): ModelStep {
  switch (name) {
    case 'widget':
      // A program that takes the document by a tool asks on, to hear that this was all.
      return toolResults(request).length > 0
        ? { do: 'text', text: 'That was it.' }
        : { do: 'structured', document: widget };
    case 'recall': {
      const known = said.some((each) => each.includes(prompts.remember));
      return { do: 'text', text: known ? 'It was 4711.' : 'I was told none.' };
    }
    case 'slow':
      return { do: 'slow', text: 'This is going to take a very long time. '.repeat(50), everyMs: 200 };
    case 'refused':
      return { do: 'status', status: 401, message: 'the key is not good' };
    default:
      return { do: 'text', text: name === 'hello' ? helloAnswer : 'I will.' };
  }
}
