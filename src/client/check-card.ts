import { KediError } from '../domain/errors.js';
import { KEDI_STRUCTURED_OUTPUT_URI, readOffer } from '../protocol/kedi-extension.js';
import type { Span } from '../schema/document.js';
import { jsonPointer } from '../schema/violation.js';
import type { PeerCard } from './card.js';

/** Something wrong with a card; an error is a broken rule of A2A 1.0 or of an extension, a warning bad manners. */
export interface Finding {
  readonly level: 'error' | 'warning';
  /** JSON pointer into the card. */
  readonly pointer: string;
  readonly sentence: string;
}

type Kind = Span['kind'];

/** Every finding of a card in its order: required fields (A2A 1.0, 4.4.1), interfaces, origins, extensions, security. */
export const checkCard = (card: PeerCard): readonly Finding[] => [
  ...required(card.span, '', {
    name: 'string',
    description: 'string',
    version: 'string',
    supportedInterfaces: 'array',
    capabilities: 'object',
    defaultInputModes: 'array',
    defaultOutputModes: 'array',
    skills: 'array',
  }),
  ...items(card.span, 'supportedInterfaces').flatMap(([span, pointer]) =>
    checkInterface(span, pointer, card),
  ),
  ...(card.interfaces.length === 0
    ? [error('/supportedInterfaces', 'There is no interface, so nobody can reach this agent.')]
    : []),
  ...items(card.span, 'skills').flatMap(([span, pointer]) =>
    required(span, pointer, { id: 'string', name: 'string', description: 'string', tags: 'array' }),
  ),
  ...checkProvider(card.span.members.get('provider')),
  ...checkExtensions(card),
  ...checkSecurity(card.span),
];

function checkInterface(span: Span, pointer: string, card: PeerCard): readonly Finding[] {
  const findings = required(span, pointer, {
    url: 'string',
    protocolBinding: 'string',
    protocolVersion: 'string',
  });
  const url = span.members.get('url')?.string;
  if (url === undefined) return findings;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  // A gRPC target need not be a URL.
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    return span.members.get('protocolBinding')?.string === 'GRPC'
      ? findings
      : [...findings, error(`${pointer}/url`, `"${url}" is not an http or https URL.`)];
  }
  if (parsed.origin !== new URL(card.url).origin) {
    const origins = `${parsed.origin}, and not of the card's own ${new URL(card.url).origin}`;
    return [
      ...findings,
      warning(`${pointer}/url`, `It is of the origin ${origins}; a careful client refuses it.`),
    ];
  }
  return findings;
}

function checkProvider(provider: Span | undefined): readonly Finding[] {
  return provider === undefined
    ? []
    : required(provider, '/provider', { url: 'string', organization: 'string' });
}

function checkExtensions(card: PeerCard): readonly Finding[] {
  const capabilities = card.span.members.get('capabilities');
  if (capabilities === undefined) return [];
  const seen = new Set<string>();
  return items(capabilities, 'extensions', '/capabilities').flatMap(([span, pointer]) => {
    const uri = span.members.get('uri')?.string;
    if (uri === undefined) return required(span, pointer, { uri: 'string' });
    if (seen.has(uri)) return [error(`${pointer}/uri`, `The extension ${uri} is declared twice.`)];
    seen.add(uri);
    return uri === KEDI_STRUCTURED_OUTPUT_URI ? checkOffer(span.members.get('params'), pointer) : [];
  });
}

function checkOffer(params: Span | undefined, pointer: string): readonly Finding[] {
  try {
    const { mode, schemaEncodings, resultEncodings } = readOffer(params);
    const legacy = [schemaEncodings, resultEncodings].some((encodings) => !encodings.includes('json-utf8'));
    return [
      ...(mode === 'fixed'
        ? [warning(pointer, 'Its mode is "fixed": it takes no schema of its client.')]
        : []),
      ...(legacy
        ? [warning(pointer, 'It lacks "json-utf8", so large and exact numbers cannot travel.')]
        : []),
    ];
  } catch (thrown) {
    if (!(thrown instanceof KediError)) throw thrown;
    return [error(`${pointer}${thrown.pointer ?? ''}`, thrown.message)];
  }
}

function checkSecurity(card: Span): readonly Finding[] {
  const schemes = card.members.get('securitySchemes')?.members ?? new Map<string, Span>();
  const malformed = [...schemes].flatMap(([name, scheme]) => {
    const known = [...scheme.members.keys()].filter((key) => key.endsWith('SecurityScheme'));
    return known.length === 1
      ? []
      : [
          error(
            jsonPointer(['securitySchemes', name]),
            'It holds none of the five kinds of scheme, or more than one.',
          ),
        ];
  });
  const undeclared = items(card, 'securityRequirements').flatMap(([requirement, pointer]) =>
    [...(requirement.members.get('schemes')?.members.keys() ?? [])]
      .filter((name) => !schemes.has(name))
      .map((name) => error(pointer, `The scheme "${name}" is required and not declared.`)),
  );
  return [...malformed, ...undeclared];
}

/** Fields that must be there and of their kind; a string or list that must be there must not be empty either. */
function required(span: Span, pointer: string, fields: Readonly<Record<string, Kind>>): readonly Finding[] {
  return Object.entries(fields).flatMap(([name, kind]) => {
    const value = span.members.get(name);
    const place = `${pointer}/${name}`;
    if (value === undefined) return [error(place, `The required field ${name} is missing.`)];
    if (value.kind !== kind)
      return [error(place, `${name} must be ${article(kind)}, and is ${article(value.kind)}.`)];
    return kind === 'string' && value.string === ''
      ? [error(place, `The required field ${name} is empty.`)]
      : [];
  });
}

const items = (span: Span, name: string, above = ''): readonly (readonly [Span, string])[] =>
  (span.members.get(name)?.items ?? []).map((item, index) => [item, `${above}/${name}/${index}`] as const);

const article = (kind: Kind): string =>
  kind === 'array' || kind === 'object' ? `an ${kind}` : kind === 'null' ? kind : `a ${kind}`;

const error = (pointer: string, sentence: string): Finding => ({ level: 'error', pointer, sentence });
const warning = (pointer: string, sentence: string): Finding => ({ level: 'warning', pointer, sentence });
