import { describe, expect, it } from 'vitest';
import { childEnvironment } from '../../../src/agents/kit/environment.js';

const server = {
  PATH: '/bin',
  HOME: '/home/user',
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  https_proxy: 'http://proxy',
  OPENAI_API_KEY: 'sk-1',
  AWS_SECRET_ACCESS_KEY: 'aws',
  KEDI_A2A_SECRET: 'ours',
  EMPTY: undefined,
};

describe("a program's environment", () => {
  it("is the usual few of the server's variables, and none of the others", () => {
    expect(childEnvironment(server, {})).toEqual({
      PATH: '/bin',
      HOME: '/home/user',
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      https_proxy: 'http://proxy',
    });
  });

  it("has the agent's own keys, and what the operator sets over all of them", () => {
    const environment = childEnvironment(server, {
      names: ['OPENAI_API_KEY', 'EMPTY', 'NOT_SET'],
      extra: { LANG: 'de_DE.UTF-8', DEBUG: '1' },
    });
    expect(environment).toMatchObject({ OPENAI_API_KEY: 'sk-1', LANG: 'de_DE.UTF-8', DEBUG: '1' });
    expect(Object.keys(environment)).not.toContain('NOT_SET');
    expect(Object.keys(environment)).not.toContain('EMPTY');
  });

  it("never has one of the server's own settings, not even when asked to", () => {
    for (const ask of [{ names: ['KEDI_A2A_SECRET'] }, { extra: { KEDI_A2A_SECRET: 'x' } }]) {
      expect(() => childEnvironment(server, ask)).toThrow(
        'KEDI_A2A_SECRET belongs to the server itself and is never passed on to an agent.',
      );
    }
  });
});
