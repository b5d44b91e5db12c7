// Writes the generated tables of README.md from the settings, the registry of agents and the table of failures.
import { readFileSync, writeFileSync } from 'node:fs';
import { withReferences } from '../dist/cli/reference.js';

const readme = new URL('../README.md', import.meta.url);
writeFileSync(readme, withReferences(readFileSync(readme, 'utf8')));
