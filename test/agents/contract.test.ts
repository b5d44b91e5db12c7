import { expect, it } from 'vitest';
import { agentKinds } from '../../src/agents/index.js';
import { a2aFixture } from './contract/a2a.js';
import { acpFixture } from './contract/acp.js';
import { aiSdkFixture } from './contract/ai-sdk.js';
import { claudeCodeFixture } from './contract/claude-code.js';
import { codexFixture } from './contract/codex.js';
import { commandFixture } from './contract/command.js';
import { demoFixture } from './contract/demo.js';
import { moduleFixture } from './contract/module.js';
import { openaiFixture } from './contract/openai.js';
import { type AgentFixture, contract } from './contract.js';

const fixtures: readonly AgentFixture[] = [
  claudeCodeFixture,
  codexFixture,
  acpFixture(1),
  acpFixture(2),
  demoFixture,
  commandFixture,
  moduleFixture,
  openaiFixture,
  aiSdkFixture,
  a2aFixture,
];

for (const fixture of fixtures) contract(fixture);

/** Held to the contract by test/harness/deepagents.test.ts, with packages that only those tests install. */
const elsewhere = ['deepagents'];

it('every agent in the registry is held to the contract', () => {
  const held = [...fixtures.map(({ kind }) => kind.kind), ...elsewhere];
  expect(new Set(held)).toEqual(new Set(agentKinds.map(({ kind }) => kind)));
});
