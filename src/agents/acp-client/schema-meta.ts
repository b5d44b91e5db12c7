import { isShape, type Shape } from '../kit/json-line.js';
import type { SchemaMetadata } from './presets.js';

/** The `_meta` that carries a schema: `slot` stands where its exact text is to be. */
export function schemaMeta({ path, beside = {} }: SchemaMetadata, slot: string): Shape {
  let value: unknown = slot;
  for (const key of path.toReversed()) value = { [key]: value };
  return merge(beside, isShape(value) ? value : {});
}

function merge(one: Shape, other: Shape): Shape {
  const merged: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const present = merged[key];
    merged[key] = isShape(present) && isShape(value) ? merge(present, value) : value;
  }
  return merged;
}
