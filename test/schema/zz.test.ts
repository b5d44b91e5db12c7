import fc from 'fast-check';
import { test } from 'vitest';
import { sample } from '../../src/schema/sample.js';
import { satisfiable } from '../support/satisfiable.js';
test('x', () => {
  let bad=0;
  for (const { schema, witness } of fc.sample(satisfiable, {numRuns: 60000, seed: Number(process.env.SEED ?? 1)})) { const r = sample(schema); if (!r.ok) { bad++; if (bad<8) console.log(schema.slice(schema.indexOf('"allOf":[')), '|||', witness, '|||', r.reason); } }
  console.log('bad', bad);
}, 300000);
