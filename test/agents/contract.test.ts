import { expect, it } from 'vitest';
import { agentKinds } from '../../src/agents/index.js';
import { commandFixture } from './contract/command.js';
import { demoFixture } from './contract/demo.js';
import { moduleFixture } from './contract/module.js';
import { type AgentFixture, contract } from './contract.js';

const fixtures: readonly AgentFixture[] = [demoFixture, commandFixture, moduleFixture];

for (const fixture of fixtures) contract(fixture);

it('every agent in the registry is held to the contract', () => {
  expect(fixtures.map(({ kind }) => kind.kind).sort()).toEqual(agentKinds.map(({ kind }) => kind).sort());
});
