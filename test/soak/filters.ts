/**
 * `npm run soak -- filters [queries] [seed]`: compares the store's answers with the interpreter's on so many queries (20,000 unless given), over
 * new records in every round. Progress goes to stderr; the last lines, on stdout, say what was compared and which seeds differ.
 */
import { compareInEveryState } from '../../src/query/filter/same-answer-rig.ts';
import { openStoreRig } from '../../src/store/store-rig.ts';

const queriesInState = 200;

const [queriesWanted = 20_000, firstSeed = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number);
const states = new Map<string, number>();
const mismatches: string[] = [];
let queries = 0;
let telling = 0;
let rounds = 0;

const rig = await openStoreRig();
const startedAt = Date.now();
while (queries < queriesWanted) {
  for await (const report of compareInEveryState(rig.connections, firstSeed + rounds * 10, queriesInState)) {
    queries += report.queries;
    telling += report.telling;
    states.set(report.state, (states.get(report.state) ?? 0) + report.queries);
    if (report.mismatch !== null) {
      mismatches.push(`records of seed ${report.seed}, ${report.state}`);
      console.error(`MISMATCH, ${report.state}, records of seed ${report.seed}: ${report.mismatch}`);
    }
  }
  rounds += 1;
  console.error(`${queries} of ${queriesWanted} queries, ${mismatches.length} mismatches, ${seconds()} s`);
}
await rig.close();

const perState = [...states].map(([state, count]) => `${state} ${count}`).join(', ');
console.log(
  [
    `filters: ${queries} queries in ${seconds()} s, ${((telling / queries) * 100).toFixed(1)} % with an answer between nothing and everything`,
    `states: ${perState}`,
    `seeds of records: ${firstSeed} to ${firstSeed + (rounds - 1) * 10} in steps of 10 (${rounds} sets)`,
    `mismatches: ${mismatches.length}${mismatches.map((place) => `\n  ${place}`).join('')}`,
  ].join('\n'),
);
process.exitCode = mismatches.length === 0 ? 0 : 1;

function seconds(): number {
  return Math.round((Date.now() - startedAt) / 1000);
}
