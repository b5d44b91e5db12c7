import { KediError } from '../../domain/errors.js';

/** What every program needs from the server's environment; anything else an agent asks for by name. */
const shared = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TERM'] as const;

const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

/** The server's own settings, its secret among them: no child ever sees one. */
const ownPrefix = 'KEDI_A2A_';

/**
 * The environment of an agent's program: from the server's the usual few, the proxy's and `names` (the agent's own
 * keys); over them `extra`, the operator's `env` option. A name of the server's own settings: SETTINGS_INVALID.
 */
export function childEnvironment(
  server: Readonly<Record<string, string | undefined>>,
  {
    names = [],
    extra = {},
  }: { readonly names?: readonly string[]; readonly extra?: Readonly<Record<string, string>> },
): Readonly<Record<string, string>> {
  const own = [...names, ...Object.keys(extra)].find((name) => name.startsWith(ownPrefix));
  if (own !== undefined) {
    throw new KediError(
      'SETTINGS_INVALID',
      `${own} belongs to the server itself and is never passed on to an agent.`,
    );
  }
  const environment: Record<string, string> = {};
  for (const name of [...shared, ...proxies, ...names]) {
    const value = server[name];
    if (value !== undefined) environment[name] = value;
  }
  return Object.assign(environment, extra);
}
