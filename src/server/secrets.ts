const SECRET_NAME = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL)/i;
/** Variables that say where or what a secret is, and not the secret. */
const ABOUT_SECRET = /_(FILE|PATH|DIR|HEADER|ENV|ID|URL|NAME)$/i;
/** A shorter value would be found in ordinary words. */
const SHORTEST = 8;

/**
 * Replaces the values of secrets by `***`: those of the environment's variables, and of the agent's `env` option, whose
 * names tell that they hold one. Undefined where there are none. A secret that an agent prints in several pieces is
 * not recognised.
 */
export function createRedaction(
  env: Readonly<Record<string, string | undefined>>,
  agentOptions: Readonly<Record<string, unknown>>,
): ((text: string) => string) | undefined {
  const given = agentOptions.env;
  const variables = [
    ...Object.entries(env),
    ...(typeof given === 'object' && given !== null ? Object.entries(given) : []),
  ];
  const secrets = variables.flatMap(([name, value]: readonly [string, unknown]) => {
    if (!SECRET_NAME.test(name) || ABOUT_SECRET.test(name)) return [];
    return typeof value === 'string' && value.length >= SHORTEST
      ? [value, JSON.stringify(value).slice(1, -1)]
      : [];
  });
  if (secrets.length === 0) return undefined;
  // The longer first, so that a secret that begins another leaves nothing of it.
  const alternatives = [...new Set(secrets)].sort((one, other) => other.length - one.length).map(literal);
  const pattern = new RegExp(alternatives.join('|'), 'g');
  return (text) => text.replace(pattern, '***');
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
