import { describe, expect, it } from 'vitest';
import { streamJson } from '../../../src/agents/kit/stream-json.js';
import type { Line } from '../../../src/domain/agent.js';
import { jsonText, readDocument } from '../../../src/schema/document.js';

const write = streamJson({ sessionId: 'conversation "1"' });

const textOf = (line: Line): string => Buffer.from(line.raw).toString();

const exact = readDocument('{"id":9007199254740993,"price":78.0}');
const input = exact.ok ? exact.json : jsonText(null);

describe('stream-json lines of our own', () => {
  it('are one JSON object each, without a line break, with the conversation in it', () => {
    const lines = [
      write.delta('one\ntwo\u2028"'),
      write.toolCall({ id: 't', name: 'n', input }),
      write.toolResult({ id: 't', ok: false, text: 'no' }),
      write.status('retry', 'again'),
      write.thinking('hm'),
      write.session('s'),
      write.result({ finishReason: 'error', model: 'm', usage: input, costUsd: jsonText(0.1) }),
      write.artifact({
        artifactId: 'a',
        name: 'n',
        parts: [
          { kind: 'text', text: 't' },
          { kind: 'raw', bytes: Buffer.from('x'), mediaType: 'text/plain', filename: 'x.txt' },
          { kind: 'url', url: 'https://example.org' },
          { kind: 'data', json: input },
        ],
        append: false,
        lastChunk: true,
      }),
    ];
    for (const line of lines) {
      const text = textOf(line);
      expect(text).not.toMatch(/[\r\n]/);
      expect(readDocument(text).ok).toBe(true);
      expect(JSON.parse(text)).toMatchObject({ session_id: 'conversation "1"', type: expect.any(String) });
      expect(line.channel).toBe('stdout');
      expect(line.events).toHaveLength(1);
    }
  });

  it('say the text as Claude Code does, and mean a delta', () => {
    const line = write.delta('Hello', { startsMessage: true });
    expect(JSON.parse(textOf(line))).toMatchObject({
      type: 'stream_event',
      event: { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hello' } },
      parent_tool_use_id: null,
    });
    expect(line.events).toEqual([{ type: 'delta', text: 'Hello', startsMessage: true }]);
    expect(JSON.parse(textOf(write.delta('Hi', { parent: 'call-1' })))).toMatchObject({
      parent_tool_use_id: 'call-1',
    });
  });

  it('keep the numbers of what a tool is given, of the usage and of an artifact', () => {
    expect(textOf(write.toolCall({ id: 't', name: 'n', input }))).toContain(
      '"input":{"id":9007199254740993,"price":78.0}',
    );
    expect(textOf(write.result({ finishReason: 'stop', usage: input }))).toContain(
      '"usage":{"id":9007199254740993',
    );
  });
});
