import type { AcceptedSchema } from '../accept.js';
import { readSpans, type Span } from '../document.js';
import { isResolved, resolve } from '../references.js';
import { isArray, isObject, type JsonObject, type JsonValue } from '../value.js';
import { alternativesFor } from './alternatives.js';
import { contradictions } from './contradiction.js';
import { parsePattern } from './parse-pattern.js';
import { longestTried } from './patience.js';
import { type Maker, Misfit, type Site } from './site.js';
import { leadsBack, waysToMeet } from './ways.js';

/** How much is tried in all, in steps of about a value each, and how many documents are put to the check. */
const fuel = 20_000;
const mostDrafts = 300;

const deepest = 60;
const roomyDepth = 5;
const roomyValues = 200;

/** Fewer, where regular expressions take their time on each. */
const mostSlowDrafts = 40;

const longestText = 1_000_000;

/**
 * Documents that may be valid by a schema, one after the other; each is asked for with the pointer to what was wrong
 * with the last one, and differs from it there. Returns why there are no more.
 */
export function* draft({ text, survey }: AcceptedSchema): Generator<string, string, string> {
  const { root } = survey.resource;
  const spans = spansOf(root, text);
  const patterns = new Map([...survey.patterns.keys()].map((source) => [source, parsePattern(source)]));
  const longest = Math.min(longestText, ...[...patterns.values()].map(longestTried));
  const expressions = new Map([...patterns.keys()].map((source) => [source, new RegExp(source, 'u')]));
  if (![...expressions.values()].every(isUsable))
    return 'the engine has no room for one of its regular expressions';
  const contradicts = contradictions();
  const choices = new Map<string, number>();
  const made = new Set<string>();
  let left = fuel;

  function spend(): void {
    left -= 1;
    if (left < 0) throw new OutOfFuel();
  }

  const follow = (reference: string): JsonValue | undefined => {
    const target = resolve(reference, survey.resource);
    // What has to be a schema itself is left to the check.
    return isResolved(target) && target.resource === survey.resource ? target.node : undefined;
  };

  function* alternatives(schemas: readonly JsonValue[], site: Site): Generator<() => string> {
    for (const each of waysToMeet(schemas, { follow, above: site.above, spend })) {
      const way = [...each];
      for (const alternative of alternativesFor(way, {
        site,
        maker,
        spanOf: (schema) => spans.get(schema),
      })) {
        yield () => {
          const text = alternative();
          if (contradicts(way, text)) throw new Misfit();
          return text;
        };
      }
    }
  }

  function make(schemas: readonly JsonValue[], site: Site): string {
    made.add(site.pointer);
    if (site.depth > deepest) throw new Misfit();
    let passed = 0;
    for (const alternative of alternatives(schemas, site)) {
      passed += 1;
      if (passed <= (choices.get(site.pointer) ?? 0)) continue;
      spend();
      try {
        return alternative();
      } catch (error) {
        if (!(error instanceof Misfit)) throw error;
        change(site.pointer);
      }
    }
    throw new Misfit();
  }

  function change(pointer: string): void {
    const choice = choices.get(pointer) ?? 0;
    forget(pointer);
    choices.set(pointer, choice + 1);
  }

  function forget(pointer: string): void {
    for (const place of choices.keys())
      if (place === pointer || place.startsWith(`${pointer}/`)) choices.delete(place);
  }

  const maker: Maker = {
    make,
    change,
    isRoomy: ({ depth }) => depth < roomyDepth && made.size < roomyValues,
    leadsBack: (branches, above) => branches.some((branch) => leadsBack(branch, { follow, above })),
    parse: (pattern) => patterns.get(pattern),
    matches(pattern, tried) {
      if (tried.length > longest) return false;
      return expressions.get(pattern)?.test(tried) === true;
    },
    longestText: longest,
  };

  const title = isObject(root) ? root.get('title') : undefined;
  const name = typeof title === 'string' ? title : '';
  const site = { pointer: '', name, turn: 0, depth: 0, above: new Set<JsonObject>() };
  try {
    for (let drafts = 0; drafts < (longest < longestText ? mostSlowDrafts : mostDrafts); drafts += 1) {
      made.clear();
      const json = make([root], site);
      if (hasLongerText(json, { longest, andNames: testsNames(text) }))
        return 'its regular expressions may take too long on the texts that it demands';
      let wrong = yield json;
      while (!made.has(wrong)) wrong = wrong.slice(0, Math.max(0, wrong.lastIndexOf('/')));
      change(wrong);
    }
  } catch (error) {
    if (error instanceof Misfit) return 'nothing else comes to mind';
    if (!(error instanceof OutOfFuel)) throw error;
  }
  return 'too much would have to be tried';
}

class OutOfFuel extends Error {}

/** An expression that is very large is refused by the engine only when it is used. */
function isUsable(expression: RegExp): boolean {
  try {
    expression.test('');
    return true;
  } catch {
    return false;
  }
}

/** Whether regular expressions are put to names as well. */
const testsNames = (schemaText: string): boolean => /"(?:patternProperties|propertyNames)"/.test(schemaText);

function hasLongerText(
  json: string,
  { longest, andNames }: { readonly longest: number; readonly andNames: boolean },
): boolean {
  if (longest === longestText) return false;
  const texts = [...json.matchAll(/"((?:[^"\\]|\\.)*)"(:?)/g)];
  return texts.some(([, text = '', colon]) => text.length > longest && (andNames || colon === ''));
}

/** Where each object of a schema stands in its text. */
function spansOf(root: JsonValue, text: string): ReadonlyMap<JsonObject, Span> {
  const spans = new Map<JsonObject, Span>();
  const pair = (value: JsonValue | undefined, span: Span): void => {
    if (isObject(value)) {
      spans.set(value, span);
      for (const [name, member] of span.members) pair(value.get(name), member);
    } else if (isArray(value)) {
      for (const [index, item] of span.items.entries()) pair(value[index], item);
    }
  };
  const read = readSpans(text, { depth: 1_000 });
  if (read.ok) pair(root, read.span);
  return spans;
}
