// A tool server (MCP over stdio) with one tool, `echo`, that answers with its arguments; `fail` in them makes it fail.
import { createInterface } from 'node:readline';

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'echo', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({
    tools: [
      {
        name: 'echo',
        description: 'Answers with its arguments.',
        inputSchema: { type: 'object', properties: { value: { type: 'number' } } },
        annotations: { readOnlyHint: true },
      },
    ],
  }),
  'tools/call': ({ arguments: given }) => ({
    content: [{ type: 'text', text: JSON.stringify(given) }],
    isError: 'fail' in given,
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const reply =
    answer === undefined
      ? { error: { code: -32601, message: 'no such method' } }
      : { result: answer(params) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...reply })}\n`);
}
