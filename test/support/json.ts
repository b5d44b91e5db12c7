import type { JsonText } from '../../src/domain/json.js';
import { readDocument } from '../../src/schema/document.js';

/** A document for a test, as it is written there. */
export function document(text: string): JsonText {
  const read = readDocument(text);
  if (!read.ok) throw new Error(`${read.reason} at ${read.offset}: ${text}`);
  return read.json;
}
