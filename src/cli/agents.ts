import { Command } from 'commander';
import type { AgentKind } from '../domain/agent.js';
import { describeOptions } from './agent-options.js';
import { write } from './output.js';

/** `kedi-a2a agents`: the kinds of agent that can be served, and the options of each. */
export const agentsCommand = (): Command =>
  new Command('agents')
    .description('List the kinds of agent that can be served, or the options of one.')
    .argument('[kind]', 'the kind whose options to show')
    .action(async (kind: string | undefined) => {
      const { agentKinds, findAgentKind } = await import('../agents/index.js');
      const kinds = kind === undefined ? agentKinds : [findAgentKind(kind)];
      const wide = Math.max(...kinds.map((each) => each.kind.length));
      const list = kinds.map((each) => `${each.kind.padEnd(wide)}  ${each.summary}\n`).join('');
      const [only] = kind === undefined ? [] : kinds;
      const more =
        only === undefined ? '\nkedi-a2a agents KIND shows the options of one.\n' : optionList(only);
      await write(process.stdout, list + more);
    });

function optionList(kind: AgentKind): string {
  const options = describeOptions(kind);
  if (options.length === 0) return '\nIt has no options.\n';
  const lines = options.map(
    ({ name, form, required, help }) => `\n  ${name}  ${form}${required ? ', required' : ''}\n      ${help}`,
  );
  return `\nOptions, as keys of the JSON object of --agent-options:\n${lines.join('\n')}\n`;
}
