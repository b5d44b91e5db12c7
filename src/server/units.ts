const KIB = 1024;
const sizes = {
  B: 1,
  KB: 1000,
  MB: 1000 ** 2,
  GB: 1000 ** 3,
  KIB: KIB,
  MIB: KIB ** 2,
  GIB: KIB ** 3,
} as const;
const durations = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Bytes of `1MiB`, `64 KiB`, `8MB` or a plain number, which is bytes; undefined for anything else. */
export const readSize = (text: string): number | undefined =>
  readQuantity(text, (unit) => (unit === '' ? 1 : member(sizes, unit.toUpperCase())));

/** Milliseconds of `500ms`, `30s`, `5m`, `1h`, `30d`; a plain number is refused, since nobody could tell its unit. */
export const readDuration = (text: string): number | undefined =>
  text.trim() === '0' ? 0 : readQuantity(text, (unit) => member(durations, unit.toLowerCase()));

const readQuantity = (text: string, factorOf: (unit: string) => number | undefined): number | undefined => {
  const [, digits, unit] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text) ?? [];
  if (digits === undefined || unit === undefined) return undefined;
  const factor = factorOf(unit);
  if (factor === undefined) return undefined;
  const quantity = Number(digits) * factor;
  return Number.isSafeInteger(quantity) ? quantity : undefined;
};

const member = (units: Readonly<Record<string, number>>, unit: string): number | undefined =>
  Object.hasOwn(units, unit) ? units[unit] : undefined;
