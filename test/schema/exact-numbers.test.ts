import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compileSchema } from '../../src/schema/compile.js';

interface Case {
  readonly name: string;
  readonly schema: string;
  readonly instance: string;
  readonly valid?: boolean;
  readonly error?: 'syntax' | 'number' | 'duplicate' | 'depth' | 'schema';
}

const cases: readonly Case[] = JSON.parse(
  readFileSync(new URL('../fixtures/cases/exact-numbers.json', import.meta.url), 'utf8'),
);

describe('numbers are judged by their exact value, however they are spelt', () => {
  test.each(cases.filter(({ error }) => error === undefined))('$name', ({ schema, instance, valid }) => {
    expect(compileSchema(schema).check(instance)).toMatchObject(
      valid ? { ok: true, json: instance.trim() } : { ok: false, code: 'RESULT_INVALID' },
    );
  });
});

describe('what is not one clear value is refused', () => {
  const fault: Readonly<Record<string, readonly string[]>> = {
    syntax: ['syntax', 'encoding'],
    number: ['number'],
    duplicate: ['duplicate'],
    depth: ['depth'],
  };

  test.each(cases.filter(({ error }) => error !== undefined))('$name', ({ schema, instance, error }) => {
    if (error === 'schema') {
      expect(() => compileSchema(schema)).toThrow(expect.objectContaining({ code: 'SCHEMA_INVALID' }));
      return;
    }
    const verdict = compileSchema(schema).check(instance);
    if (verdict.ok || error === undefined) throw new Error('accepted');
    expect(fault[error]).toContain(verdict.violation.keyword);
    expect(['RESULT_MALFORMED', 'RESULT_TOO_LARGE']).toContain(verdict.code);
  });
});
