/**
 * A number that no double stands for one to one: `sign × 0.digits × 10^exponent`, the digits without zeros at either
 * end. The exponent is a bigint only where a double would round it, so that `1e-99999999999999999999` costs nothing.
 */
export interface Decimal {
  readonly sign: 1 | -1;
  readonly digits: string;
  readonly exponent: number | bigint;
}

/**
 * An exact number of JSON. At most 15 significant digits in the normal range map to doubles one to one and in order,
 * so those are doubles and native comparison is exact; all others are decimals, and a double never equals a decimal.
 */
export type ExactNumber = number | Decimal;

/** The exact value of a number token of JSON; undefined where it is not finite as a double (`1e400`). */
export function exactNumber(token: string): ExactNumber | undefined {
  const decimal = toDecimal(token);
  if (decimal === undefined) return 0;
  const { digits, exponent } = decimal;
  if (digits.length <= 15 && exponent > -300 && exponent < 308) return Number(token);
  return exponent > 308 && !Number.isFinite(Number(token)) ? undefined : decimal;
}

/** Negative, zero or positive as `left` is less than, equal to or greater than `right`; digits are never expanded. */
export function compareNumbers(left: ExactNumber, right: ExactNumber): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  const [one, other] = [asDecimal(left), asDecimal(right)];
  const sign = one?.sign ?? 0;
  if (sign !== (other?.sign ?? 0)) return sign - (other?.sign ?? 0);
  if (one === undefined || other === undefined) return 0;
  return sign > 0 ? compareSizes(one, other) : compareSizes(other, one);
}

/** Whether the value has no fraction: `78.0` and `780e-1` have none. */
export const isInteger = (value: ExactNumber): boolean =>
  typeof value === 'number' ? Number.isInteger(value) : value.exponent >= value.digits.length;

/** Whether a value divided by `divisor`, which is greater than zero, leaves an integer. */
export function isMultiple(value: ExactNumber, divisor: ExactNumber): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor))
    return Number(value) % Number(divisor) === 0;
  const [dividend, by] = [asDecimal(value), asDecimal(divisor)];
  if (dividend === undefined || by === undefined) return true;
  const shift = lastPlace(dividend) - lastPlace(by);
  // The dividend's last digit is not zero, so no power of ten is left in it to divide by.
  if (shift < 0n) return false;
  const modulus = BigInt(by.digits);
  // More powers of two and five than the modulus could have itself change nothing.
  const enough = BigInt(4 * by.digits.length);
  return (BigInt(dividend.digits) * powerOfTen(shift < enough ? shift : enough, modulus)) % modulus === 0n;
}

/** One text for one value, however it was spelt. */
export const canonicalNumber = (value: ExactNumber): string =>
  typeof value === 'number'
    ? String(value)
    : `${value.sign < 0 ? '-' : ''}.${value.digits}e${value.exponent}`;

/** The number for people: in full where that is short. */
export function printNumber(value: ExactNumber): string {
  if (typeof value === 'number') return String(value);
  const { sign, digits, exponent } = value;
  const minus = sign < 0 ? '-' : '';
  if (exponent > 0 && exponent <= 40) {
    const whole = digits.slice(0, Number(exponent)).padEnd(Number(exponent), '0');
    const fraction = digits.slice(Number(exponent));
    return `${minus}${whole}${fraction && '.'}${fraction}`;
  }
  return `${minus}0.${digits}e${exponent}`;
}

const numberToken = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

function toDecimal(token: string): Decimal | undefined {
  const [, minus, whole = '', fraction = '', power = '0'] = numberToken.exec(token) ?? [];
  const all = whole + fraction;
  const first = all.search(/[1-9]/);
  if (first < 0) return undefined;
  let end = all.length;
  while (all.charCodeAt(end - 1) === 0x30) end -= 1;
  const places = whole.length - first;
  const exponent = Number(power) + places;
  return {
    sign: minus === '' ? 1 : -1,
    digits: all.slice(first, end),
    exponent: Number.isSafeInteger(exponent) ? exponent : BigInt(power.replace('+', '')) + BigInt(places),
  };
}

/** A double prints as the shortest decimal that reads back to it: the very one that it stands for. Undefined is zero. */
const asDecimal = (value: ExactNumber): Decimal | undefined =>
  typeof value === 'number' ? toDecimal(String(value)) : value;

function compareSizes(left: Decimal, right: Decimal): number {
  if (left.exponent !== right.exponent) return left.exponent < right.exponent ? -1 : 1;
  if (left.digits === right.digits) return 0;
  return left.digits < right.digits ? -1 : 1;
}

const lastPlace = ({ digits, exponent }: Decimal): bigint => BigInt(exponent) - BigInt(digits.length);

function powerOfTen(exponent: bigint, modulus: bigint): bigint {
  let result = 1n % modulus;
  let square = 10n % modulus;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}
