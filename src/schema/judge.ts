import type { OutputSchema, SchemaJudge } from '../domain/schema.js';
import { acceptSchema } from './accept.js';
import { createCache } from './cache.js';
import { compileAccepted, type JudgingOptions, refuseLarge } from './compile.js';
import { createIsolate } from './isolate.js';

/** What a judge may use of the machine. */
export interface JudgeOptions extends JudgingOptions {
  /** Bytes of memory for schemas compiled before; 16 MiB by default. */
  readonly cacheBytes?: number;
}

/** Longer documents are read in the worker, for reading them takes more than a few milliseconds. */
const longestInline = 32_768;

/**
 * Judges schemas and documents of strangers without ever stalling the process: what has patterns (or formats that are
 * asserted), and every large document, is judged in a worker; all else where it is, which takes microseconds.
 */
export function createJudge({ cacheBytes = 16 * 1_024 * 1_024, ...options }: JudgeOptions = {}): SchemaJudge {
  const isolate = createIsolate();
  const cache = createCache<OutputSchema>(cacheBytes);

  async function compileNew(source: string): Promise<OutputSchema> {
    const accepted = acceptSchema(source);
    const { text, survey } = accepted;
    const isolated = async (document: string) =>
      refuseLarge(document, options) ?? (await isolate.check(text, { document, options }));
    if (survey.patterns.size > 0 || (options.assertFormats === true && survey.hasFormats)) {
      await isolate.compile(text, options);
      return { text, check: isolated };
    }
    const { check } = compileAccepted(accepted, options);
    return {
      text,
      check: async (document) => (document.length > longestInline ? isolated(document) : check(document)),
    };
  }

  return {
    async compile(source) {
      const known = cache.get(source);
      if (known !== undefined) return known;
      const value = await compileNew(source);
      cache.set(source, { value, bytes: 32 * source.length });
      return value;
    },
    close: () => isolate.close(),
  };
}
