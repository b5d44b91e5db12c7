import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A stand-in for an agent program, of test/support/fakes. */
export const fake = (name: string): string =>
  fileURLToPath(new URL(`../../support/fakes/${name}`, import.meta.url));

/** The file of the lines that a real program printed in that scene, of test/fixtures/harness. */
export const recordedFile = (kind: string, scene: string): string =>
  fileURLToPath(new URL(`../../fixtures/harness/${kind}/${scene}.jsonl`, import.meta.url));

/** Those lines, as bytes. */
export const recordedLines = (kind: string, scene: string): readonly Uint8Array[] =>
  readFileSync(recordedFile(kind, scene), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Buffer.from(line));

/** Every scene that was recorded of that program. */
export const scenes = (kind: string): readonly string[] =>
  readdirSync(fileURLToPath(new URL(`../../fixtures/harness/${kind}/`, import.meta.url)))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => name.slice(0, -'.jsonl'.length));
