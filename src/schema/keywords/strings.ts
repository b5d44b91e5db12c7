import { countAt, type Keyword, textAt } from '../place.js';
import { isFound, spend } from '../run.js';
import { fail, quote } from '../violation.js';

/** How many characters (code points) there must be. */
export const minLength: Keyword = (place) => {
  const least = countAt(place, 'minLength');
  if (least === undefined) return;
  const rule = { keyword: 'minLength', message: `must be at least ${characters(least)} long` };
  place.checks.strings.push((text, run) => {
    if (text.length < least) return fail(rule);
    // A code point is one or two UTF-16 units: often there is nothing to count.
    if (text.length >= least * 2) return undefined;
    spend(run, text.length / 4);
    return codePoints(text) >= least ? undefined : fail(rule);
  });
};

/** How many characters (code points) there may be. */
export const maxLength: Keyword = (place) => {
  const most = countAt(place, 'maxLength');
  if (most === undefined) return;
  const rule = { keyword: 'maxLength', message: `must be at most ${characters(most)} long` };
  place.checks.strings.push((text, run) => {
    if (text.length <= most) return undefined;
    if (text.length > most * 2) return fail(rule);
    spend(run, text.length / 4);
    return codePoints(text) <= most ? undefined : fail(rule);
  });
};

/** Fuel is charged as if the expression were linear; that it may not be is why such schemas are judged in a worker. */
export const pattern: Keyword = (place) => {
  const source = textAt(place, 'pattern');
  if (source === undefined) return;
  const expression = place.pattern(source);
  const rule = { keyword: 'pattern', message: `must match the pattern ${quote(source)}` };
  place.checks.strings.push((text, run) => {
    spend(run, 1 + text.length / 4);
    return isFound(expression, text) ? undefined : fail(rule);
  });
};

/** A format of draft 2020-12, where formats are asserted. */
export const format: Keyword = (place) => {
  const name = textAt(place, 'format');
  const holds = name === undefined ? undefined : place.format(name);
  if (name === undefined || holds === undefined) return;
  const rule = { keyword: 'format', message: `must be in the format ${quote(name)}` };
  place.checks.strings.push((text, run) => {
    spend(run, 8 + text.length);
    return holds(text) ? undefined : fail(rule);
  });
};

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const characters = (count: number): string => (count === 1 ? '1 character' : `${count} characters`);
