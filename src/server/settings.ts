import type { Setting } from './setting.js';
import { accessSettings } from './settings/access.js';
import { agentSettings } from './settings/agent.js';
import { limitsSettings } from './settings/limits.js';
import { loggingSettings } from './settings/logging.js';
import { networkSettings } from './settings/network.js';
import { storageSettings } from './settings/storage.js';

/**
 * Every setting of the server, once. From a row come the flag (`--max-body`), the environment variable
 * (`KEDI_A2A_MAX_BODY`), the key of the config file (`maxBody`), the help, the README's table and the check; a new
 * setting is a new row of its group and nothing else.
 */
export const table = {
  ...agentSettings,
  ...networkSettings,
  ...accessSettings,
  ...storageSettings,
  ...limitsSettings,
  ...loggingSettings,
} as const satisfies Record<string, Setting>;

type Table = typeof table;

/** Names of settings, as the config file and the program write them. */
export type SettingName = keyof Table;

type ValueOf<Row extends Setting> =
  | ReturnType<Row['read']>
  | (Row['fallback'] extends string ? never : undefined);

/** All settings, read and checked: sizes in bytes, times in milliseconds, paths absolute. */
export type Settings = { readonly [Name in SettingName]: ValueOf<Table[Name]> };

/** The flag of a setting: `--max-body`. */
export const flagOf = (name: string): string => `--${words(name).join('-')}`;

/** The environment variable of a setting: `KEDI_A2A_MAX_BODY`. */
export const variableOf = (name: string): string => `KEDI_A2A_${words(name).join('_').toUpperCase()}`;

/** Whether a setting has this name. */
export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(table, name);
}

/** The names in the order of the table. */
export const settingNames = Object.keys(table).filter(isSettingName);

const words = (name: string): readonly string[] => name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
