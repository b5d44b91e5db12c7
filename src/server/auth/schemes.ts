import type { AuthSettings } from './index.js';

/** `securitySchemes` and `securityRequirements` of the card, as ProtoJSON (A2A 1.0, 4.4.1 and 4.5). */
export interface CardSecurity {
  readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly securityRequirements: readonly {
    readonly schemes: Readonly<Record<string, { readonly list: readonly string[] }>>;
  }[];
}

/** What a client must know to come in by these settings; no secret is in it. */
export function cardSecurity(settings: AuthSettings): CardSecurity {
  const { name, scheme, scopes = [] } = describe(settings);
  return {
    securitySchemes: { [name]: scheme },
    securityRequirements: [{ schemes: { [name]: { list: scopes } } }],
  };
}

interface Described {
  readonly name: string;
  readonly scheme: Readonly<Record<string, unknown>>;
  readonly scopes?: readonly string[];
}

function describe(settings: AuthSettings): Described {
  switch (settings.scheme) {
    case 'basic':
      return { name: 'basic', scheme: { httpAuthSecurityScheme: { scheme: 'Basic' } } };
    case 'bearer':
      return { name: 'bearer', scheme: { httpAuthSecurityScheme: { scheme: 'Bearer' } } };
    case 'api-key': {
      const { header } = settings;
      return { name: 'apiKey', scheme: { apiKeySecurityScheme: { location: 'header', name: header } } };
    }
    case 'jwt': {
      const { keys, scopes } = settings;
      if (keys.kind === 'discovery') {
        const openIdConnectUrl = `${keys.issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
        return {
          name: 'openIdConnect',
          scheme: { openIdConnectSecurityScheme: { openIdConnectUrl } },
          scopes,
        };
      }
      const scheme = { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } };
      return { name: 'jwt', scheme, scopes };
    }
  }
}
