import { agentKinds } from '../agents/index.js';
import { failures, isFailureCode } from '../domain/errors.js';
import type { Setting } from '../server/setting.js';
import { flagOf, settingNames, table } from '../server/settings.js';
import { describeOptions } from './agent-options.js';

/**
 * The tables of the README, each derived from the one place where its content is decided; `npm run readme` writes them
 * between their markers, and a test fails where one is stale.
 */
export const references: Readonly<Record<string, () => string>> = {
  settings: () =>
    markdown(
      ['Flag', 'Default', 'What'],
      settingNames.map((name) => {
        const row: Setting = table[name];
        const value = row.value === undefined ? '' : ` ${row.value}`;
        return [code(`${flagOf(name)}${value}`), row.fallback ? code(row.fallback) : '', row.help];
      }),
    ),
  agents: () =>
    markdown(
      ['Agent', 'What', 'Options'],
      agentKinds.map((kind) => [
        code(kind.kind),
        kind.summary,
        describeOptions(kind)
          .map(({ name, required }) => `${code(name)}${required ? ' (required)' : ''}`)
          .join(', '),
      ]),
    ),
  failures: () =>
    markdown(
      ['`call` exits with', 'Codes'],
      ([1, 2, 3, 4] as const).map((exit) => [
        String(exit),
        failureCodes
          .filter((name) => failures[name].exit === exit)
          .map(code)
          .join(', '),
      ]),
    ),
};

/** A text with the content of each marked place (`<!-- name -->` to `<!-- /name -->`) replaced by its table. */
export const withReferences = (text: string): string =>
  text.replace(
    /(<!-- (\w+) -->\n)[\s\S]*?(<!-- \/\2 -->)/g,
    (whole, start: string, name: string, end: string) => {
      const reference = references[name];
      return reference === undefined ? whole : `${start}${reference()}\n${end}`;
    },
  );

const failureCodes = Object.keys(failures).filter(isFailureCode);

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

const markdown = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
