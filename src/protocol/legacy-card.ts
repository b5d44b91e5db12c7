import type { CardSecurity, ServedCard } from './card.js';

/**
 * The keys by which clients of A2A 0.3 read a card, to stand beside those of 1.0: the interface in its own words, and
 * each security scheme also in the form of OpenAPI. Either client passes over what it does not know.
 */
export function legacyKeys({
  interfaces,
  extended,
  security,
}: ServedCard): Readonly<Record<string, unknown>> {
  const legacy = interfaces.find(({ protocolVersion }) => protocolVersion === '0.3');
  if (legacy === undefined) return {};
  return {
    protocolVersion: '0.3.0',
    url: legacy.url,
    preferredTransport: legacy.protocolBinding,
    supportsAuthenticatedExtendedCard: extended,
    ...(security !== undefined && legacySecurity(security)),
  };
}

function legacySecurity({ securitySchemes, securityRequirements }: CardSecurity) {
  return {
    securitySchemes: Object.fromEntries(
      Object.entries(securitySchemes).map(([name, scheme]) => [name, { ...scheme, ...legacyScheme(scheme) }]),
    ),
    security: securityRequirements.map(({ schemes }) =>
      Object.fromEntries(Object.entries(schemes).map(([name, { list }]) => [name, list])),
    ),
  };
}

/** A scheme of 1.0 is an object with one key that says its kind; in 0.3 that is the value of `type`. */
function legacyScheme(scheme: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const [[kind, value] = []] = Object.entries(scheme);
  const { location, ...rest }: Readonly<Record<string, unknown>> = Object(value);
  switch (kind) {
    case 'httpAuthSecurityScheme':
      return { type: 'http', ...rest };
    case 'apiKeySecurityScheme':
      return { type: 'apiKey', in: location, ...rest };
    case 'openIdConnectSecurityScheme':
      return { type: 'openIdConnect', ...rest };
    default:
      return {};
  }
}
