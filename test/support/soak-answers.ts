import type { StateReport } from '../../src/query/filter/testing/same-result.ts';

const queriesInState = 200;

/** Compares this number of queries in every state of a store with the records of one seed. */
type CompareInEveryState = (seed: number, queriesInState: number) => AsyncGenerator<StateReport>;

/**
 * Compares in rounds until as many queries as the first argument, or the default, have run, and prints the result. @returns the exit code.
 */
export async function soakAnswers(name: string, defaultQueries: number, compare: CompareInEveryState): Promise<number> {
  const [queriesWanted = defaultQueries, firstSeed = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number);
  const states = new Map<string, number>();
  const mismatches: string[] = [];
  let [queries, selective, rounds] = [0, 0, 0];
  const startedAt = Date.now();
  const seconds = (): number => Math.round((Date.now() - startedAt) / 1000);
  while (queries < queriesWanted) {
    for await (const report of compare(firstSeed + rounds * 10, queriesInState)) {
      queries += report.queries;
      selective += report.telling;
      states.set(report.state, (states.get(report.state) ?? 0) + report.queries);
      if (report.mismatch !== null) {
        mismatches.push(`records of seed ${report.seed}, ${report.state}`);
        process.stderr.write(`MISMATCH, ${report.state}, records of seed ${report.seed}: ${report.mismatch}\n`);
      }
    }
    rounds += 1;
    process.stderr.write(`${queries} of ${queriesWanted} queries, ${mismatches.length} mismatches, ${seconds()} s\n`);
  }
  const perState = [...states].map(([state, count]) => `${state} ${count}`).join(', ');
  const lines = [
    `${name}: ${queries} queries in ${seconds()} s, ${((selective / queries) * 100).toFixed(1)} % with a result between nothing and everything`,
    `states: ${perState}`,
    `seeds of records: ${firstSeed} to ${firstSeed + (rounds - 1) * 10} in steps of 10 (${rounds} sets)`,
    `mismatches: ${mismatches.length}${mismatches.map((place) => `\n  ${place}`).join('')}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return mismatches.length === 0 ? 0 : 1;
}
