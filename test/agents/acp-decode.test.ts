import { describe, expect, it } from 'vitest';
import { acpDecoder } from '../../src/agents/acp-client/decode.js';
import type { OutputEvent } from '../../src/domain/agent.js';
import { widget } from '../harness/widget.js';
import { ofType, spoken, told } from './support/events.js';
import { recordedLines, scenes } from './support/recorded.js';

const agents = ['claude-agent-acp', 'codex-acp', 'gemini', 'opencode'] as const;

const allScenes = agents.flatMap((agent) => scenes(agent).map((scene) => [agent, scene] as const));

/** As in a run: the prompt goes out once the session is open. */
function decoded(agent: string, scene: string) {
  const decoder = acpDecoder({ allows: (kind) => kind === 'read' });
  const events: OutputEvent[] = [];
  const unread: string[] = [];
  for (const line of recordedLines(agent, scene)) {
    const meant = decoder.decode(line);
    if (meant === undefined) unread.push(line.toString());
    if (meant?.some((event) => event.type === 'session')) decoder.prompted();
    events.push(...(meant ?? []));
  }
  return { events, unread, decoder };
}

describe('the lines of ACP agents', () => {
  it.each(allScenes)('are all understood (%s, %s)', (agent, scene) => {
    expect(decoded(agent, scene).unread).toEqual([]);
  });

  it.each([...agents.map((agent) => [agent, 'text'] as const), ['claude-agent-acp', 'text-v2'] as const])(
    'say the answer, and nothing but the answer (%s, %s)',
    (agent, scene) => {
      const { events, decoder } = decoded(agent, scene);
      expect(spoken(events)).toBe('Hello there, wörld.');
      expect(ofType(events, 'delta').filter(({ startsMessage }) => startsMessage)).toHaveLength(1);
      expect(decoder.messages()).toEqual(['Hello there, wörld.']);
      expect(decoder.stop()).toMatchObject({ reason: 'end_turn' });
      expect(
        ofType(events, 'raw')
          .map(({ text }) => text)
          .join(''),
      ).toContain('Let me think.');
      expect(ofType(events, 'session')).toHaveLength(1);
      expect(ofType(events, 'usage').at(-1)).toMatchObject({ finishReason: 'stop' });
    },
  );

  it.each([
    ['claude-agent-acp', /^\*\*Warning:\*\* We're changing auto mode/],
    ['codex-acp', /^Warning: Model metadata/],
  ])('tell warnings that come as pieces of a message for what they are (%s)', (agent, text) => {
    expect(told(decoded(agent, 'text').events)).toEqual([['warning', expect.stringMatching(text)]]);
  });

  it('tell the cost and the usage with the digits that they were written with', () => {
    const usages = ofType(decoded('claude-agent-acp', 'text').events, 'usage');
    expect(usages[0]).toEqual({ type: 'usage', costUsd: '0.00018399999999999997' });
    expect(usages[1]).toMatchObject({
      model: 'claude-opus-5-5',
      usage: expect.stringMatching(/"inputTokens":11/),
    });
  });

  it('hold the exact document of Claude Code where they pass its lines on', () => {
    const { decoder } = decoded('claude-agent-acp', 'structured');
    expect(decoder.claudeDocument()).toEqual({ text: widget, exact: true });
  });

  it.each([
    ['claude-agent-acp', ['Read', 'Bash'], [true, false]],
    ['codex-acp', ['touch /etc/zz; exit 3', 'Guardian Review', 'exec_command'], [true, false, false]],
    ['gemini', ['a.txt', 'echo hi'], [true, true]],
    ['opencode', ['read', 'echo hi'], [true, true]],
  ])('tell each tool call once, with its last input, and its result once (%s)', (agent, names, results) => {
    const { events } = decoded(agent, 'tools');
    expect(ofType(events, 'tool_call').map(({ name }) => name)).toEqual(names);
    expect(ofType(events, 'tool_result').map(({ ok }) => ok)).toEqual(results);
    const told = new Set<string>();
    for (const event of events) {
      if (event.type === 'tool_call') told.add(event.id);
      if (event.type === 'tool_result') expect(told).toContain(event.id);
    }
  });

  it('give what a tool was called with, not what was known of it at first', () => {
    const [read] = ofType(decoded('claude-agent-acp', 'tools').events, 'tool_call');
    expect(read?.input).toBe('{"file_path":"/workspace/a.txt","limit":9}');
    const [open] = ofType(decoded('opencode', 'tools').events, 'tool_call');
    expect(open?.input).toBe('{"filePath":"/workspace/a.txt","limit":9}');
  });

  it('begin another message after a tool call, where messages have no names', () => {
    expect(decoded('gemini', 'tools').decoder.messages()).toEqual(['Let me look.', 'Done.']);
  });

  it('tell what was asked of the operator, and what the answer was', () => {
    expect(told(decoded('opencode', 'tools').events)).toEqual([
      ['permission_denied', 'echo hi (execute): denied by the server.'],
    ]);
  });

  it('tell that a turn failed which was ended as if it had not', () => {
    const { events, decoder } = decoded('codex-acp', 'server-error');
    expect(spoken(events)).toBe('');
    expect(decoder.stop()).toEqual({
      reason: 'error',
      error: expect.stringMatching(/^We’re currently experiencing high demand/),
    });
    expect(told(events).map(([status]) => status)).toContain('retry');
  });

  it('tell that a turn of Copilot’s failed, which it says as if its model had said it', () => {
    const decoder = acpDecoder({ allows: () => false });
    const lines = (usage: object) => [
      { id: 0, result: { protocolVersion: 1, agentInfo: { name: 'Copilot' } } },
      {
        method: 'session/update',
        params: {
          update: {
            sessionUpdate: 'agent_message_chunk',
            content: { type: 'text', text: 'Error: no such key (HTTP 401).' },
          },
        },
      },
      { id: 2, result: { stopReason: 'end_turn', ...usage } },
    ];
    const decode = (line: object) => decoder.decode(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...line })));
    lines({}).forEach(decode);
    expect(decoder.stop()).toEqual({ reason: 'error', error: 'no such key (HTTP 401).' });
    lines({ usage: { totalTokens: 3 } }).forEach(decode);
    expect(decoder.stop()).toEqual({ reason: 'end_turn', error: undefined });
  });

  it('are silent while a session is told again, and speak after the prompt', () => {
    const decoder = acpDecoder({ allows: () => false });
    const content = { type: 'text', text: 'old' };
    const update = (sessionUpdate: string, rest: object) =>
      decoder.decode(
        Buffer.from(
          JSON.stringify({
            jsonrpc: '2.0',
            method: 'session/update',
            params: { update: { sessionUpdate, ...rest } },
          }),
        ),
      );
    decoder.replays();
    expect(update('agent_message_chunk', { content })).toEqual([]);
    expect(update('tool_call', { toolCallId: 'a', status: 'in_progress' })).toEqual([]);
    expect(update('state_update', { state: 'idle', stopReason: 'end_turn' })).toEqual([]);
    decoder.prompted();
    expect(update('agent_message_chunk', { content })).toEqual([
      { type: 'delta', text: 'old', startsMessage: true },
    ]);
    expect(decoder.messages()).toEqual(['old']);
    expect(decoder.stop()).toBeUndefined();
  });

  it('say a whole message where it did not come in pieces, and not again where it did', () => {
    const decoder = acpDecoder({ allows: () => false });
    const update = (rest: object) =>
      decoder.decode(
        Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { update: rest } })),
      );
    decoder.prompted();
    const content = [{ type: 'text', text: 'whole' }];
    expect(update({ sessionUpdate: 'agent_message', messageId: 'a', content })).toMatchObject([
      { text: 'whole' },
    ]);
    const piece = { type: 'text', text: 'piece' };
    update({ sessionUpdate: 'agent_message_chunk', messageId: 'b', content: piece });
    expect(update({ sessionUpdate: 'agent_message', messageId: 'b', content: [piece] })).toEqual([]);
    expect(decoder.messages()).toEqual(['whole', 'piece']);
  });

  it('are left to be shown raw where they are a banner, no message, or an extension nobody knows', () => {
    const lines = ['Welcome!', '{"level":"info"}', '{"jsonrpc":"2.0","method":"_x/y","params":{}}', '', '[]'];
    const decoder = acpDecoder({ allows: () => false });
    for (const line of lines) expect(decoder.decode(Buffer.from(line))).toBeUndefined();
  });
});
