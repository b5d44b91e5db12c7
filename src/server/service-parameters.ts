import type { IncomingMessage } from 'node:http';
import { A2A_PROTOCOL_VERSION, Extensions } from '@a2a-js/sdk';
import { KediError } from '../domain/errors.js';

/** Checks the service parameter `A2A-Version` (A2A 1.0, 3.6), from the header or else the query. */
export function requireVersion(request: IncomingMessage): void {
  if (request.headers['a2a-version'] !== A2A_PROTOCOL_VERSION) checkVersion(versionOf(request));
}

/** The version that a request asks for, empty where it does not say. */
export const versionOf = (request: IncomingMessage): string =>
  (request.headers['a2a-version']?.toString() || versionInQuery(request.url ?? '')).trim();

/**
 * Compares a version that a client asks for by major and minor number. Any other version, and none at all, which means
 * 0.3: KediError VERSION_NOT_SUPPORTED.
 */
export function checkVersion(version: string): void {
  const written = version.trim();
  if (/^(\d+\.\d+)(\.\d+)?$/.exec(written)?.[1] === A2A_PROTOCOL_VERSION) return;
  const asked =
    written === ''
      ? 'A request without the header A2A-Version is one of A2A 0.3'
      : `The header A2A-Version asks for ${written.slice(0, 32)}`;
  throw new KediError(
    'VERSION_NOT_SUPPORTED',
    `${asked}, and this interface speaks ${A2A_PROTOCOL_VERSION}: send "A2A-Version: ${A2A_PROTOCOL_VERSION}".`,
    { info: { supportedVersions: A2A_PROTOCOL_VERSION } },
  );
}

/** The URIs in the service parameter `A2A-Extensions` (3.2.6). */
export const readExtensions = ({ headers }: IncomingMessage): readonly string[] =>
  parseExtensions(headers['a2a-extensions']?.toString());

/** The same from the parameter's text. */
export const parseExtensions = (text: string | undefined): readonly string[] =>
  text === undefined ? none : Extensions.parseServiceParameter(text);

/** The response's header that tells which of the extensions asked for are in force; no header for none. */
export function extensionsHeader(
  asked: readonly string[],
  supported: readonly string[],
): Readonly<Record<string, string>> {
  if (asked.length === 0) return {};
  const active = supported.filter((uri) => asked.includes(uri));
  return active.length === 0 ? {} : { 'A2A-Extensions': Extensions.toServiceParameter(active) };
}

const none: readonly string[] = [];

function versionInQuery(url: string): string {
  const query = url.slice(url.indexOf('?') + 1 || url.length);
  for (const [name, value] of new URLSearchParams(query))
    if (name.toLowerCase() === 'a2a-version') return value;
  return '';
}
