import { isArray, isObject, type JsonObject, type JsonValue } from '../value.js';
import { jsonPointer } from '../violation.js';
import { atLeast, atMost } from './limit.js';
import { writeMatch } from './pattern.js';
import { type Maker, Misfit, type Site } from './site.js';

interface Surroundings {
  readonly site: Site;
  readonly maker: Maker;
}

/** The ways to make an object: with all that it may show, with what must be there, with one member more at a time. */
export function* objectsFor(
  way: readonly JsonObject[],
  { site, maker }: Surroundings,
): Generator<() => string> {
  const required = requiredIn(way);
  const optional = namesIn(way, 'properties').filter((name) => !required.includes(name));
  const shown = optional.filter(
    (name) => !maker.leadsBack(schemasOfMember(way, { name, maker }), site.above),
  );
  const isMap = optional.length + required.length === 0 && way.some(describesOthers);
  const plans: readonly Plan[] = [
    ...(maker.isRoomy(site) ? [{ optional: shown, others: isMap ? 1 : 0 }] : []),
    { optional: [], others: 0 },
    ...optional.slice(0, mostSingled).map((name) => ({ optional: [name], others: 0 })),
    { optional: [], others: 1 },
  ];
  for (const plan of plans) yield () => build(way, { site, maker, plan });
}

const mostSingled = 12;

/** After so many members in a row that are not possible, no more are tried. */
const mostMisses = 20;

/** Which members there are beside those that must be, and how many under names that the schema does not give. */
interface Plan {
  readonly optional: readonly string[];
  readonly others: number;
}

function build(
  way: readonly JsonObject[],
  { site, maker, plan }: Surroundings & { readonly plan: Plan },
): string {
  const members = new Map<string, string>();
  const most = atMost(way, 'maxProperties');
  const least = atLeast(way, 'minProperties');
  const above = new Set([...site.above, ...way]);
  const add = (name: string): void => {
    const schemas = schemasOfMember(way, { name, maker });
    const pointer = site.pointer + jsonPointer([name]);
    const text = maker.make(schemas, { pointer, name, turn: site.turn, depth: site.depth + 1, above });
    members.set(name, text);
  };
  const tryToAdd = (names: Iterable<string>, count: number): void => {
    let misses = 0;
    for (const name of names) {
      if (members.size >= count || misses > mostMisses) return;
      const together = withDependents(way, [name]).filter((each) => !members.has(each));
      if (members.size + together.length > most) continue;
      try {
        for (const each of together) add(each);
        misses = 0;
      } catch (error) {
        if (!(error instanceof Misfit)) throw error;
        for (const each of together) members.delete(each);
        misses += 1;
      }
    }
  };
  const required = requiredIn(way);
  if (required.length > most) throw new Misfit();
  for (const name of required) add(name);
  tryToAdd(plan.optional, Number.POSITIVE_INFINITY);
  tryToAdd(namesIn(way, 'properties'), least);
  tryToAdd(otherNames(way, { site, maker }), Math.max(least, Math.min(most, members.size + plan.others)));
  if (members.size < least) throw new Misfit();
  return `{${inOrder(way, members).join(',')}}`;
}

/** As the schema lists them, and then the others. */
function inOrder(way: readonly JsonObject[], members: ReadonlyMap<string, string>): readonly string[] {
  const names = new Set([...namesIn(way, 'properties'), ...members.keys()]);
  return [...names].flatMap((name) => {
    const text = members.get(name);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
}

/** Names that no `properties` gives: by `patternProperties`, by `propertyNames`, or plain ones. */
function* otherNames(way: readonly JsonObject[], { site, maker }: Surroundings): Generator<string> {
  const rules = way.map((schema) => schema.get('propertyNames')).filter((rule) => rule !== undefined);
  for (let turn = 0; turn < mostOthers; turn += 1) {
    if (rules.length > 0) {
      const pointer = `${site.pointer}/${turn} (a name)`;
      const place = { pointer, name: 'name', turn, depth: site.depth + 1, above: site.above };
      const text: unknown = JSON.parse(maker.make([...rules, onlyStrings], place));
      if (typeof text === 'string') yield text;
    }
    for (const pattern of namesIn(way, 'patternProperties')) {
      const parsed = maker.parse(pattern);
      const name = parsed && writeMatch(parsed, { least: 0, most: 40, turn });
      if (name !== undefined) yield name;
    }
    yield turn === 0 ? 'sample' : `sample${turn + 1}`;
  }
}

const onlyStrings: JsonObject = new Map([['type', 'string']]);

const mostOthers = 2_000;

function schemasOfMember(
  way: readonly JsonObject[],
  { name, maker }: { readonly name: string; readonly maker: Maker },
): readonly JsonValue[] {
  const found = way.flatMap((schema) => {
    const properties = schema.get('properties');
    const own = isObject(properties) ? properties.get(name) : undefined;
    const patterns = schema.get('patternProperties');
    const byPattern = isObject(patterns)
      ? [...patterns].filter(([pattern]) => maker.matches(pattern, name)).map(([, each]) => each)
      : [];
    const known = own === undefined ? byPattern : [own, ...byPattern];
    const rest = schema.get('additionalProperties');
    return known.length > 0 || rest === undefined ? known : [rest];
  });
  if (found.length > 0) return found;
  return way.map((schema) => schema.get('unevaluatedProperties')).filter((schema) => schema !== undefined);
}

const requiredIn = (way: readonly JsonObject[]): readonly string[] =>
  withDependents(
    way,
    way.flatMap((schema) => stringsIn(schema.get('required'))),
  );

/** These names and those that `dependentRequired` demands with them. */
function withDependents(way: readonly JsonObject[], names: readonly string[]): readonly string[] {
  const all = new Set(names);
  for (const name of all) {
    for (const schema of way) {
      const dependent = schema.get('dependentRequired');
      for (const each of isObject(dependent) ? stringsIn(dependent.get(name)) : []) all.add(each);
    }
  }
  return [...all];
}

const stringsIn = (value: JsonValue | undefined): readonly string[] =>
  isArray(value) ? value.map(String) : [];

const namesIn = (way: readonly JsonObject[], keyword: string): readonly string[] => [
  ...new Set(
    way.flatMap((schema) => {
      const members = schema.get(keyword);
      return isObject(members) ? [...members.keys()] : [];
    }),
  ),
];

/** Whether it says what members of any name hold. */
const describesOthers = (schema: JsonObject): boolean =>
  isObject(schema.get('additionalProperties')) || schema.has('patternProperties');
