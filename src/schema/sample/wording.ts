/** Lengths in characters (code points), as `minLength` and `maxLength` count them. */
export interface Length {
  readonly least: number;
  readonly most: number;
}

/** A text that says what it is a sample of, such as `Sample due date`; `turn` counts the items of a list from 0. */
export function readable(name: string, turn: number): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();
  const format = formatsOfNames.find(([pattern]) => pattern.test(words))?.[1];
  const [known] = format === undefined ? [] : formatted(format, turn);
  return known ?? `Sample ${words || 'text'}${turn === 0 ? '' : ` ${turn + 1}`}`;
}

const formatsOfNames: readonly (readonly [RegExp, string])[] = [
  [/\be ?mail$/, 'email'],
  [/\b(?:url|uri|link|website|homepage)$/, 'uri'],
  [/\bdate$/, 'date'],
  [/\b(?:timestamp|datetime)$/, 'date-time'],
  [/\buuid$/, 'uuid'],
];

/** Texts in a format of draft 2020-12, the usual one first and then a short one; none for formats not known here. */
export const formatted = (format: string, turn: number): readonly string[] =>
  byFormat.get(format)?.(turn, turn === 0 ? '' : String(turn + 1)) ?? [];

const day = (turn: number): string => new Date(Date.UTC(2026, 0, 31 + turn)).toISOString().slice(0, 10);
const time = (turn: number): string =>
  new Date(Date.UTC(2026, 0, 1, 12, 0, turn % 43_200)).toISOString().slice(11, 19);

type Formatted = (turn: number, number: string) => readonly string[];

const uri: Formatted = (_, number) => [`https://example.com/sample${number}`, `a:${number}`];
const uriReference: Formatted = (_, number) => [`/sample${number}`, number];
const email: Formatted = (_, number) => [`ada${number}@example.com`, `a${number}@b.co`];
const hostname: Formatted = (_, number) => [`www${number}.example.com`, `a${number}`];

const byFormat: ReadonlyMap<string, Formatted> = new Map<string, Formatted>([
  ['date', (turn) => [day(turn)]],
  ['date-time', (turn) => [`${day(turn)}T12:00:00Z`]],
  ['time', (turn) => [`${time(turn)}Z`]],
  ['duration', (turn) => [`PT${turn + 1}H`]],
  ['email', email],
  ['idn-email', email],
  ['hostname', hostname],
  ['idn-hostname', hostname],
  ['ipv4', (turn) => [turn < 254 ? `192.0.2.${turn + 1}` : `198.18.${(turn >> 8) % 256}.${turn % 256}`]],
  ['ipv6', (turn) => [`2001:db8::${((turn % 65_535) + 1).toString(16)}`]],
  ['uri', uri],
  ['iri', uri],
  ['uri-reference', uriReference],
  ['iri-reference', uriReference],
  ['uri-template', (_, number) => [`https://example.com/sample${number}/{id}`, number]],
  ['uuid', (turn) => [`01234567-89ab-7def-8123-${turn.toString(16).padStart(12, '0')}`]],
  ['json-pointer', (_, number) => [`/sample${number}`, number === '' ? '' : `/${number}`]],
  ['relative-json-pointer', (_, number) => [`0/sample${number}`, '0']],
  ['regex', (_, number) => [`^sample${number}$`, number]],
]);

/** Formats in which letters may be added at an end without leaving them. */
const stretches: ReadonlyMap<string, 'before' | 'after'> = new Map([
  ['email', 'before'],
  ['idn-email', 'before'],
  ['hostname', 'before'],
  ['idn-hostname', 'before'],
  ['uri', 'after'],
  ['iri', 'after'],
  ['uri-reference', 'after'],
  ['iri-reference', 'after'],
  ['uri-template', 'after'],
  ['json-pointer', 'after'],
  ['relative-json-pointer', 'after'],
]);

/** The texts in a format that can be had in this length. */
export function* formattedIn(
  format: string,
  { least, most, turn }: Length & { readonly turn: number },
): Generator<string> {
  for (const text of formatted(format, turn)) {
    const letters = 'a'.repeat(Math.max(0, least - text.length));
    const end = stretches.get(format);
    if (letters !== '' && end === undefined) continue;
    const long = end === 'before' ? letters + text : text + letters;
    if (long.length <= most) yield long;
  }
}

/** A text brought to this length; where it has to be cut, its `turn` still tells it from others. */
export function fitted(text: string, { least, most, turn }: Length & { readonly turn: number }): string {
  const characters = [...text];
  if (characters.length < least) {
    const times = Math.ceil(least / (characters.length + 1));
    return [...`${text} `.repeat(times)].slice(0, least).join('');
  }
  if (characters.length <= most) return text;
  const end = turn === 0 || most === 0 ? '' : turn.toString(36).slice(-most);
  const cut = characters.slice(0, most - end.length).join('') + end;
  return cut.trimEnd().length < least ? cut : cut.trimEnd();
}
