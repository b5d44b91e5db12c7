import { byId } from './dom.js';

/**
 * Asks for a credential of the kind that the server names, in the page's own dialog; gives the headers to send it in.
 * It waits until there is one.
 */
export function createCredentialDialog() {
  const dialog = byId('credential');
  const form = byId('credential-form');
  let schemes = [];

  const show = (kind) => {
    for (const field of form.querySelectorAll('[data-kind]')) {
      const on = field.dataset.kind === kind;
      field.hidden = !on;
      for (const input of field.querySelectorAll('input')) input.disabled = !on;
    }
  };
  dialog.addEventListener('cancel', (event) => event.preventDefault());

  return {
    /** What the card says about authentication, once it is known. */
    know(card) {
      schemes = Object.values(card.securitySchemes ?? {});
    },
    ask({ challenge, again }) {
      const { kind, header } = schemeOf(challenge, schemes);
      show(kind);
      byId('credential-wrong').hidden = !again;
      dialog.showModal();
      return new Promise((resolve) => {
        form.addEventListener(
          'submit',
          (event) => {
            event.preventDefault();
            const fields = new FormData(form);
            form.reset();
            dialog.close();
            resolve(headersOf(kind, header, fields));
          },
          { once: true },
        );
      });
    },
  };
}

function schemeOf(challenge, schemes) {
  const apiKey = schemes.find((scheme) => scheme.apiKeySecurityScheme !== undefined)?.apiKeySecurityScheme;
  if (/^basic\b/i.test(challenge)) return { kind: 'basic' };
  if (apiKey !== undefined) return { kind: 'api-key', header: apiKey.name };
  if (/^apikey\b/i.test(challenge))
    return { kind: 'api-key', header: /header="?([\w-]+)/i.exec(challenge)?.[1] };
  return { kind: 'bearer' };
}

function headersOf(kind, header = 'X-API-Key', fields) {
  switch (kind) {
    case 'basic': {
      const pair = new TextEncoder().encode(`${fields.get('name')}:${fields.get('password')}`);
      return { Authorization: `Basic ${btoa(String.fromCharCode(...pair))}` };
    }
    case 'api-key':
      return { [header]: fields.get('key') };
    default:
      return { Authorization: `Bearer ${fields.get('token')}` };
  }
}
