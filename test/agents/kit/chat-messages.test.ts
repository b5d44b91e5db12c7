import { expect, it } from 'vitest';
import { chatMessages } from '../../../src/agents/kit/chat-messages.js';
import type { Message, Part } from '../../../src/domain/message.js';
import { document } from '../../support/json.js';

const said = (role: Message['role'], ...parts: readonly Part[]): Message => ({
  messageId: 'm',
  role,
  parts,
  extensions: [],
  referenceTaskIds: [],
});

const text = (words: string): Part => ({ kind: 'text', text: words });

it('a model is told what was said before, typed results as they were delivered, and no files', () => {
  const result = {
    kind: 'raw',
    bytes: Buffer.from('{"price":78.0}'),
    mediaType: 'application/json',
  } as const;
  const image = { kind: 'raw', bytes: Buffer.from('PNG'), mediaType: 'image/png' } as const;
  const data = { kind: 'data', json: document('{"id":9007199254740993}') } as const;
  const messages = chatMessages({
    system: 'Be brief.',
    history: [said('user', text('Look.'), data, image), said('agent', result), said('user', image)],
    prompt: 'And?',
  });
  expect(messages).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Look.\n\n{"id":9007199254740993}' },
    { role: 'assistant', content: '{"price":78.0}' },
    { role: 'user', content: 'And?' },
  ]);
});

it('what one of the two said in a row is one message, after a request that failed', () => {
  const history = [said('user', text('One.')), said('user', text('Two.'))];
  expect(chatMessages({ system: undefined, history, prompt: 'Three.' })).toEqual([
    { role: 'user', content: 'One.\n\nTwo.\n\nThree.' },
  ]);
});
