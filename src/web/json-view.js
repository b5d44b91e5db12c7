import { element } from './dom.js';
import { readJson } from './json.js';

/** Beyond this many characters a document is shown as it is, without colours: a browser must not stall on it. */
const longest = 200_000;

/**
 * A document in colours and indented, each number and string exactly as its author wrote it; one that cannot be read is
 * shown as it is.
 */
export function jsonView(text) {
  const view = element('pre', { class: 'json', tabindex: '0' });
  const node = text.length <= longest ? readable(text) : undefined;
  if (node === undefined) view.textContent = text;
  else print(view, node, '');
  return view;
}

/** The same for a node that was read before. */
export function nodeView(node) {
  const view = element('pre', { class: 'json', tabindex: '0' });
  print(view, node, '');
  return view;
}

/** A node on one line, cut to `length` characters: for a summary. */
export function shortText(node, length) {
  const text = compact(node);
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

function readable(text) {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

function print(into, node, indent) {
  switch (node.kind) {
    case 'object':
      return printAll(into, {
        open: '{',
        close: '}',
        indent,
        entries: node.members.map(([key, value]) => (inner) => {
          into.append(token('key', JSON.stringify(key)), ': ');
          print(into, value, inner);
        }),
      });
    case 'array':
      return printAll(into, {
        open: '[',
        close: ']',
        indent,
        entries: node.items.map((item) => (inner) => print(into, item, inner)),
      });
    default:
      into.append(token(node.kind, node.text));
  }
}

function printAll(into, { open, close, indent, entries }) {
  into.append(open);
  const inner = `${indent}  `;
  entries.forEach((printEntry, index) => {
    into.append(index === 0 ? `\n${inner}` : `,\n${inner}`);
    printEntry(inner);
  });
  into.append(entries.length === 0 ? close : `\n${indent}${close}`);
}

const token = (kind, text) => element('span', { class: `json-${kind}`, text });

function compact(node) {
  if (node.kind === 'object') {
    return `{${node.members.map(([key, value]) => `${JSON.stringify(key)}: ${compact(value)}`).join(', ')}}`;
  }
  if (node.kind === 'array') return `[${node.items.map(compact).join(', ')}]`;
  return node.text;
}
