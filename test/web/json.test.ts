import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

interface Node {
  readonly kind: 'object' | 'array' | 'string' | 'number' | 'literal';
  readonly text: string;
  readonly value: string;
  readonly members: readonly (readonly [string, Node])[];
  readonly items: readonly Node[];
}

// The page's own module, as a browser loads it.
const {
  readJson,
  position,
  at,
}: {
  readJson(text: string): Node;
  position(text: string, offset: number): { line: number; column: number };
  at(node: Node, ...path: (string | number)[]): Node | undefined;
} = await import(new URL('../../src/web/json.js', import.meta.url).href);

/** The node as the value that JSON.parse would give. */
function parsedValue(node: Node): unknown {
  switch (node.kind) {
    case 'object':
      return Object.fromEntries(node.members.map(([key, value]) => [key, parsedValue(value)]));
    case 'array':
      return node.items.map(parsedValue);
    case 'string':
      return node.value;
    default:
      return JSON.parse(node.text);
  }
}

describe('the reader of the page', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent);
        expect(parsedValue(readJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('keeps every digit of a number', () => {
    for (const number of ['9007199254740993', '78.0', '1.0E+2', '-0', '1e-400', '0.1234567890123456789']) {
      expect(readJson(` ${number}\n`).text).toBe(number);
      expect(at(readJson(`{"a":[${number}]}`), 'a', 0)?.text).toBe(number);
    }
  });

  it('refuses what JSON.parse refuses, and says where', () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', ',', '"', '}', '01', 'x', '\n', '\\'),
        (json, at, put) => {
          const cut = at % (json.length + 1);
          const text = json.slice(0, cut) + put + json.slice(cut + 1);
          let known = true;
          try {
            JSON.parse(text);
          } catch {
            known = false;
          }
          if (known) readJson(text);
          else expect(() => readJson(text)).toThrow(/^expected .*, found /);
        },
      ),
    );
  });

  it.each([
    ['{"a": 1,\n "b": }', 2, 7],
    ['', 1, 1],
    ['[1] 2', 1, 5],
    ['{"a":01}', 1, 7],
  ])('points at the place of the fault in %j', (text, line, column) => {
    try {
      readJson(text);
      expect.unreachable();
    } catch (error) {
      const offset = error instanceof Error && 'offset' in error ? Number(error.offset) : -1;
      expect(position(text, offset)).toEqual({ line, column });
    }
  });
});
