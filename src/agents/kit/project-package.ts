import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { KediError } from '../../domain/errors.js';
import { isShape, type Shape, textAt } from './json-line.js';

/** A package, or a file of the operator's, as it was loaded. */
export interface ProjectPackage {
  /** What it exports, by name. */
  readonly exports: Shape;
  /** Undefined for a file. */
  readonly version: string | undefined;
}

/**
 * Loads a package that this server does not bring along: from the operator's project, which is `directory` or one above
 * it, or else from where the server itself is installed. `./file.js` or an absolute path names a file. One that is not
 * there, or cannot be loaded: KediError SETTINGS_INVALID.
 */
export async function loadFromProject(name: string, directory: string): Promise<ProjectPackage> {
  const place = isFile(name)
    ? { entry: resolve(directory, name), version: undefined }
    : (findPackage(name, directory) ?? findPackage(name, dirname(fileURLToPath(import.meta.url))));
  if (place === undefined) {
    throw new KediError(
      'SETTINGS_INVALID',
      `The package ${name} is not installed in ${directory}; run "npm install ${name}" there.`,
    );
  }
  try {
    const exports: unknown = await import(pathToFileURL(place.entry).href);
    return { exports: withDefault(exports), version: place.version };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new KediError('SETTINGS_INVALID', `${place.entry} cannot be loaded: ${reason}.`, { cause });
  }
}

const isFile = (name: string): boolean => isAbsolute(name) || /^\.{1,2}\//.test(name);

/** The exports of a CommonJS module are those of its `default`, where Node has not found their names. */
function withDefault(exports: unknown): Shape {
  if (!isShape(exports)) return {};
  return isShape(exports.default) ? { ...exports.default, ...exports } : exports;
}

interface Place {
  readonly entry: string;
  readonly version: string | undefined;
}

/** As Node finds a package for an `import`, which no function of Node 20 does for another directory than one's own. */
function findPackage(name: string, directory: string): Place | undefined {
  for (let at = directory; ; at = dirname(at)) {
    const home = join(at, 'node_modules', name);
    const manifest = readManifest(join(home, 'package.json'));
    if (manifest !== undefined) {
      const entry = exported(manifest.exports) ?? textAt(manifest, 'main') ?? 'index.js';
      return { entry: join(home, entry), version: textAt(manifest, 'version') };
    }
    if (at === dirname(at)) return undefined;
  }
}

function readManifest(path: string): Shape | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isShape(manifest) ? manifest : undefined;
  } catch {
    return undefined;
  }
}

const conditions: ReadonlySet<string> = new Set(['node', 'import', 'module-sync', 'default']);

/** The package's own entry in its `exports`: the first of its conditions that holds for an `import`. */
function exported(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  if (!isShape(exports)) return undefined;
  if ('.' in exports) return exported(exports['.']);
  for (const [condition, target] of Object.entries(exports)) {
    const found = conditions.has(condition) ? exported(target) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A function that a package exports, called with what its documentation says; undefined where there is none. */
export const exportedFunction = (
  { exports }: ProjectPackage,
  name: string,
): ((...given: readonly unknown[]) => unknown) | undefined => {
  const value = exports[name];
  return isFunction(value) ? value : undefined;
};

/** Whether it can be called, with whatever its documentation says. */
export const isFunction = (value: unknown): value is (...given: readonly unknown[]) => unknown =>
  typeof value === 'function';

/** A member of an object or of a function, which a provider is too. */
export function memberOf(value: unknown, name: string): unknown {
  const holds = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return holds ? Reflect.get(value, name) : undefined;
}
