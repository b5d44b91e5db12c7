import { type Command, Option } from 'commander';
import type { Setting } from '../server/setting.js';
import { flagOf, type SettingName, settingNames, table } from '../server/settings.js';

/** Gives a command one flag for each setting of the table, grouped as the table groups them. */
export function addSettingOptions(command: Command): Command {
  for (const name of settingNames) {
    const row: Setting = table[name];
    const value = row.value === undefined ? '[yes|no]' : `<${row.value}>`;
    const option = new Option(`${flagOf(name)} ${value}`, row.help + describeDefault(row));
    command.addOption(option.helpGroup(`${row.group}:`));
  }
  return command;
}

/** The settings among a command's flags, as the texts that the user wrote; a switch that stands alone means yes. */
export const settingFlags = (
  flags: Readonly<Record<string, unknown>>,
): Partial<Record<SettingName, string>> =>
  Object.fromEntries(
    settingNames.flatMap((name) => {
      const text = flags[name] === true ? 'yes' : flags[name];
      return typeof text === 'string' ? [[name, text]] : [];
    }),
  );

const describeDefault = ({ fallback }: Setting): string =>
  fallback === undefined || fallback === '' ? '' : ` (default: ${fallback})`;
