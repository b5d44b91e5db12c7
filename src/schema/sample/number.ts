import { type ExactNumber, printNumber } from '../numbers.js';
import { isNumber, type JsonObject } from '../value.js';

/** More decimal places than this are not calculated with: such a bound is tried itself, and the check decides. */
const mostPlaces = 2_000;
const mostTried = 12n;

/**
 * Numbers within the bounds and multiples of the `multipleOf` of all these schemas, calculated exactly, the most
 * ordinary first; `turn` makes the numbers of like places differ.
 */
export function* numbersFor(
  way: Iterable<JsonObject>,
  { integer, turn }: { readonly integer: boolean; readonly turn: number },
): Generator<string> {
  const schemas = [...way];
  const all = (keyword: string): readonly ExactNumber[] =>
    schemas.map((schema) => schema.get(keyword)).filter((value) => isNumber(value));
  const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].flatMap(all);
  const divisors = [...all('multipleOf'), ...(integer ? [1] : [])];
  const places = Math.max(0, ...[...bounds, ...divisors].map(placesOf));
  if (places <= mostPlaces) {
    // Between two bounds that are given to so many places there is always a number of some places more.
    const scale = divisors.length > 0 ? places : places + 3;
    const units = (value: ExactNumber): bigint => toUnits(value, scale);
    const range = {
      lower: inOrder([
        ...all('minimum').map(units),
        ...all('exclusiveMinimum').map((bound) => units(bound) + 1n),
      ]).at(-1),
      upper: inOrder([
        ...all('maximum').map(units),
        ...all('exclusiveMaximum').map((bound) => units(bound) - 1n),
      ])[0],
    };
    const one = 10n ** BigInt(scale);
    const found =
      divisors.length > 0
        ? multiples(range, divisors.map(units).reduce(leastCommonMultiple))
        : fractions(range, one);
    for (const value of inTurn(found, range, BigInt(turn))) yield print(value, scale);
  } else yield* [...bounds.map(printNumber), '0', '1', '-1', '1e300', '-1e300'];
}

/** In units of the last place; undefined: none. */
interface Range {
  readonly lower: bigint | undefined;
  readonly upper: bigint | undefined;
}

/** Where to begin, and how far it is to the next. */
interface Progression {
  readonly first: bigint;
  readonly step: bigint;
}

/** From the step itself on, where the bounds allow it: `1`, and not `0` or `-7`. */
function multiples({ lower, upper }: Range, step: bigint): Progression {
  if (lower !== undefined && lower > step) return { first: -floor(-lower, step) * step, step };
  if (upper !== undefined && upper < step) return { first: floor(upper, step) * step, step };
  return { first: step, step };
}

function fractions({ lower, upper }: Range, one: bigint): Progression {
  const usual = one + one / 2n;
  if ((lower ?? usual) <= usual && usual <= (upper ?? usual)) return { first: usual, step: one };
  if (lower === undefined) return { first: upper ?? usual, step: one };
  const width = upper === undefined ? one * 16n : upper - lower;
  const step = width >= one * 16n ? one : width / 16n || 1n;
  return { first: width > step ? lower + step : lower, step };
}

/** Upwards as far as the range goes, then downwards, beginning at the one whose turn it is. */
function* inTurn({ first, step }: Progression, { lower, upper }: Range, turn: bigint): Generator<bigint> {
  const upward = upper === undefined ? turn + mostTried : floor(upper - first, step) + 1n;
  const downward = lower === undefined ? turn + mostTried : floor(first - lower, step);
  const total = upward + downward;
  if (upward < 1n || downward < 0n) return;
  for (let tried = 0n; tried < mostTried && tried < total; tried += 1n) {
    const index = (turn + tried) % total;
    yield index < upward ? first + index * step : first - (index - upward + 1n) * step;
  }
  if (upper !== undefined) yield first + (upward - 1n) * step;
  if (lower !== undefined) yield first - downward * step;
}

const parts = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/;

function placesOf(value: ExactNumber): number {
  const [, , , fraction = '', exponent = '0'] = parts.exec(printNumber(value)) ?? [];
  return fraction.length - Number(exponent);
}

function toUnits(value: ExactNumber, scale: number): bigint {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts.exec(printNumber(value)) ?? [];
  return BigInt(sign + whole + fraction) * 10n ** BigInt(scale - fraction.length + Number(exponent));
}

function print(units: bigint, scale: number): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction && '.'}${fraction}`;
}

const inOrder = (values: readonly bigint[]): readonly bigint[] =>
  values.toSorted((one, other) => (one < other ? -1 : 1));

/** Division rounded down, where BigInt's own rounds towards zero. */
const floor = (dividend: bigint, divisor: bigint): bigint =>
  dividend / divisor - (dividend % divisor < 0n ? 1n : 0n);

function leastCommonMultiple(one: bigint, other: bigint): bigint {
  let [divisor, rest] = [one, other];
  while (rest > 0n) [divisor, rest] = [rest, divisor % rest];
  return (one / divisor) * other;
}
