import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { KediError } from '../domain/errors.js';
import { readDocument } from './document.js';
import { dialect, type Resource, survey } from './survey.js';

const base = new URL('.', dialect).href;
const names: ReadonlySet<string> = new Set([
  'schema',
  'meta/core',
  'meta/applicator',
  'meta/unevaluated',
  'meta/validation',
  'meta/meta-data',
  'meta/format-annotation',
  'meta/content',
]);

const loaded = new Map<string, Resource>();

/** The meta-schema of draft 2020-12 under this URI, or one of its vocabularies'; read from ajv's copy, when first asked for. */
export function metaschema(uri: string): Resource | undefined {
  const name = uri.startsWith(base) ? uri.slice(base.length) : '';
  if (!names.has(name)) return undefined;
  const resource = loaded.get(name) ?? load(name);
  loaded.set(name, resource);
  return resource;
}

function load(name: string): Resource {
  const path = createRequire(import.meta.url).resolve(`ajv/dist/refs/json-schema-2020-12/${name}.json`);
  const read = readDocument(readFileSync(path));
  if (!read.ok) throw new KediError('INTERNAL', `The meta-schema ${name} is damaged: ${read.reason}.`);
  return survey(read.value, base + name).resource;
}
