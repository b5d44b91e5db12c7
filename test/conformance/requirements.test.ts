import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { citedRequirements, requirements } from './requirements.js';

const sources = new Map<string, string>();
const sourceOf = (file: string): string => {
  const known = sources.get(file) ?? readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  sources.set(file, known);
  return known;
};

/** How a title stands in the source of a test: the first argument of a call. */
const titleOf =
  /(?<call>\b(?:it|describe)\b[\w.]*)?(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\(\s*(?<quoted>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`$]*`),/g;

/** The titles of tests that run; those of `skip`, `todo` and `fails` are none. */
const titlesOf = (source: string): ReadonlySet<string> =>
  new Set(
    [...source.matchAll(titleOf)].flatMap(({ groups: { call = '', quoted = '' } = {} }) =>
      /\.(skip|todo|fails)/.test(call) ? [] : [quoted.slice(1, -1).replaceAll(/\\(.)/g, '$1')],
    ),
  );

describe('Each requirement', () => {
  it('has an id of its own, a clause and a sentence', () => {
    const ids = requirements.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, clause, sentence } of requirements) {
      expect(id).toMatch(/^(A2A|OUTPUT|KEDI)-[\w.]+-[a-z]$/);
      expect(clause).toMatch(/./);
      expect(sentence).toMatch(/^\S.*\.$/);
    }
  });

  it.each(citedRequirements)('is verified by a test that exists: $id $sentence', ({ at }) => {
    expect(at.length).toBeGreaterThan(0);
    for (const [file, title] of at) expect([file, ...titlesOf(sourceOf(file))]).toContain(title);
  });
});

describe('A citation', () => {
  const source = "it('runs', () => {});\nit.skip('sleeps', () => {});\ndescribe.todo('comes', () => {});";

  it('of a test that does not run, or is not there, is none', () => {
    expect([...titlesOf(source)]).toEqual(['runs']);
  });
});
