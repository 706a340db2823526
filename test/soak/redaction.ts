/**
 * `npm run soak -- redaction [--seconds n] [--rate n] [--slow n] [--before folder]`: sends `--rate` (1,500) small calls a second for `--seconds`
 * (120) with the two rules of the guide, beside a process on each core that never rests, while another organisation sends `--slow` (20)
 * calls a second whose text one of its rules is slow on. `--before` names a checkout with a built program that is measured first in the same
 * way. The output shows, for each, how many records have their texts left out, how long a call took until it could be read, and the CPU time
 * of the core for each record.
 *
 * The exit code is 1 when, with the present program, a text is left out that no slow rule has touched, the slow rule is not bounded, or a
 * record is missing.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { killStarted, program } from '../support/process-tree.ts';
import { type RedactionRun, runRedactionSoak } from '../support/redaction-soak.ts';

const { values: given } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    rate: { type: 'string', default: '1500' },
    slow: { type: 'string', default: '20' },
    before: { type: 'string' },
  },
});
const options = { durationMs: Number(given.seconds) * 1000, callsPerSecond: Number(given.rate), slowCallsPerSecond: Number(given.slow) };

process.once('SIGINT', () => process.exit(130));
process.once('exit', killStarted);

console.log(`${given.rate} calls a second for ${given.seconds} s with quick rules, ${given.slow} a second with a slow one`);
if (given.before !== undefined) {
  report('before', await runRedactionSoak({ ...options, program: path.resolve(given.before, 'dist/cli/main.js') }));
}
const run = await runRedactionSoak({ ...options, program });
report('now', run);
const faults = [
  ...(run.quick.leftOut > 0 ? [`texts of ${run.quick.leftOut} records are left out that no slow rule has touched`] : []),
  ...(run.quick.records < run.quick.answered || run.slow.records < run.slow.answered ? ['records are missing'] : []),
  ...(run.slow.leftOut === 0 ? ['the slow rule is not bounded'] : []),
];
console.log(faults.length === 0 ? 'no faults' : faults.map((fault) => `FAULT: ${fault}`).join('\n'));
process.exitCode = faults.length === 0 ? 0 : 1;

function report(name: string, { quick, slow, visibleMs, coreMicrosPerRecord }: RedactionRun): void {
  console.log(`${name}: quick rules: texts of ${quick.leftOut} of ${quick.records} records left out (${quick.answered} calls answered)`);
  console.log(`${name}: slow rule: texts of ${slow.leftOut} of ${slow.records} records left out (${slow.answered} calls answered)`);
  const [middle, most] = [visibleMs[Math.floor(visibleMs.length / 2)] ?? 0, visibleMs.at(-1) ?? 0];
  console.log(`${name}: a call could be read after ${middle.toFixed(0)} ms (p50), ${most.toFixed(0)} ms (max); ${visibleMs.length} calls`);
  console.log(`${name}: the core took ${coreMicrosPerRecord.toFixed(0)} µs of CPU time for each record`);
}
