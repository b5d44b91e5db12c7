/**
 * Reads a JSON text to nodes that keep every number and string as it was written; nothing is ever printed anew.
 * Throws a `JsonError` that says what is wrong and where.
 */
export function readJson(text) {
  const reader = { text, at: 0 };
  space(reader);
  const node = value(reader, 0);
  space(reader);
  if (reader.at < text.length) throw fault(reader, 'nothing more');
  return node;
}

export class JsonError extends Error {
  constructor(message, offset) {
    super(message);
    this.offset = offset;
  }
}

/** The node below `node` under these keys and indexes; undefined where there is none. */
export function at(node, ...path) {
  let found = node;
  for (const step of path) {
    found =
      typeof step === 'number'
        ? found?.items?.[step]
        : found?.members?.findLast(([key]) => key === step)?.[1];
  }
  return found;
}

/** Line and column of an offset, both from 1. */
export function position(text, offset) {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: before[before.length - 1].length + 1 };
}

const deepest = 500;

function value(reader, depth) {
  if (depth > deepest) throw new JsonError(`is nested deeper than ${deepest}`, reader.at);
  const start = reader.at;
  const first = reader.text[start];
  if (first === '{') return object(reader, depth);
  if (first === '[') return array(reader, depth);
  if (first === '"') {
    const string = scan(reader, stringToken, 'a string');
    return { kind: 'string', text: string, value: JSON.parse(string) };
  }
  const text = scan(reader, scalarToken, 'a value');
  return { kind: text === 'true' || text === 'false' || text === 'null' ? 'literal' : 'number', text };
}

function object(reader, depth) {
  const members = [];
  reader.at += 1;
  space(reader);
  while (!take(reader, '}')) {
    if (members.length > 0) {
      expect(reader, ',', 'a comma or the closing brace');
      space(reader);
    }
    const key = JSON.parse(scan(reader, stringToken, 'a name in double quotes'));
    space(reader);
    expect(reader, ':', 'a colon');
    space(reader);
    members.push([key, value(reader, depth + 1)]);
    space(reader);
  }
  return { kind: 'object', members };
}

function array(reader, depth) {
  const items = [];
  reader.at += 1;
  space(reader);
  while (!take(reader, ']')) {
    if (items.length > 0) {
      expect(reader, ',', 'a comma or the closing bracket');
      space(reader);
    }
    items.push(value(reader, depth + 1));
    space(reader);
  }
  return { kind: 'array', items };
}

const spaceToken = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in a string.
const stringToken = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const scalarToken = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

function space(reader) {
  spaceToken.lastIndex = reader.at;
  spaceToken.test(reader.text);
  reader.at = spaceToken.lastIndex;
}

function scan(reader, token, expected) {
  token.lastIndex = reader.at;
  const [found] = token.exec(reader.text) ?? [];
  if (found === undefined) throw fault(reader, expected);
  reader.at += found.length;
  return found;
}

function take(reader, character) {
  if (reader.text[reader.at] !== character) return false;
  reader.at += 1;
  return true;
}

function expect(reader, character, expected) {
  if (!take(reader, character)) throw fault(reader, expected);
}

function fault({ text, at }, expected) {
  const found = at < text.length ? JSON.stringify(text[at]) : 'the end';
  return new JsonError(`expected ${expected}, found ${found}`, at);
}
