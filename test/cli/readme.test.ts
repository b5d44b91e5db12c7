import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { references, withReferences } from '../../src/cli/reference.js';

const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');

describe('README', () => {
  it('has every generated table, and none is stale (npm run readme writes them)', () => {
    for (const name of Object.keys(references)) expect(readme).toContain(`<!-- ${name} -->\n`);
    expect(withReferences(readme)).toBe(readme);
  });

  it('names the commands that package.json has', async () => {
    const { scripts } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    const named = [...readme.matchAll(/npm\s+(?:run\s+)?([a-z:]+)/g)].map(([, script]) => script ?? '');
    const known = new Set([...Object.keys(scripts), 'ci', 'install', 'i']);
    expect(named.filter((script) => !known.has(script))).toEqual([]);
  });
});
