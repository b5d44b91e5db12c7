import { a2aRequirements } from './requirements/a2a.js';
import { citedA2aRequirements } from './requirements/a2a-cited.js';
import { agentOutputRequirements } from './requirements/agent-output.js';
import { kediRequirements } from './requirements/kedi.js';
import type { CitedRequirement, Requirement } from './requirements/requirement.js';

/** All that is asked of this server. Those of `a2aRequirements` are verified over each binding by a2a.test.ts. */
export const requirements: readonly Requirement[] = [
  ...a2aRequirements,
  ...citedA2aRequirements,
  ...agentOutputRequirements,
  ...kediRequirements,
];

/** Those that tests elsewhere verify; requirements.test.ts looks that these tests exist. */
export const citedRequirements: readonly CitedRequirement[] = [
  ...citedA2aRequirements,
  ...agentOutputRequirements,
  ...kediRequirements,
];
