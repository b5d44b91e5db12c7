import { describe, expect, it } from 'vitest';
import { createRedaction } from '../../src/server/secrets.js';

describe('Secrets', () => {
  it('are replaced wherever they are printed, as they are or within JSON', () => {
    const redact = createRedaction(
      { OPENAI_API_KEY: 'sk-a.b*c"\\d', GH_TOKEN: 'ghp_1234567', PATH: '/usr/bin', KEY_FILE: '/etc/key.pem' },
      { env: { DB_PASSWORD: 'sk-a.b*c"\\d-longer', HOME: '/home/kedi/agent' } },
    );
    expect(redact?.('key sk-a.b*c"\\d, again {"k":"sk-a.b*c\\"\\\\d"}; ghp_1234567!')).toBe(
      'key ***, again {"k":"***"}; ***!',
    );
    expect(redact?.('sk-a.b*c"\\d-longer')).toBe('***');
    expect(redact?.('/usr/bin /etc/key.pem /home/kedi/agent sk-aXbbc')).toBe(
      '/usr/bin /etc/key.pem /home/kedi/agent sk-aXbbc',
    );
  });

  it('are not looked for where there are none, or too short to be told from words', () => {
    expect(createRedaction({ API_KEY: 'demo', TOKEN: undefined, NAME: 'abcdefghij' }, {})).toBeUndefined();
  });
});
