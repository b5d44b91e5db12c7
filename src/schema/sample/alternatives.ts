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
  const spans = (keyword: string): readonly Span[] =>
    way.map((schema) => spanOf(schema)?.members.get(keyword)).filter((span) => span !== undefined);
  const lists = [...spans('const').map((span) => [span]), ...spans('enum').map(({ items }) => items)];
  const [listed] = lists.toSorted((one, other) => one.length - other.length);
  const given = listed ?? [
    ...spans('examples').flatMap(({ items }) => items),
    ...spans('default').filter(isTelling),
  ];
  for (let index = 0; index < given.length; index += 1) {
    // Like places begin with different values.
    const span = given[(index + site.turn) % given.length];
    if (span !== undefined) yield () => span.json;
  }
  if (listed !== undefined) return;
  for (const kind of kindsOf(way)) yield* ofKind(kind, { way, site, maker });
}

/** A default that says something, as `null` and empty lists do not. */
const isTelling = ({ json }: Span): boolean => !/^(?:null|[[{]\s*[\]}]|"")$/.test(json);

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
      for (const text of stringsFor(way, { name, turn, maker })) yield () => JSON.stringify(text);
      return;
    case 'array':
      return yield* arraysFor(way, { site, maker });
    case 'object':
      return yield* objectsFor(way, { site, maker });
  }
}
