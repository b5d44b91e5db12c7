import { readDocument } from './document.js';
import { readBlocks } from './fence.js';

/**
 * The one JSON document in an agent's prose, as it was written there: the whole text, or the only fenced block that
 * holds one, or the only object or array that stands in no other. Two candidates are none, and so is one that cannot be
 * read: which was meant is not for us to guess. `reason` is a sentence.
 */
export function extractDocument(
  prose: string,
): { readonly ok: true; readonly document: string } | { readonly ok: false; readonly reason: string } {
  const whole = readDocument(prose);
  if (whole.ok) return { ok: true, document: whole.json };
  const found = readBlocks(prose).flatMap(({ text, fence }) =>
    fence === undefined ? [...candidatesIn(text)] : candidatesInFence(text, fence),
  );
  const likely = found.filter(({ slight }) => !slight);
  const [candidate, ...others] = likely.length > 0 ? likely : found;
  if (candidate === undefined) return { ok: false, reason: 'The answer holds no JSON document.' };
  if (others.length > 0)
    return { ok: false, reason: `The answer holds ${others.length + 1} JSON documents, and not one.` };
  const { read, brokenOff } = candidate;
  if (read.ok) return { ok: true, document: read.json };
  const reason = brokenOff ? 'breaks off before its end' : `cannot be read: ${read.reason}`;
  return { ok: false, reason: `The JSON document in the answer ${reason}.` };
}

interface Candidate {
  readonly read: ReturnType<typeof readDocument>;
  /** `[1]`, `[ ]`, `{}`: prose has such brackets for other ends, so they count only where nothing else does. */
  readonly slight: boolean;
  readonly brokenOff: boolean;
}

/** A block marked as JSON is meant, whatever it holds; a block marked as another language is not, unless it is JSON. */
function candidatesInFence(text: string, language: string): readonly Candidate[] {
  const read = readDocument(text);
  if (read.ok || /^(?:application\/)?json/i.test(language))
    return [{ read, slight: false, brokenOff: false }];
  return /^(?:te?xt|plain.*)?$/i.test(language) ? [...candidatesIn(text)] : [];
}

const likeObject = /\{\s*["}]/y;
const likeArray = /\[\s*(?:["{[\]\d-]|true|false|null)/y;
const slightForm = /^[[{][\s\d.,-]*[\]}]$/;

/** The objects and arrays of a text that stand in no other bracket; what a bracket holds is never a candidate. */
function* candidatesIn(text: string): Generator<Candidate> {
  const opening = /[{[]/g;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const start = match.index;
    const strict = matchesAt(likeObject, { text, at: start });
    const json = strict || matchesAt(likeArray, { text, at: start });
    const end = closing(text, { start, quoted: json });
    if (json) {
      const slice = text.slice(start, end);
      const read = readDocument(slice);
      // `{"` and `[{` mean JSON, also when it is broken off; `[12:30]` and `[[note]]` need not.
      if (read.ok || strict || /^\[\s*["{]/.test(slice))
        yield { read, slight: slightForm.test(slice), brokenOff: end === undefined };
    }
    if (end === undefined) return;
    opening.lastIndex = end;
  }
}

function matchesAt(pattern: RegExp, { text, at }: { readonly text: string; readonly at: number }): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** The offset after the bracket that closes the one at `start`; `quoted`: brackets inside of strings are none. */
function closing(
  text: string,
  { start, quoted }: { readonly start: number; readonly quoted: boolean },
): number | undefined {
  const token = quoted ? /["{}[\]]/g : /[{}[\]]/g;
  token.lastIndex = start;
  let depth = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [character] = match;
    if (character === '"') {
      const end = endOfString(text, token.lastIndex);
      if (end === undefined) return undefined;
      token.lastIndex = end;
    } else {
      depth += character === '{' || character === '[' ? 1 : -1;
      if (depth === 0) return token.lastIndex;
    }
  }
  return undefined;
}

function endOfString(text: string, start: number): number | undefined {
  const token = /["\\]/g;
  token.lastIndex = start;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    if (match[0] === '"') return token.lastIndex;
    token.lastIndex += 1;
  }
  return undefined;
}
