import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FRAME_EVENTS } from '../../src/protocol/agent-output.js';
import { decoders } from '../support/decoders.js';

const page = readFileSync(new URL('../../docs/chat.md', import.meta.url), 'utf8');

it.each(decoders)('the documentation lists every silent kind of $agent', ({ silentKinds }) => {
  const lines = silentKinds.map((listed) => {
    const [kind, ...when] = listed.split(', ');
    return [`- \`${kind}\``, ...when].join(', ');
  });
  for (const line of lines) expect(page.split('\n')).toContain(line);
});

it('the documentation tells of every event', () => {
  for (const event of FRAME_EVENTS) expect(page).toContain(`| \`${event}\` |`);
});
