import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canonicalNumber,
  compareNumbers,
  type ExactNumber,
  exactNumber,
  isInteger,
  isMultiple,
  printNumber,
} from '../../src/schema/numbers.js';

/** The value of a number token as a fraction of two BigInts, by schoolbook arithmetic. */
interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

function rational(token: string): Rational {
  const [mantissa = '', power = '0'] = token.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const exponent = BigInt(power.replace('+', '')) - BigInt(fraction.length);
  const digits = BigInt(`${whole.replace('-', '')}${fraction}`);
  const numerator = whole.startsWith('-') ? -digits : digits;
  return exponent >= 0n
    ? { numerator: numerator * 10n ** exponent, denominator: 1n }
    : { numerator, denominator: 10n ** -exponent };
}

const sign = (value: bigint): number => (value > 0n ? 1 : value < 0n ? -1 : 0);

const compareRationals = (one: Rational, other: Rational): number =>
  sign(one.numerator * other.denominator - other.numerator * one.denominator);

function exact(token: string): ExactNumber {
  const value = exactNumber(token);
  if (value === undefined) throw new Error(`${token} is not finite`);
  return value;
}

const digits = fc.stringMatching(/^[0-9]{1,24}$/);
const whole = fc.stringMatching(/^(0|[1-9][0-9]{0,24})$/);
const token = fc
  .record({
    minus: fc.constantFrom('', '-'),
    whole,
    fraction: fc.option(digits, { nil: undefined }),
    power: fc.option(fc.integer({ min: -330, max: 280 }), { nil: undefined }),
  })
  .map((parts) => {
    const fraction = parts.fraction === undefined ? '' : `.${parts.fraction}`;
    const power = parts.power === undefined ? '' : `e${parts.power}`;
    return `${parts.minus}${parts.whole}${fraction}${power}`;
  });

/** Another spelling of a number near the first: the last digits differ, or only the point and the exponent do. */
const near = token.chain((one) =>
  fc.tuple(
    fc.constant(one),
    fc.oneof(
      token,
      fc.constant(
        `${one.replace(/e.*$/, '')}${one.includes('.') ? '0' : '.0'}${/e.*$/.exec(one)?.[0] ?? ''}`,
      ),
      fc
        .nat({ max: 9 })
        .map((digit) => one.replace(/\d(?=\D*$|e)/, String(digit)).replace(/^(-?)0+(?=\d)/, '$1')),
      fc
        .double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 })
        .map((double) => String(double)),
    ),
  ),
);

const quotientIsWhole = (value: Rational, by: Rational): boolean =>
  (value.numerator * by.denominator) % (value.denominator * by.numerator) === 0n;

test('arithmetic on exact numbers is that of fractions of whole numbers, on 100,000 random pairs', () => {
  let multiples = 0;
  const factor = fc.bigInt({ min: 1n, max: 10n ** 20n });
  fc.assert(
    fc.property(near, factor, ([one, other], times) => {
      const [left, right] = [exact(one), exact(other)];
      const [leftValue, rightValue] = [rational(one), rational(other)];
      const comparison = compareRationals(leftValue, rightValue);
      if (Math.sign(compareNumbers(left, right)) !== comparison) return false;
      if ((canonicalNumber(left) === canonicalNumber(right)) !== (comparison === 0)) return false;
      if (isInteger(left) !== (leftValue.numerator % leftValue.denominator === 0n)) return false;
      if (rightValue.numerator <= 0n) return true;
      const multiple = exact(`${rightValue.numerator * times}e-300`);
      const isWhole = quotientIsWhole(leftValue, rightValue);
      if (isWhole) multiples += 1;
      return (
        isMultiple(left, right) === isWhole && isMultiple(multiple, exact(`${rightValue.numerator}e-300`))
      );
    }),
    { numRuns: 100_000 },
  );
  expect(multiples).toBeGreaterThan(1_000);
}, 60_000);

describe('numbers that would not fit into memory if they were written out', () => {
  const tiny = exact('1e-1000000000');
  const tinier = exact(`3e-${'9'.repeat(4_000)}`);

  test('are compared, and divide, at once', () => {
    expect(compareNumbers(tiny, exact('2e-1000000000'))).toBeLessThan(0);
    expect(compareNumbers(tinier, tiny)).toBeLessThan(0);
    expect(compareNumbers(0, tinier)).toBeLessThan(0);
    expect(compareNumbers(exact(`-3e-${'9'.repeat(4_000)}`), 0)).toBeLessThan(0);
    expect(isInteger(tinier)).toBe(false);
    expect(isMultiple(tiny, 1)).toBe(false);
    expect(isMultiple(exact('12e300'), tinier)).toBe(true);
    expect(isMultiple(exact('1e300'), tinier)).toBe(false);
    expect(isMultiple(exact('7e300'), exact(`${'1'.repeat(300)}e-4000`))).toBe(false);
  });

  test('one that is no double is refused by its size alone', () => {
    expect(exactNumber(`1e${'9'.repeat(4_000)}`)).toBeUndefined();
    expect(exactNumber(`0e${'9'.repeat(4_000)}`)).toBe(0);
    expect(exactNumber('1.7976931348623157e308')).toBeDefined();
    expect(exactNumber('1.7976931348623159e308')).toBeUndefined();
  });
});

test('numbers are printed for people in full where that is short', () => {
  const printed = (spelling: string) => printNumber(exact(spelling));
  expect(printed('9007199254740993')).toBe('9007199254740993');
  expect(printed('-9007199254740993.50')).toBe('-9007199254740993.5');
  expect(printed('12345678901234567890e3')).toBe('12345678901234567890000');
  expect(printed('0.1')).toBe('0.1');
  expect(printed('1e-400')).toBe('0.1e-399');
});
