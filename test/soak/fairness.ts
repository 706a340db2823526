/**
 * `npm run soak -- fairness [api|gateway] [--seconds n] [--records n] [--connections n] [--times n] [--only text]`: measures one
 * organisation while another puts the worst possible load on the same service. It runs both parts one after the other, or only the named
 * one. Results go to stdout, progress to stderr.
 *
 * `api`: one organisation with many records (`--records`, 300,000) sends the slowest queries over `--connections` (50) for `--seconds`
 * (60). Meanwhile another reads its own requests one by one. The service has its default settings. The output shows the responses to each
 * query, the delays of the other organisation, and the peak memory of each process.
 *
 * `gateway`: one organisation sends bodies that keep a gateway worker busy, each `--times` (3) at once (`--only`: those with this text in
 * their names) and smaller ones in larger numbers, then holds 1,030 streams open. Meanwhile another calls the same provider through the
 * same worker. For each of them the output shows the other's number of calls with their median, 99th percentile and maximum, the peak
 * memory of the worker, the longest event-loop stalls of the probe and of the provider, and the responses to the first organisation.
 * Attacker, probe and provider are processes of their own on the same machine. The probe and the provider stand for other machines and run
 * with a higher priority than the worker, the attacker with a lower one (niceness -5 and 10, where the user may set them). So the figures
 * show the time that the worker takes, and little of its wait for a core.
 *
 * The exit code is 1 when
 * - the 99th percentile of the other organisation's reads is above 250 ms, or one of them fails;
 * - `/readyz` responds anything but 200;
 * - a response takes longer than the time limits of a query allow, or is neither 200, nor 503 `service_busy`, nor a limit of a query (422,
 *   504);
 * - at the gateway the 99th percentile of the other organisation's calls is 100 ms or more (250 ms beside dozens of smaller bodies at
 *   once), one of them fails, or the worker takes 1.5 GB.
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
