/**
 * `npm run soak -- fairness [api|gateway] [--seconds n] [--records n] [--connections n] [--times n] [--only text]`: how one organisation fares beside another that does its
 * worst. Both halves, one after the other, or the one that is named. What stands on stdout is the outcome; progress goes to stderr.
 *
 * `api`: one organisation with so many records (`--records`, 300,000) asks the API the slowest queries that there are over `--connections` (50) for `--seconds`
 * (60), and another reads its own requests one by one meanwhile, against a service as a user would start it. Printed is how each question was answered, how long
 * the other organisation waited, and the most memory that each process had.
 *
 * `gateway`: one organisation sends bodies that were made to keep a gateway worker busy, each `--times` (3) at once (`--only`: those with this text in their names), smaller ones many at once, then holds 1,030
 * streams open; another calls the same provider through the same worker meanwhile. Printed is for each of them how many calls the other made, their median, 99th
 * percentile and longest, the most memory that the worker took, for how long at most the event loops stood still of the process that measures and of the
 * provider, and what the first organisation was answered. Who attacks, who measures and the provider are processes of their own. They share the machine's
 * cores with the worker, so those two that stand for other machines run before it and the attacker behind it (niceness -5 and 10; where the user may not go
 * before others, as they are): what is measured is how long the worker takes, and little of how long it waits for a core.
 *
 * Exit code 1 when
 * - the 99th of 100 reads of the other organisation took longer than 250 ms, or one of them failed;
 * - `/readyz` was not 200 at any time;
 * - anybody waited longer than a query may take and wait, or was answered anything but 200 and 503 `service_busy` with a query's limits (422, 504);
 * - at the gateway the 99th percentile of the other organisation's calls was 100 ms or more (250 beside dozens of smaller bodies at once), one of them failed, or the
 *   worker took 1.5 GB.
 */
import { parseArgs } from 'node:util';
import { soakApiFairness } from '../support/fairness-api-soak.ts';
import { runGatewayFairness } from '../support/fairness-gateway.ts';

const halves = ['api', 'gateway'] as const;
const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string' },
    records: { type: 'string' },
    connections: { type: 'string' },
    times: { type: 'string' },
    only: { type: 'string' },
  },
});
const [half] = positionals;
const print = (line: string): void => console.log(line);

if (half !== undefined && !halves.some((name) => name === half)) {
  console.error(`There is no half called ${half}: name one of ${halves.join(', ')}, or none for both.`);
  process.exitCode = 1;
} else {
  let isFair = true;
  if (half !== 'gateway') {
    print('At the API:');
    const durationMs = Number(given.seconds ?? 60) * 1000;
    isFair = await soakApiFairness(
      { durationMs, records: Number(given.records ?? 300_000), connections: Number(given.connections ?? 50) },
      { print, progress: (line) => console.error(line) },
    );
  }
  if (half !== 'api') {
    print('At the gateway:');
    isFair = (await runGatewayFairness({ times: Number(given.times ?? 3), only: given.only ?? '' }, print)) && isFair;
  }
  process.exitCode = isFair ? 0 : 1;
}
