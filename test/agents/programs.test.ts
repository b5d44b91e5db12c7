import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { knownPrograms } from '../../src/agents/programs.js';

it('the doctor names the versions that are really tested', () => {
  const pinned: readonly { readonly name: string; readonly version: string; readonly bin?: string }[] =
    JSON.parse(readFileSync(new URL('../../scripts/harnesses.json', import.meta.url), 'utf8'));
  const tested = knownPrograms.flatMap(({ name, tested }) => (tested === undefined ? [] : [[name, tested]]));
  expect(Object.fromEntries(tested)).toEqual(
    Object.fromEntries(
      pinned.flatMap(({ name, version, bin }) => (bin === undefined ? [] : [[name, version]])),
    ),
  );
});
