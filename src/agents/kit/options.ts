/** Options as the kind's schema has let them through: readers that give them their types again. */
type Options = Readonly<Record<string, unknown>>;

/** A string, or undefined where the option is not set. */
export const textOption = (options: Options, name: string): string | undefined => {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
};

/** A number, or undefined where the option is not set. */
export const numberOption = (options: Options, name: string): number | undefined => {
  const value = options[name];
  return typeof value === 'number' ? value : undefined;
};

/** Whether the option is set to true. */
export const flagOption = (options: Options, name: string): boolean => options[name] === true;

/** An array of strings, empty where the option is not set. */
export const listOption = (options: Options, name: string): readonly string[] => {
  const value = options[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
};

/** An object of strings, empty where the option is not set. */
export const mapOption = (options: Options, name: string): Readonly<Record<string, string>> => {
  const value = options[name];
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
};
