import { canonicalText } from '../canonical.js';
import { countAt, type Keyword, listAt } from '../place.js';
import { spend } from '../run.js';
import { fail, within } from '../violation.js';

/** `prefixItems` for the first items, `items` for the rest. */
export const items: Keyword = (place) => {
  const prefix = listAt(place, 'prefixItems').map((node) => place.subschema(node, 'prefixItems'));
  const node = place.schema.get('items');
  const rest = node === undefined ? undefined : place.subschema(node, 'items');
  place.checks.arrays.push((array, run) => {
    const { evaluated } = run;
    run.evaluated = undefined;
    let index = 0;
    for (const item of array) {
      const check = prefix[index] ?? rest;
      if (check === undefined) break;
      const failure = check(item, run);
      if (failure !== undefined) return within(index, failure);
      index += 1;
    }
    run.evaluated = evaluated;
    if (evaluated !== undefined) evaluated.leadingItems = Math.max(evaluated.leadingItems, index);
    return undefined;
  });
};

/** `contains` with `minContains` and `maxContains`. */
export const contains: Keyword = (place) => {
  const node = place.schema.get('contains');
  if (node === undefined) return;
  const check = place.subschema(node, 'contains');
  const least = countAt(place, 'minContains') ?? 1;
  const most = countAt(place, 'maxContains') ?? Number.POSITIVE_INFINITY;
  const tooFew = {
    keyword: place.schema.has('minContains') ? 'minContains' : 'contains',
    message: `must contain at least ${matches(least)}`,
  };
  const tooMany = { keyword: 'maxContains', message: `must contain at most ${matches(most)}` };
  place.checks.arrays.push((array, run) => {
    const { evaluated } = run;
    let count = 0;
    for (const [index, item] of array.entries()) {
      run.evaluated = undefined;
      if (check(item, run) !== undefined) continue;
      count += 1;
      evaluated?.items.add(index);
      if (count > most) return fail(tooMany);
      if (count >= least && most === Number.POSITIVE_INFINITY && evaluated === undefined) break;
    }
    run.evaluated = evaluated;
    return count < least ? fail(tooFew) : undefined;
  });
};

/** Whether all items must differ: by value, not by spelling. */
export const uniqueItems: Keyword = ({ schema, checks }) => {
  if (schema.get('uniqueItems') !== true) return;
  checks.arrays.push((array, run) => {
    const seen = new Map<string, number>();
    for (const [index, item] of array.entries()) {
      spend(run, 4);
      const text = canonicalText(item, run);
      const first = seen.get(text);
      if (first !== undefined) {
        return fail({ keyword: 'uniqueItems', message: `items ${first} and ${index} must differ` });
      }
      seen.set(text, index);
    }
    return undefined;
  });
};

/** How many items there must be. */
export const minItems = size('minItems', 'at least', (count, least) => count >= least);
/** How many items there may be. */
export const maxItems = size('maxItems', 'at most', (count, most) => count <= most);

function size(keyword: string, wording: string, holds: (count: number, limit: number) => boolean): Keyword {
  return (place) => {
    const limit = countAt(place, keyword);
    if (limit === undefined) return;
    const rule = { keyword, message: `must have ${wording} ${limit === 1 ? '1 item' : `${limit} items`}` };
    place.checks.arrays.push((array) => (holds(array.length, limit) ? undefined : fail(rule)));
  };
}

const matches = (count: number): string =>
  count === 1 ? '1 item that matches' : `${count} items that match`;
