import type { OutputSchema, SchemaJudge } from '../domain/schema.js';
import { type AcceptedSchema, acceptSchema, weigh } from './accept.js';
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

/** Some milliseconds' worth of work here; and for what takes more, as much as the worker can do before it is killed. */
const inlineFuel = 100_000;
const isolatedFuel = 1_000_000;

/**
 * Judges schemas and documents of strangers without ever stalling the process: what has patterns (or formats that are
 * asserted), large documents, and those that turn out to be hard work are judged in a worker; all else where it is, in
 * microseconds.
 */
export function createJudge({ cacheBytes = 16 * 1_024 * 1_024, ...options }: JudgeOptions = {}): SchemaJudge {
  const isolate = createIsolate();
  const cache = createCache<OutputSchema>(cacheBytes);
  const elsewhere = { fuel: isolatedFuel, ...options };

  async function compileNew(accepted: AcceptedSchema): Promise<OutputSchema> {
    const { text, survey } = accepted;
    const mayHang = survey.patterns.size > 0 || (options.assertFormats === true && survey.hasFormats);
    // What fuel bounds is not killed because the machine is busy.
    const limits = mayHang ? { options: elsewhere } : { options: elsewhere, milliseconds: 5_000 };
    const isolated = async (document: string) =>
      refuseLarge(document, options) ?? (await isolate.check(text, { document, ...limits }));
    if (mayHang) {
      await isolate.compile(text, elsewhere);
      return { text, check: isolated };
    }
    const { check } = compileAccepted(accepted, { ...options, fuel: inlineFuel });
    return {
      text,
      async check(document) {
        if (document.length > longestInline) return isolated(document);
        const verdict = check(document);
        return !verdict.ok && verdict.code === 'RESULT_TOO_COSTLY' ? isolated(document) : verdict;
      },
    };
  }

  return {
    async compile(source) {
      const known = cache.get(source);
      if (known !== undefined) return known;
      const accepted = acceptSchema(source);
      const value = await compileNew(accepted);
      cache.set(source, { value, bytes: weigh(accepted) });
      return value;
    },
    close: () => isolate.close(),
  };
}
