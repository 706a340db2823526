/**
 * `npm run soak -- hostile [--seconds n] [--quiet n] [--records n] [--only a,b]`: one organisation attacks a service with its default
 * settings, one surface after the other (`--only`: these), each for `--seconds` (30): spans, telemetry, streams, webhooks, alerts,
 * redaction, imports, mcp, exports, logs, prices, changes, bodies, uploads, slow-replies, packed-replies, cursors, facets, batches, limits,
 * saved, texts. It has `--records` (100,000) records at the start. Everything is on this machine, and nothing but the service is asked. Loads end by themselves, and what the attack has stored is taken away again.
 *
 * Meanwhile another organisation makes 5 calls, 1 span and 3 reads a second and looks for each call and span by its identifier. It does the
 * same for `--quiet` (10) seconds right before each attack. Attacker, provider and this process stand for other machines: this one and the
 * provider have a higher priority than the service, the attacker a lower one, where the user may set them.
 *
 * For each surface the output shows the attack in words, the answers to it, the peak memory of each process, and how the other organisation
 * was served with and without the attack; at the end it shows a table. Beside the times it shows which bound their 99th percentile is within.
 *
 * The exit code is 1 when, beside an attack,
 * - one of the other organisation's requests fails, or one of its records is lost, doubled, or visible only after more than 10 s;
 * - a process takes more than 1.5 GB, or was started again.
 * An aim is missed, which the exit code does not tell, when the 99th percentile of its calls is above 100 ms, or that of its reads above
 * 250 ms, and above three times that without the attack.
 */
import { parseArgs } from 'node:util';
import { attackAll } from '../support/attack/run.ts';
import { surfaces } from '../support/attack/surfaces.ts';
import { faultsOf, linesOf, type SurfaceRun, tableOf } from '../support/attack/verdict.ts';

const { values: given } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    quiet: { type: 'string', default: '10' },
    records: { type: 'string', default: '100000' },
    only: { type: 'string' },
  },
});
const names = given.only?.split(',');
const unknown = (names ?? []).filter((name) => !surfaces.some((surface) => surface.name === name));

if (unknown.length > 0) {
  console.error(
    `There is no surface ${unknown.join(', ')}: name some of ${surfaces.map(({ name }) => name).join(', ')}, with commas between.`,
  );
  process.exitCode = 1;
} else {
  const soak = {
    durationMs: Number(given.seconds) * 1000,
    quietMs: Number(given.quiet) * 1000,
    records: Number(given.records),
    surfaces: surfaces.filter(({ name }) => names?.includes(name) ?? true),
  };
  const runs: SurfaceRun[] = [];
  for await (const run of attackAll(soak, (line) => console.error(line))) {
    runs.push(run);
    console.log(linesOf(run).join('\n'));
  }
  console.log(tableOf(runs).join('\n'));
  process.exitCode = runs.every((run) => faultsOf(run).length === 0) ? 0 : 1;
}
