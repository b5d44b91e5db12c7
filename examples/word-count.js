// @ts-check
// Counts words. Serve it with
//
//   kedi-a2a serve --agent module --agent-options '{"path": "examples/word-count.js"}'
//
// and ask it in words, or for a typed answer with a JSON Schema whose properties are among `words`, `characters` and
// `longest`.
import { defineAgent } from 'kedi-a2a-server';

export default defineAgent({
  async *run(turn) {
    const text = turn.prompt.trim();
    if (text === '') return { question: 'Which text shall I count?' };

    yield { type: 'tool_call', id: 'count', name: 'count', inputJson: JSON.stringify({ text }) };
    const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’-]*/gu) ?? [];
    const characters = [...text].length;
    const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
    yield { type: 'tool_result', id: 'count', ok: true, text: `${words.length} words` };

    if (turn.output !== undefined) {
      // A typed answer is JSON text: it reaches the client byte for byte, once it is found to match its schema.
      const document = JSON.stringify({ words: words.length, characters, longest });
      const verdict = await turn.output.check(document);
      if (verdict.ok) return document;
      return {
        rejected: `This agent counts words, and your schema asks for more: ${verdict.violation.message}`,
      };
    }

    yield `You wrote ${words.length} words of ${characters} characters.`;
    if (longest !== '') yield ` The longest is “${longest}”.`;
    return undefined;
  },
});
