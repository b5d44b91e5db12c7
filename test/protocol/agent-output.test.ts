import { describe, expect, it } from 'vitest';
import {
  AGENT_OUTPUT_URI,
  agentOutputExtension,
  agentOutputInterface,
  eventWriter,
  type FrameBody,
  frameWriter,
} from '../../src/protocol/agent-output.js';
import { encodeSse } from '../../src/protocol/sse.js';
import { document } from '../support/json.js';

const write = frameWriter({ sessionId: 's-1', commandId: 'c-1' });
const data = (body: FrameBody): string => write({ seq: 3, line: 7, body });
const place = { session_id: 's-1', raw_ref: { command_id: 'c-1', line: 7 } };

describe('agent-output/v1 on the card', () => {
  it('names the sources of the running agent, the events and how to resume', () => {
    expect(agentOutputExtension(['stream-json'])).toMatchObject({
      uri: 'https://agentic-sandbox.aiwg.io/extensions/agent-output/v1',
      required: false,
      params: {
        sources: ['stream-json'],
        events: ['delta', 'tool_call', 'tool_result', 'status', 'done', 'error', 'raw'],
        envelope: 'fortemi-chat-stream/v1',
        id_format: '{session}-{seq}',
        resume: 'last-event-id',
      },
    });
  });

  it("has an interface entry with A2A's fields and its own, or on a strict card with A2A's alone", () => {
    const url = 'https://a.example/api/v1/agent-output/chat?command_id={command_id}';
    const known = { url, protocolBinding: AGENT_OUTPUT_URI, protocolVersion: '1.0' };
    expect(agentOutputInterface('https://a.example', { strict: true })).toEqual(known);
    expect(agentOutputInterface('https://a.example', { strict: false })).toEqual({
      ...known,
      transport: 'SSE',
      extension: AGENT_OUTPUT_URI,
    });
  });
});

describe('the data of a frame', () => {
  it.each<[FrameBody, object]>([
    [
      { event: 'delta', content: 'Hi' },
      { content: 'Hi', role: 'assistant', kind: 'message' },
    ],
    [
      { event: 'tool_call', toolId: 't', name: 'Buy', input: document('{"n":1}'), parent: 'p' },
      {
        role: 'assistant',
        kind: 'tool_call',
        name: 'Buy',
        tool_id: 't',
        input: { n: 1 },
        parent_tool_id: 'p',
      },
    ],
    [
      { event: 'tool_result', toolId: 't', ok: false, content: 'no' },
      { role: 'tool', kind: 'tool_result', tool_id: 't', status: 'error', content: 'no' },
    ],
    [
      { event: 'tool_result', toolId: 't', ok: true, content: 'yes' },
      { role: 'tool', kind: 'tool_result', tool_id: 't', status: 'ok', content: 'yes' },
    ],
    [
      { event: 'status', status: 'init', content: 'begun' },
      { role: 'system', kind: 'message', status: 'init', content: 'begun' },
    ],
    [
      {
        event: 'status',
        status: 'artifact',
        content: 'plot',
        artifactId: 'a1',
        figures: { model: 'm' },
      },
      {
        role: 'system',
        kind: 'message',
        status: 'artifact',
        content: 'plot',
        artifact_id: 'a1',
        model: 'm',
      },
    ],
    [
      { event: 'raw', content: '{"x":', channel: 'stderr' },
      { role: 'system', kind: 'raw', content: '{"x":', stream: 'stderr' },
    ],
    [
      { event: 'done', finishReason: 'stop', figures: {} },
      { role: 'status', kind: 'usage', finish_reason: 'stop', model: '' },
    ],
    [
      {
        event: 'done',
        finishReason: 'length',
        content: 'Hi',
        figures: { model: 'm', usage: document('{"output_tokens":5}'), costUsd: document('0.5') },
      },
      {
        role: 'status',
        kind: 'usage',
        finish_reason: 'length',
        model: 'm',
        usage: { output_tokens: 5 },
        total_cost_usd: 0.5,
        content: 'Hi',
      },
    ],
    [
      { event: 'error', error: 'gone', code: 'STREAM_INTERRUPTED', figures: {} },
      { error: 'gone', code: 'STREAM_INTERRUPTED' },
    ],
  ])('of %j has the fields of the specification and where it came from', (body, expected) => {
    expect(JSON.parse(data(body))).toEqual({ ...expected, ...place });
  });

  it('copies documents as they were written, on one line', () => {
    const input = document('{\n  "id": 9007199254740993,\r\n  "price": 78.0}');
    const text = data({ event: 'tool_call', toolId: 't', name: 'n', input });
    expect(text).toContain('"input":{   "id": 9007199254740993,    "price": 78.0}');
    expect(text).not.toMatch(/[\r\n]/);
  });

  it('is the data of an event with the id that a client comes back with', () => {
    const event = eventWriter({ sessionId: 's-1', commandId: 'c-1' });
    const body: FrameBody = { event: 'delta', content: 'a\nb' };
    expect(event({ seq: 3, line: 7, body })).toBe(
      encodeSse({ event: 'delta', id: 's-1-3', data: data(body) }),
    );
    expect(() => eventWriter({ sessionId: 'a\nb', commandId: 'c' })).toThrow(/cannot stand in an id/);
  });

  it('cannot be broken out of by what an agent says', () => {
    const content = 'a\r\n\ndata: {}\n\nevent: done\u0000\u2028\ud800';
    const text = data({ event: 'delta', content });
    expect([...text].every((character) => character >= ' ')).toBe(true);
    expect(JSON.parse(text).content).toBe(content);
  });
});
