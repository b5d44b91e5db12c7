import { type FailureCode, KediError } from '../domain/errors.js';
import { jsonPointer, place } from './violation.js';

/** Why schemas are refused. */
export type SchemaCode = Extract<FailureCode, `SCHEMA_${string}`>;

/** Whether a failure is about a schema. */
export const isSchemaCode = (code: FailureCode): code is SchemaCode => code.startsWith('SCHEMA_');

/** The way from a schema's root to one of its parts. */
export type Steps = readonly (string | number)[];

/** Refuses a schema: KediError with the pointer to the part at fault and one line of pointer and reason. */
export function refuseSchema(code: SchemaCode, steps: Steps, reason: string): never {
  const pointer = jsonPointer(steps);
  throw new KediError(code, `Schema ${place(pointer)}: ${reason}.`, { pointer });
}
