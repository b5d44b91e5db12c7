import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { KediError } from '../../src/domain/errors.js';
import { type CompiledSchema, compileSchema, type JudgingOptions } from '../../src/schema/compile.js';
import { readSpans, type Span } from '../../src/schema/document.js';

// The official suite of json-schema.org for draft 2020-12; its licence is beside it. Its files are read by our own
// reader, so that numbers reach the validator as they are written there.
const suite = new URL('../fixtures/json-schema-test-suite/draft2020-12/', import.meta.url);

const filesIn = (folder: string): string[] =>
  readdirSync(new URL(folder, suite))
    .filter((name) => name.endsWith('.json'))
    .map((name) => folder + name);

function groupsIn(file: string): readonly Span[] {
  const read = readSpans(readFileSync(new URL(file, suite)));
  if (!read.ok) throw new Error(`${file}: ${read.reason}`);
  return read.span.items;
}

const textOf = (span: Span, name: string): string => span.members.get(name)?.string ?? '';
const jsonOf = (span: Span, name: string): string => span.members.get(name)?.json ?? '';

/** Wrong verdicts of a compiled group, each as one line. */
function wrongVerdicts(group: Span, schema: CompiledSchema): string[] {
  return (group.members.get('tests')?.items ?? []).flatMap((item) => {
    const verdict = schema.check(jsonOf(item, 'data'));
    const expected = jsonOf(item, 'valid') === 'true';
    if (verdict.ok === expected && (verdict.ok || verdict.code === 'RESULT_INVALID')) return [];
    return `${textOf(group, 'description')}: ${textOf(item, 'description')}: ${JSON.stringify(verdict)}`;
  });
}

function outcome(group: Span, options: JudgingOptions = {}): { refusal?: string; wrong: string[] } {
  try {
    return { wrong: wrongVerdicts(group, compileSchema(jsonOf(group, 'schema'), options)) };
  } catch (error) {
    if (!(error instanceof KediError)) throw error;
    return { refusal: `${error.code} ${error.pointer?.match(/[^/]*$/)?.[0]}`, wrong: [] };
  }
}

const idBelowTheRoot = 'SCHEMA_UNSUPPORTED $id';
const referenceOutOfTheDocument = 'SCHEMA_UNSUPPORTED $ref';
const otherDialect = 'SCHEMA_UNSUPPORTED $schema';

/** What our rules refuse, by file and reason; everything else must get its verdict. */
const refused: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'anchor.json': {
    [idBelowTheRoot]: [
      'Location-independent identifier with absolute URI',
      'Location-independent identifier with base URI change in subschema',
      'same $anchor with different base uri',
    ],
  },
  'dynamicRef.json': {
    [idBelowTheRoot]: [
      'A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated',
      'A $dynamicRef without anchor in fragment behaves identical to $ref',
      "A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution",
      'An $anchor with the same name as a $dynamicAnchor is not used for dynamic scope resolution',
      'A $dynamicRef without a matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor',
      'A $dynamicRef with a non-matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor',
      'A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope',
      'A $dynamicRef that initially resolves to a schema without a matching $dynamicAnchor behaves like a normal $ref to $anchor',
      'multiple dynamic paths to the $dynamicRef keyword',
      'after leaving a dynamic scope, it is not used by a $dynamicRef',
      '$dynamicRef skips over intermediate resources - direct reference',
      '$dynamicRef avoids the root of each schema, but scopes are still registered',
    ],
    [referenceOutOfTheDocument]: [
      'strict-tree schema, guards against misspelled properties',
      'tests for implementation dynamic anchor and reference link',
      '$ref and $dynamicAnchor are independent of order - $defs first',
      '$ref and $dynamicAnchor are independent of order - $ref first',
      '$ref to $dynamicRef finds detached $dynamicAnchor',
    ],
  },
  'ref.json': {
    [idBelowTheRoot]: [
      'Recursive references between schemas',
      'refs with relative uris and defs',
      'relative refs with absolute uris and defs',
      '$id must be resolved against nearest parent, not just immediate parent',
      'order of evaluation: $id and $ref',
      'order of evaluation: $id and $anchor and $ref',
      'order of evaluation: $id and $ref on nested schema',
      'URN ref with nested pointer ref',
      'ref to if',
      'ref to then',
      'ref to else',
      'ref with absolute-path-reference',
    ],
  },
  'refRemote.json': {
    [referenceOutOfTheDocument]: [
      'remote ref',
      'fragment within remote ref',
      'anchor within remote ref',
      'ref within remote ref',
      'root ref in remote ref',
      'remote ref with ref to defs',
      'Location-independent identifier in remote ref',
      'retrieved nested refs resolve relative to their URI not $id',
      'remote HTTP ref with different $id',
      'remote HTTP ref with different URN $id',
      'remote HTTP ref with nested absolute ref',
      '$ref to $ref finds detached $anchor',
    ],
    [idBelowTheRoot]: [
      'base URI change',
      'base URI change - change folder',
      'base URI change - change folder in subschema',
    ],
  },
  'unevaluatedItems.json': {
    [idBelowTheRoot]: ['unevaluatedItems with $dynamicRef'],
  },
  'unevaluatedProperties.json': {
    [idBelowTheRoot]: ['unevaluatedProperties with $dynamicRef'],
  },
  'vocabulary.json': {
    [otherDialect]: [
      'schema that uses custom metaschema with with no validation vocabulary',
      'ignore unrecognized optional vocabulary',
    ],
  },
};

describe.each([
  ...filesIn(''),
  ...['bignum', 'float-overflow', 'ecmascript-regex', 'non-bmp-regex'].map((name) => `optional/${name}.json`),
])('%s', (file) => {
  test('every verdict is right, and only what our rules refuse is refused', () => {
    const wrong: string[] = [];
    const refusals = new Map<string, string[]>();
    for (const group of groupsIn(file)) {
      const { refusal, wrong: verdicts } = outcome(group);
      wrong.push(...verdicts);
      if (refusal === undefined) continue;
      refusals.set(refusal, [...(refusals.get(refusal) ?? []), textOf(group, 'description')]);
    }
    expect(wrong).toEqual([]);
    expect(Object.fromEntries(refusals)).toEqual(refused[file] ?? {});
  });
});

describe('formats, where they are asserted', () => {
  /** Verdicts that the format library is known to get wrong. */
  const knownFaults = [
    'validation of separators in internationalized host names: trailing dot',
    'validation of separators in internationalized host names: trailing ideographic full stop',
    'validation of separators in internationalized host names: trailing fullwidth full stop',
    'validation of separators in internationalized host names: trailing halfwidth ideographic full stop',
    'validation of IRIs: an IPvFuture host with an uppercase version letter is valid',
  ];

  test('every verdict on the optional format tests is right, but for those known', () => {
    const wrong = filesIn('optional/format/').flatMap((file) =>
      groupsIn(file).flatMap((group) => outcome(group, { assertFormats: true }).wrong),
    );
    expect(wrong.map((line) => line.replace(/: \{.*$/, ''))).toEqual(knownFaults);
  });
});
