import { KediError } from '../../domain/errors.js';
import { reasonOf } from '../../domain/reason.js';
import { isShape, type Shape, textAt } from '../kit/json-line.js';
import { bytesOf } from './bytes.js';
import type { OpenaiSettings } from './options.js';

/** More of a refusal is not read. */
const longestBody = 64 * 1024;
const longestReason = 500;

/** Why an endpoint answered with another status than 200, in its own words; no secret is in them. */
export async function refusalOf(response: Response, settings: OpenaiSettings): Promise<KediError> {
  const { status } = response;
  const words = withoutSecrets(reasonIn(await beginningOf(response)), settings);
  const code = status === 401 || status === 403 ? 'AGENT_UNAVAILABLE' : 'AGENT_FAILED';
  const redirect = status >= 300 && status < 400 ? 'it redirects elsewhere' : undefined;
  const why = words || redirect || 'without a reason';
  return new KediError(code, `The model’s endpoint refused the request (HTTP ${status}): ${why}`, {
    info: { status: String(status) },
  });
}

/** Why no answer came, or no more of it. */
export function lost(cause: unknown, { began }: { readonly began: boolean }): KediError {
  const reason = reasonOf(cause);
  return began
    ? new KediError('AGENT_FAILED', `The connection to the model was lost in its answer: ${reason}.`, {
        cause,
      })
    : new KediError('AGENT_UNAVAILABLE', `The model’s endpoint cannot be reached: ${reason}.`, { cause });
}

/** What an error of the protocol says: `{message}`, or text alone. */
export const messageOf = (error: unknown): string | undefined =>
  typeof error === 'string' ? error : isShape(error) ? textAt(error, 'message') : undefined;

/** A provider may quote what it was sent. */
export function withoutSecrets(text: string, { key, headers }: OpenaiSettings): string {
  const secrets = [key?.(), ...Object.values(headers)].filter(
    (each) => each !== undefined && each.length >= 8,
  );
  return secrets.reduce<string>((safe, secret) => safe.replaceAll(secret ?? '', '***'), text);
}

function reasonIn(body: string): string {
  const shape = parsed(body);
  const words =
    shape === undefined
      ? undefined
      : (messageOf(shape.error) ?? textAt(shape, 'message') ?? textAt(shape, 'detail'));
  const text = (words ?? body).replace(/\s+/g, ' ').trim();
  return text.length > longestReason ? `${text.slice(0, longestReason).toWellFormed()}…` : text;
}

function parsed(text: string): Shape | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // Some gateways give a list of one.
    const first: unknown = Array.isArray(value) ? value[0] : value;
    return isShape(first) ? first : undefined;
  } catch {
    return undefined;
  }
}

async function beginningOf(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of bytesOf(response)) {
      pieces.push(piece);
      length += piece.length;
      if (length > longestBody) break;
    }
  } catch {
    // What has come says enough.
  }
  return Buffer.concat(pieces).toString();
}
