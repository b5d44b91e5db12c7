import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KediError } from '../../src/domain/errors.js';
import { readSettings, unknownVariables } from '../../src/server/read-settings.js';
import { flagOf, settingNames, table, variableOf } from '../../src/server/settings.js';
import { temporaryDirectory } from '../support/temporary.js';

const directory = '/somewhere';

const refusal = (sources: Partial<Parameters<typeof readSettings>[0]>): string => {
  try {
    readSettings({ directory, ...sources });
  } catch (error) {
    if (error instanceof KediError && error.code === 'SETTINGS_INVALID') return error.message;
    throw error;
  }
  throw new Error('the settings were accepted');
};

const configFile = async (text: string): Promise<string> => {
  const path = join(await temporaryDirectory(), 'kedi.json');
  await writeFile(path, text);
  return path;
};

describe('Settings: where they come from', () => {
  it('are the documented bounds when nothing is said', () => {
    expect(readSettings({ directory })).toMatchObject({
      agent: 'demo',
      host: '127.0.0.1',
      port: 8000,
      dataDir: '/somewhere/.kedi-a2a',
      attempts: 1,
      maxBody: 1024 ** 2,
      maxPrompt: 1024 ** 2,
      maxResult: 8 * 1024 ** 2,
      maxLog: 64 * 1024 ** 2,
      concurrency: 8,
      pending: 256,
      taskTimeout: 3_600_000,
      grace: 10_000,
      tasksRetained: 100_000,
      taskAge: 30 * 86_400_000,
      sessionIdle: 86_400_000,
      durability: 'normal',
      agentStderr: 'on',
      assertFormats: false,
      strictCard: false,
      allowedOrigins: [],
      publicUrl: undefined,
    });
  });

  it('let a flag win over the environment, and that over the config file', async () => {
    const config = await configFile('{"port": 1, "grace": "1s", "maxBody": "2KiB"}');
    const settings = readSettings({
      directory,
      config,
      env: { KEDI_A2A_PORT: '2', KEDI_A2A_GRACE: '2s' },
      flags: { port: '3' },
    });
    expect(settings).toMatchObject({ port: 3, grace: 2000, maxBody: 2048 });
  });

  it('take a config file named by the environment', async () => {
    const config = await configFile('{"concurrency": 3}');
    expect(readSettings({ directory, env: { KEDI_A2A_CONFIG: config } }).concurrency).toBe(3);
  });

  it('take a variable that is set to nothing for one that is not set', () => {
    expect(readSettings({ directory, env: { KEDI_A2A_PORT: '' } }).port).toBe(8000);
  });

  it('resolve a path of the config file against the file, and any other against where the server runs', async () => {
    const config = await configFile(
      '{"dataDir": "data", "agentOptions": {"big": 9007199254740993, "x": 78.0}}',
    );
    const settings = readSettings({ directory, config, flags: { card: 'card.json' } });
    expect(settings.dataDir).toBe(join(config, '../data'));
    expect(settings.card).toBe('/somewhere/card.json');
    expect(settings.agentOptions).toEqual({
      json: '{"big": 9007199254740993, "x": 78.0}',
      directory: join(config, '..'),
    });
  });

  it('take a list as commas or as an array', async () => {
    const config = await configFile('{"allowedOrigins": ["https://a.example", "http://localhost:3000"]}');
    const list = ['https://a.example', 'http://localhost:3000'];
    expect(readSettings({ directory, config }).allowedOrigins).toEqual(list);
    expect(readSettings({ directory, flags: { allowedOrigins: list.join(', ') } }).allowedOrigins).toEqual(
      list,
    );
  });
});

