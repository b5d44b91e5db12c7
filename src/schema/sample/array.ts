import { isArray, type JsonObject, type JsonValue } from '../value.js';
import { canonicalOf } from './contradiction.js';
import { atLeast, atMost } from './limit.js';
import { type Maker, Misfit, type Site } from './site.js';

/** The ways to make an array: with all that it may show, then with as little as there may be. */
export function* arraysFor(
  way: readonly JsonObject[],
  { site, maker }: Surroundings,
): Generator<() => string> {
  const prefix = Math.max(0, ...way.map((schema) => prefixOf(schema).length));
  const arrangements = [...arrangementsOf(way, prefix)];
  const bare = prefix > 0 || arrangements.length > 1 || !maker.isRoomy(site);
  const shown = bare || maker.leadsBack(schemasOfItem(way, prefix), site.above) ? 0 : ordinary;
  const sizes = [
    { least: Math.max(prefix, shown), extra: 0 },
    { least: 0, extra: 0 },
    { least: 0, extra: 1 },
    { least: 0, extra: 2 },
  ];
  for (const size of sizes)
    for (const arrangement of arrangements)
      yield () => build(way, { site, maker, plan: { ...size, ...arrangement } });
}

/**
 * Where `contains` is met: after the `prefixItems`, by no item in particular, or by some of the first; of several by
 * different items, or by the same.
 */
function* arrangementsOf(
  way: readonly JsonObject[],
  prefix: number,
): Generator<Pick<Plan, 'demanded' | 'from'>> {
  const demands = way.map(demandsOf).filter(({ length }) => length > 0);
  if (demands.length > 0) {
    const longest = Math.max(...demands.map(({ length }) => length));
    const together = Array.from({ length: longest }, (_, index) =>
      demands.flatMap((each) => each[index] ?? []),
    );
    const starts = [prefix, ...Array.from({ length: Math.min(prefix, mostStarts) }, (_, index) => index)];
    for (const demanded of demands.length > 1 ? [demands.flat(), together] : [together])
      for (const from of starts) yield { demanded, from };
  }
  yield { demanded: [], from: 0 };
}

const mostStarts = 8;

/** One for each item by which `contains` has to be met. */
function demandsOf(schema: JsonObject): readonly (readonly JsonValue[])[] {
  const contains = schema.get('contains');
  if (contains === undefined) return [];
  const count = schema.has('minContains') ? atLeast([schema], 'minContains') : 1;
  return new Array<readonly JsonValue[]>(Math.min(count, mostItems)).fill([contains]);
}

/** How many items are shown of a list that may be empty. */
const ordinary = 2;

interface Surroundings {
  readonly site: Site;
  readonly maker: Maker;
}

/** How many items there are at the least, how many more, and what those from one index on have to meet as well. */
interface Plan {
  readonly least: number;
  readonly extra: number;
  readonly demanded: readonly (readonly JsonValue[])[];
  readonly from: number;
}

const mostItems = 5_000;

function build(
  way: readonly JsonObject[],
  { site, maker, plan }: Surroundings & { readonly plan: Plan },
): string {
  const { demanded, least, extra } = plan;
  const most = atMost(way, 'maxItems');
  const unique = way.some((schema) => schema.get('uniqueItems') === true);
  const from = Math.max(0, Math.min(plan.from, most - demanded.length));
  const needed = Math.max(atLeast(way, 'minItems'), demanded.length > 0 ? from + demanded.length : 0);
  const count = Math.min(most, Math.max(needed, least) + extra);
  if (needed > Math.min(most, mostItems)) throw new Misfit();
  const above = new Set([...site.above, ...way]);
  const texts: string[] = [];
  const seen = new Set<string>();
  for (let index = 0; index < count; index += 1) {
    const schemas = [...(demanded[index - from] ?? []), ...schemasOfItem(way, index)];
    const place = {
      pointer: `${site.pointer}/${index}`,
      name: singular(site.name),
      turn: site.turn + index,
      depth: site.depth + 1,
      above,
    };
    try {
      texts.push(unique ? makeNew(schemas, { site: place, maker, seen }) : maker.make(schemas, place));
    } catch (error) {
      if (error instanceof Misfit && index >= needed) break;
      throw error;
    }
  }
  return `[${texts.join(',')}]`;
}

/** An item that no other one equals, however it is spelt. */
function makeNew(
  schemas: readonly JsonValue[],
  { site, maker, seen }: Surroundings & { readonly seen: Set<string> },
): string {
  for (;;) {
    const text = maker.make(schemas, site);
    const value = canonicalOf(text);
    if (!seen.has(value)) {
      seen.add(value);
      return text;
    }
    maker.change(site.pointer);
  }
}

function schemasOfItem(way: readonly JsonObject[], index: number): readonly JsonValue[] {
  const found = way.flatMap((schema) => {
    const own = prefixOf(schema)[index] ?? schema.get('items');
    return own === undefined ? [] : [own];
  });
  if (found.length > 0) return found;
  return way.map((schema) => schema.get('unevaluatedItems')).filter((schema) => schema !== undefined);
}

function prefixOf(schema: JsonObject): readonly JsonValue[] {
  const prefix = schema.get('prefixItems');
  return isArray(prefix) ? prefix : [];
}

const singular = (name: string): string => name.replace(/(?<=\w\w)ies$/, 'y').replace(/(?<=\w[^s\W])s$/, '');
