import type { AgentKind } from '../domain/agent.js';

/** One option of a kind of agent, in words for help and the README. */
export interface OptionDescription {
  readonly name: string;
  /** What its value is: `text`, `list of text`, `"native" or "none"`. */
  readonly form: string;
  readonly required: boolean;
  readonly help: string;
}

/** The options of a kind, those first that must be given. */
export function describeOptions({ options }: AgentKind): readonly OptionDescription[] {
  const described = Object.entries(options.properties).map(([name, schema]) => ({
    name,
    form: formOf(schema),
    required: options.required?.includes(name) === true,
    help: schema.description,
  }));
  return [...described.filter(({ required }) => required), ...described.filter(({ required }) => !required)];
}

const words: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  object: 'object',
  array: 'list',
};

/** A value's form by the few keywords that the registry's schemas use. */
function formOf(schema: unknown): string {
  if (!isRecord(schema)) return 'anything';
  const { enum: values, const: constant, type, items, additionalProperties, anyOf, oneOf } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' or ');
  if (constant !== undefined) return JSON.stringify(constant);
  const branches = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  if (branches !== undefined) return branches.map(formOf).join(', or ');
  const word = typeof type === 'string' ? (words[type] ?? type) : 'anything';
  if (type === 'array' && items !== undefined) return `list of ${formOf(items)}`;
  return type === 'object' && isRecord(additionalProperties)
    ? `object of ${formOf(additionalProperties)}`
    : word;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
