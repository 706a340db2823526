/**
 * `npm run soak -- metrics [queries] [seed]`: compares the store's metrics with those computed from the records for this many queries
 * (1,000 by default), in every state of the store, then with statements that are wrong in one respect. Progress goes to stderr; the last
 * lines, on stdout, show the compared queries, the seeds that differ, and how each fault was found.
 */
import { inEveryState } from '../../src/query/filter/testing/same-result.ts';
import { compareMetrics, compareMutant, mutants } from '../../src/query/metrics/testing/same-metrics.ts';
import { openStoreRig } from '../../src/store/testing/store-harness.ts';
import { soakAnswers } from '../support/soak-answers.ts';

const rig = await openStoreRig();
let exitCode = await soakAnswers('metrics', 1000, (seed, runs) => inEveryState(rig.connections, compareMetrics, { runs, seed }));
process.stdout.write('faults in the statements:\n');
for (const [name, mutant] of Object.entries(mutants)) {
  const found = await firstMismatch(mutant);
  if (found === undefined) exitCode = 1;
  process.stdout.write(`  ${name}: ${found ?? 'NOT FOUND'}\n`);
}
process.exitCode = exitCode;
await rig.close();

async function firstMismatch(mutant: (typeof mutants)[string]): Promise<string | undefined> {
  for await (const { state, mismatch } of inEveryState(rig.connections, compareMutant(mutant), { runs: 500, seed: 1 })) {
    if (mismatch !== null) return `found (${state}): ${mismatch.split('\n').at(-1)?.slice(0, 120) ?? ''}`;
  }
  return undefined;
}
