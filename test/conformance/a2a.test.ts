import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { type A2aHost, type Json, startA2aHost } from '../support/a2a-host.js';
import type { Binding } from './bindings/binding.js';
import { grpcBinding } from './bindings/grpc.js';
import { httpJsonBinding } from './bindings/http-json.js';
import { jsonRpcBinding } from './bindings/json-rpc.js';
import { messageChecks } from './checks/messages.js';
import type { Check } from './checks/stage.js';
import { streamChecks } from './checks/streams.js';
import { taskChecks } from './checks/tasks.js';
import { wireChecks } from './checks/wire.js';
import { a2aRequirements } from './requirements/a2a.js';
import type { BindingRequirement } from './requirements/requirement.js';

const path = fileURLToPath(new URL('../support/conformance-agent.ts', import.meta.url));
const startHost = (flags: object = {}): Promise<A2aHost> =>
  startA2aHost({
    until: afterAll,
    flags: {
      agent: 'module',
      agentOptions: JSON.stringify({ path }),
      bindings: 'json-rpc,http-json,grpc',
      grpcPort: '0',
      allowWebhooks: '127.0.0.0/8',
      ...flags,
    },
  });

/** The bindings where the card says that they are. */
async function bindingsOf({ url }: A2aHost): Promise<readonly Binding[]> {
  const card: Json = await (await fetch(`${url}/.well-known/agent-card.json`)).json();
  const urlOf = (name: string): string =>
    card.supportedInterfaces.find(({ protocolBinding }: Json) => protocolBinding === name).url;
  const bindings = [
    jsonRpcBinding(urlOf('JSONRPC')),
    httpJsonBinding(urlOf('HTTP+JSON')),
    grpcBinding(urlOf('GRPC')),
  ];
  afterAll(() => {
    for (const binding of bindings) binding.close();
  });
  return bindings;
}

/** The compiler has it that each requirement has its check, and each check its requirement. */
const checks: Readonly<Record<(typeof a2aRequirements)[number]['id'], Check>> = {
  ...messageChecks,
  ...taskChecks,
  ...streamChecks,
  ...wireChecks,
};

const host = await startHost();
const withoutPush = await bindingsOf(await startHost({ push: 'off' }));
const stages = (await bindingsOf(host)).flatMap((binding, index) => {
  const other = withoutPush[index];
  return other === undefined ? [] : [{ name: binding.name, binding, withoutPush: other }];
});

const isFor = (name: Binding['name'], { bindings }: BindingRequirement): boolean =>
  bindings === undefined || bindings.includes(name);

describe.each(stages)('A2A 1.0 over $name', ({ name, ...stage }) => {
  const asked = a2aRequirements.filter((requirement) => isFor(name, requirement));
  it.each(asked)('$id: $sentence', async ({ id }) => {
    await checks[id](stage);
  });
});

describe('The requirements of A2A', () => {
  it('have each a check, and each check is of one of them', () => {
    expect(Object.keys(checks).sort()).toEqual(a2aRequirements.map(({ id }) => id).sort());
    expect(stages.map(({ name }) => name)).toEqual(['JSON-RPC', 'HTTP+JSON', 'gRPC']);
  });
});
