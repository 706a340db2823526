/**
 * `npm run soak -- webhooks [count] [--seed n] [--rate n]`: kills (kill -9) the core, the supervisor or the whole tree this many times (20 by
 * default), at random moments under load (100 calls a second by default), while one webhook gets every request and every change of one, and
 * another half of one user's requests. One event of twenty is refused the first time. Afterwards every stored request must have been announced,
 * under one `webhook-id`, every acknowledged change must show in an event, and the second webhook must have exactly what its filter and its
 * sample rate say. Progress goes to stderr; the last lines, on stdout, show the result. The exit code is 1 when any of this is violated.
 */
import { parseArgs } from 'node:util';
import { SeededRandom } from '../support/seeded-random.ts';
import { killStarted, makeDataDir, removeDataDir } from '../support/process-tree.ts';
import { killedKinds, runWebhookKills, type WebhookRun } from '../support/webhooks/webhook-run.ts';
import { countWebhookFindings } from '../support/webhooks/webhook-verdict.ts';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, rate: { type: 'string' } },
});
const seed = Number(given.seed ?? Date.now() % 2 ** 31);
const callsPerSecond = Number(given.rate ?? 100);
const dataDir = makeDataDir();
const startedAt = performance.now();
const shownOfEach = 5;
let killCount = 0;

process.once('SIGINT', () => process.exit(130));
process.once('exit', killStarted);

try {
  console.error(`seed ${seed}`);
  const run = await runWebhookKills({
    kills: Number(positionals[0] ?? 20),
    random: new SeededRandom(seed),
    dataDir,
    callsPerSecond,
    onKill: ({ kind }, { calls, events }) => {
      killCount += 1;
      console.error(`kill ${killCount}, ${kind}: ${calls} calls, ${events} requests announced`);
    },
  });
  report(run);
} finally {
  removeDataDir(dataDir);
}

function report({ kills, records, changes, sampled, repeated, refused, findings }: WebhookRun): void {
  const { missing, doubled, missingChanges, wronglyChosen, faults } = findings;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  const counts = killedKinds.map((kind) => `${kind} ${kills.filter((kill) => kill.kind === kind).length}`).join(', ');
  console.log(`seed ${seed}: ${kills.length} kills (${counts}) in ${seconds} s, ${callsPerSecond} calls/s`);
  console.log(`${records} records, ${changes} changes acknowledged; the second webhook got ${sampled} requests`);
  console.log(`${repeated} events received more than once, ${refused} refused the first time`);
  console.log(
    `not announced ${missing.length}, under two identifiers ${doubled.length}, changes without an event ${missingChanges.length}, ` +
      `wrongly chosen ${wronglyChosen.length}, faults ${faults.length}`,
  );
  for (const [kind, found] of Object.entries(findings) as [string, readonly string[]][]) {
    for (const sentence of found.slice(0, shownOfEach)) console.log(`  ${kind}: ${sentence}`);
  }
  process.exitCode = countWebhookFindings(findings) === 0 ? 0 : 1;
}
