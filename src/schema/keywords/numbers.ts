import { compareNumbers, type ExactNumber, isMultiple } from '../numbers.js';
import { type Keyword, numberAt } from '../place.js';
import { spend } from '../run.js';
import { fail, quote } from '../violation.js';

/** The least value that is allowed. */
export const minimum = bound('minimum', 'must be at least', (difference) => difference >= 0);
/** The greatest value that is allowed. */
export const maximum = bound('maximum', 'must be at most', (difference) => difference <= 0);
/** The value that must be exceeded. */
export const exclusiveMinimum = bound(
  'exclusiveMinimum',
  'must be more than',
  (difference) => difference > 0,
);
/** The value that must not be reached. */
export const exclusiveMaximum = bound(
  'exclusiveMaximum',
  'must be less than',
  (difference) => difference < 0,
);

/** What the value must be a multiple of. */
export const multipleOf: Keyword = (place) => {
  const divisor = numberAt(place, 'multipleOf');
  if (divisor === undefined) return;
  const rule = { keyword: 'multipleOf', message: `must be a multiple of ${quote(divisor)}` };
  place.checks.numbers.push((value, run) => {
    spend(run, Number.isSafeInteger(value) ? 2 : 24);
    spend(run, work(value) + work(divisor));
    return isMultiple(value, divisor) ? undefined : fail(rule);
  });
};

function bound(keyword: string, wording: string, holds: (difference: number) => boolean): Keyword {
  return (place) => {
    const limit = numberAt(place, keyword);
    if (limit === undefined) return;
    const rule = { keyword, message: `${wording} ${quote(limit)}` };
    place.checks.numbers.push((value, run) => {
      spend(run, work(value) + work(limit));
      return holds(compareNumbers(value, limit)) ? undefined : fail(rule);
    });
  };
}

/** In units of fuel: a decimal is taken to pieces, and up to 4,096 digits are compared or made a BigInt. */
const work = (value: ExactNumber): number => (typeof value === 'number' ? 0.5 : 16 + value.digits.length / 2);
