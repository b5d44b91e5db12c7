const ordinary = [
  ...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  ...' -_.,:;/@+#!?&%*=()[]{}<>\'"\\|~^$`',
];

/** A few of each of many scripts, for classes that have nothing ordinary in them. */
const foreign = Array.from({ length: 8_192 }, (_, index) => index * 16 + (index % 16))
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));

/**
 * Some of the characters that match this piece of a regular expression, which stands for exactly one character: a
 * class, an escape, a dot or the character itself. The most ordinary come first; a class may turn out to have none.
 */
export function charactersOf(piece: string, matches: (character: string) => boolean): readonly string[] {
  for (const candidates of [isLiteral(piece) ? [piece] : ordinary, [...named(piece)], foreign]) {
    const found = candidates.filter(matches);
    if (found.length > 0) return found;
  }
  return [];
}

/** Tells whether such a piece matches a character; that takes no time, since it stands for one only. */
export function matcherOf(piece: string): (character: string) => boolean {
  if (isLiteral(piece)) return (character) => character === piece;
  const form = new RegExp(`^${piece}$`, 'u');
  return (character) => form.test(character);
}

const isLiteral = (piece: string): boolean => [...piece].length === 1 && piece !== '.';

/** The characters that a class or an escape names itself, literally or by their number. */
function* named(piece: string): Generator<string> {
  const forms =
    /\\u\{([\da-fA-F]+)\}|\\u([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})|\\[ux]([\da-fA-F]{4}|[\da-fA-F]{2})|\\c([A-Za-z])|\\([tnvfr0])|./gsu;
  for (const [text, braced, high, low, plain, control, letter] of piece.matchAll(forms)) {
    if (high !== undefined && low !== undefined)
      yield String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16));
    else if (braced !== undefined || plain !== undefined)
      yield String.fromCodePoint(Number.parseInt(braced ?? plain ?? '', 16));
    else if (control !== undefined) yield String.fromCharCode(control.charCodeAt(0) % 32);
    else if (letter !== undefined) yield controls.get(letter) ?? '';
    else yield text;
  }
}

const controls: ReadonlyMap<string, string> = new Map([
  ['t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['0', '\0'],
]);
