import type { CardSecurity } from '../../protocol/card.js';
import type { AuthSettings } from './index.js';

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
