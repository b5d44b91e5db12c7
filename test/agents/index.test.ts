import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { agentKinds, findAgentKind, readAgentOptions } from '../../src/agents/index.js';

const command = findAgentKind('command');

const refusal = (options: string): string => {
  try {
    readAgentOptions(command, options);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'accepted';
};

describe('the registry', () => {
  it('has every kind under one name, with a sentence for people and options that explain themselves', () => {
    expect(new Set(agentKinds.map(({ kind }) => kind)).size).toBe(agentKinds.length);
    for (const { kind, summary, options } of agentKinds) {
      expect(kind).toMatch(/^[a-z][a-z0-9-]*$/);
      expect(summary).toMatch(/^[A-Z].*\.$/);
      expect(() => new Ajv2020({ strict: true }).compile(options)).not.toThrow();
      for (const { description } of Object.values(options.properties))
        expect(description).toMatch(/^\S.*\.$/);
    }
  });

  it('tells how typed answers come about from the options alone', () => {
    expect(findAgentKind('demo').structured({})).toBe('sample');
    expect(command.structured({})).toBe('native');
    expect(findAgentKind('module').structured({ structured: 'none' })).toBe('none');
  });

  it('names the kinds there are where one is not', () => {
    expect(() => findAgentKind('demon')).toThrow(
      /^There is no kind of agent "demon"; there are demo, command, /,
    );
  });
});

describe('options of an agent', () => {
  it('are accepted as they were written', () => {
    expect(readAgentOptions(command, ' {"command": ["cat", "-u"], "timeoutMs": 5} ')).toEqual({
      command: ['cat', '-u'],
      timeoutMs: 5,
    });
  });

  it('are refused by a sentence that names the option and what is expected', () => {
    expect(refusal('{"command": "cat"}')).toBe('The option "command" of the agent "command" must be array.');
    expect(refusal('{"command": []}')).toBe(
      'The option "command" of the agent "command" must NOT have fewer than 1 items.',
    );
    expect(refusal('{"command": ["cat", 1]}')).toBe(
      'The option "command" of the agent "command" must be string at "1".',
    );
    expect(refusal('{"command": ["cat"], "timeoutMs": 1.5}')).toBe(
      'The option "timeoutMs" of the agent "command" must be integer.',
    );
    expect(refusal('{"command": ["cat"], "env": {"A": 1}}')).toBe(
      'The option "env" of the agent "command" must be string at "A".',
    );
    expect(refusal('{}')).toBe(
      'The option "command" of the agent "command" is missing: The program and its arguments; no shell reads them.',
    );
    expect(refusal('{"command": ["cat"], "timeout": 1}')).toBe(
      'There is no option "timeout" of the agent "command"; it has command, cwd, env, passEnv, timeoutMs.',
    );
    expect(refusal('["cat"]')).toBe('The options of the agent "command" must be a JSON object.');
    expect(refusal('{"command": ["cat"], "command": ["dog"]}')).toMatch(
      /^The options of the agent "command" are not JSON: .+ at offset \d+\.$/,
    );
    expect(refusal('{command: 1}')).toMatch(/are not JSON: .+ at offset 1\.$/);
  });

  it('of a module say what it may be', () => {
    expect(() =>
      readAgentOptions(findAgentKind('module'), '{"path": "a.js", "structured": "maybe"}'),
    ).toThrow('The option "structured" of the agent "module" must be one of "native", "none".');
  });
});
