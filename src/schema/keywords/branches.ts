import { listAt, type Place } from '../place.js';
import { type Run, spend } from '../run.js';
import { isArray, isObject, type JsonValue } from '../value.js';
import { clip, type Failure, fail } from '../violation.js';

/**
 * Makes one failure out of those of all branches of `anyOf` or `oneOf`, for whoever has to mend the document: that of
 * the branch whose constant members the value has, else of the branch that came furthest.
 */
export function explainBranches(place: Place, keyword: string) {
  const branches = listAt(place, keyword).map((node, index) => ({
    name: nameOf(node, { index, keyword }),
    tags: tagsOf(place.behind(node)),
  }));

  return ({ value, failures, run }: Tried): Failure => {
    let best: Failure | undefined;
    let bestScore = 0;
    let bestName = '';
    for (const [index, { name, tags }] of branches.entries()) {
      const failure = failures[index];
      if (failure === undefined) continue;
      spend(run, 2 + tags.length);
      const score = progress(failure) + agreement(tags, value);
      if (score > bestScore) [best, bestScore, bestName] = [failure, score, name];
    }
    if (best === undefined) return fail({ keyword, message: noneOf(keyword, failures) });
    const message = clip(`${best.rule.message} (${bestName})`, longestMessage);
    return { rule: { keyword: best.rule.keyword, message }, path: best.path };
  };
}

/** What became of a value at each branch in turn. */
interface Tried {
  readonly value: JsonValue;
  readonly failures: readonly Failure[];
  readonly run: Run;
}

/** Messages of branches within branches would otherwise grow threefold at each level. */
const longestMessage = 300;

function noneOf(keyword: string, failures: readonly Failure[]): string {
  const rules = failures.slice(0, 3).map(({ rule }) => rule.message);
  if (failures.length > 3) rules.push('…');
  return clip(`must match a branch of ${keyword} (${rules.join('; ')})`, longestMessage);
}

/** Rules that fail before a value has shown any likeness to a branch. */
const outright: ReadonlySet<string> = new Set(['type', 'const', 'enum', 'anyOf', 'oneOf']);

const progress = ({ path, rule }: Failure): number =>
  path.length > 0 ? path.length + 1 : outright.has(rule.keyword) ? 0 : 1;

/** A member that tells branches apart: one for which a schema allows a single value. */
interface Tag {
  readonly name: string;
  readonly value: JsonValue;
}

/** Beyond all progress, either way; nothing where a branch has no tags. */
function agreement(tags: readonly Tag[], value: JsonValue): number {
  if (tags.length === 0 || !isObject(value)) return 0;
  return tags.every((tag) => value.get(tag.name) === tag.value) ? 1_000_000 : -1_000_000;
}

const tagsByNode = new WeakMap<object, readonly Tag[]>();

function tagsOf(node: JsonValue): readonly Tag[] {
  const properties = isObject(node) ? node.get('properties') : undefined;
  if (!isObject(properties)) return [];
  const known = tagsByNode.get(properties);
  if (known !== undefined) return known;
  const tags: Tag[] = [];
  for (const [name, schema] of properties) {
    const value = onlyValue(schema);
    if (value !== undefined && (typeof value !== 'object' || value === null)) tags.push({ name, value });
  }
  tagsByNode.set(properties, tags);
  return tags;
}

function onlyValue(schema: JsonValue): JsonValue | undefined {
  if (!isObject(schema)) return undefined;
  const values = schema.get('enum');
  return schema.get('const') ?? (isArray(values) && values.length === 1 ? values[0] : undefined);
}

function nameOf(
  node: JsonValue,
  { index, keyword }: { readonly index: number; readonly keyword: string },
): string {
  const reference = isObject(node) ? node.get('$ref') : undefined;
  return `branch ${index + 1} of ${keyword}${typeof reference === 'string' ? `, ${clip(reference, 60)}` : ''}`;
}