describe('Settings: what is refused, and in which words', () => {
  it('an unknown key of the config file, with the nearest one', async () => {
    const config = await configFile('{"max-bdy": "1MiB"}');
    expect(refusal({ config })).toBe(`"max-bdy" in ${config} is not a setting (did you mean maxBody?).`);
    const other = await configFile('{"favouriteColour": 1}');
    expect(refusal({ config: other })).toBe(`"favouriteColour" in ${other} is not a setting.`);
  });

  it.each([
    ['{"port": 1,}', /is not JSON: .* at offset 11/],
    ['[]', /must hold a JSON object/],
    ['{"port": 1, "port": 2}', /is not JSON: /],
    ['{"host":{"name":"x"}}', /"host" in .* is not of the form/],
    ['{"host": null}', /"host" in .* is not of the form/],
    ['{"allowedOrigins": ["https://a.example", 1]}', /"allowedOrigins" in .* is not of the form/],
    ['{"agentOptions": "{}"}', /"agentOptions" in .* is not of the form/],
    ['{"port": [80]}', /"port" in .* is not of the form/],
    ['{"port": true}', /"port" in .*: a whole number is expected, not "true"/],
  ])('the config file %s', async (text, sentence) => {
    expect(refusal({ config: await configFile(text) })).toMatch(sentence);
  });

  it('a config file that is not there', () => {
    expect(refusal({ config: 'nowhere.json' })).toMatch(
      /config file \/somewhere\/nowhere.json cannot be read: ENOENT/,
    );
  });

  it.each([
    [
      'maxBody',
      '12 parsecs',
      '--max-body: a size such as 64KiB, 1MiB or plain bytes is expected, not "12 parsecs".',
    ],
    ['maxBody', '1', '--max-body: it must lie between 1KiB and 256MiB, not "1".'],
    ['taskTimeout', '30', '--task-timeout: a time such as 500ms, 30s, 5m, 1h or 7d is expected, not "30".'],
    ['taskTimeout', '25d', '--task-timeout: it must lie between 1s and 24d, not "25d".'],
    ['port', '65536', '--port: it must lie between 0 and 65535, not "65536".'],
    ['port', '8e3', '--port: a whole number is expected, not "8e3".'],
    ['concurrency', '0', '--concurrency: it must lie between 1 and 1024, not "0".'],
    ['durability', 'none', '--durability: one of normal, full is expected, not "none".'],
    ['strictCard', 'maybe', '--strict-card: yes or no is expected, not "maybe".'],
    ['host', 'two words', '--host: one word is expected, not "two words".'],
    ['dataDir', '', '--data-dir: a path is expected, not "".'],
  ] as const)('%s: %s', (name, text, sentence) => {
    expect(refusal({ flags: { [name]: text } })).toBe(sentence);
  });

  it.each(['example.org', 'ftp://example.org', 'https://u:p@example.org', 'https://example.org/?a=1'])(
    'the public URL %s',
    (url) => {
      expect(refusal({ flags: { publicUrl: url } })).toMatch(/absolute http or https URL/);
    },
  );

  it('an origin with a path', () => {
    expect(refusal({ flags: { allowedOrigins: 'https://a.example/app' } })).toMatch(
      /"https:\/\/a.example\/app" is none/,
    );
  });

  it.each(['0.0.0.0', '192.168.1.1', '::', 'example.org', '::ffff:127.0.0.1.example'])(
    'any host but loopback, without authentication and a public URL: %s',
    (host) => {
      expect(refusal({ flags: { host } })).toMatch(/needs authentication: choose one with --auth/);
      expect(refusal({ flags: { host, auth: 'bearer' } })).toMatch(/needs --public-url/);
      expect(refusal({ flags: { host, allowUnauthenticated: 'yes' } })).toMatch(/for loopback only/);
    },
  );

  it('gRPC behind a public URL, without the address for the card', () => {
    const flags = { publicUrl: 'https://a.example', bindings: 'json-rpc,grpc' };
    expect(refusal({ flags })).toMatch(/gRPC needs --grpc-address/);
    const given = { ...flags, grpcAddress: 'a.example:443' };
    expect(readSettings({ directory, flags: given }).grpcAddress).toBe('a.example:443');
  });

  it.each(['127.0.0.1', '127.8.9.10', 'localhost', '::1', '0:0:0:0:0:0:0:1'])('but not %s', (host) => {
    expect(readSettings({ directory, flags: { host, allowUnauthenticated: 'yes' } }).host).toBe(host);
  });

  it('names a variable that no setting has', () => {
    expect(
      unknownVariables({ KEDI_A2A_PROT: '1', KEDI_A2A_PORT: '1', PATH: '' }, ['KEDI_A2A_SECRET']),
    ).toEqual(['KEDI_A2A_PROT is not a setting (did you mean KEDI_A2A_PORT?)']);
  });
});

describe('Settings: the table', () => {
  it('has a default that its own reader accepts in every row', () => {
    for (const name of settingNames) {
      const { fallback } = table[name];
      if (fallback !== undefined) {
        expect(readSettings({ directory, flags: { [name]: fallback } })).toEqual(readSettings({ directory }));
      }
    }
  });

  it('names a flag and a variable after the key', () => {
    expect(flagOf('tasksRetained')).toBe('--tasks-retained');
    expect(variableOf('tasksRetained')).toBe('KEDI_A2A_TASKS_RETAINED');
  });
});
