import type { Span } from '../document.js';
import type { JsonObject } from '../value.js';
import { arraysFor } from './array.js';
import { type Kind, kindsOf } from './kind.js';
import { numbersFor } from './number.js';
import { objectsFor } from './object.js';
import type { Maker, Site } from './site.js';
import { stringsFor } from './string.js';

interface Surroundings {
  readonly site: Site;
  readonly maker: Maker;
  /** Where the text of a schema stands, of which values are copied. */
  readonly spanOf: (schema: JsonObject) => Span | undefined;
}

/**
 * The values that may meet all schemas of one way, the most telling first: what a schema lists or gives as an example,
 * exactly as it stands there, and then what can be made.
 */
export function* alternativesFor(
  way: readonly JsonObject[],
  { site, maker, spanOf }: Surroundings,
): Generator<() => string> {
  const texts = (keyword: string): readonly (readonly string[])[] =>
    way
      .map((schema) => spanOf(schema)?.members.get(keyword))
      .filter((span) => span !== undefined)
      .map((span) =>
        (keyword === 'const' || keyword === 'default' ? [span] : span.items).map(({ json }) => json),
      );
  const [listed] = [...texts('const'), ...texts('enum')].toSorted((one, other) => one.length - other.length);
  const given = listed ?? [...texts('examples').flat(), ...texts('default').flat().filter(isTelling)];
  for (const [index] of given.entries()) {
    // Like places begin with different values.
    const text = given[(index + site.turn) % given.length];
    if (text !== undefined) yield () => text;
  }
  if (listed !== undefined) return;
  for (const kind of kindsOf(way)) yield* ofKind(kind, { way, site, maker });
}

/** A default that says something, as `null` and empty lists do not. */
const isTelling = (json: string): boolean => !/^(?:null|[[{]\s*[\]}]|"")$/.test(json);

function* ofKind(
  kind: Kind,
  { way, site, maker }: Omit<Surroundings, 'spanOf'> & { readonly way: readonly JsonObject[] },
): Generator<() => string> {
  const { name, turn } = site;
  switch (kind) {
    case 'null':
      return yield () => 'null';
    case 'boolean':
      for (const value of turn % 2 === 0 ? ['true', 'false'] : ['false', 'true']) yield () => value;
      return;
    case 'integer':
    case 'number':
      for (const number of numbersFor(way, { integer: kind === 'integer', turn })) yield () => number;
      return;
    case 'string':
      for (const text of stringsFor(way, { name, turn, longest: maker.longestText }))
        yield () => JSON.stringify(text);
      return;
    case 'array':
      return yield* arraysFor(way, { site, maker });
    case 'object':
      return yield* objectsFor(way, { site, maker });
  }
}
