/**
 * `npm run soak -- import-helicone [count] [--kills n] [--seed n] [--body-kb n]`: imports this many records (20,000 by default) from a fake of Helicone's
 * API by `gatelog import --from helicone`. An eighth of the fake's answers fail: refused for a while, limited, cut off, slow, or empty as
 * its failed queries are. The importer is killed (kill -9) three times by default, goes on while the service's core is killed once, and runs once more when it is
 * done. Afterwards
 * every record must be here once with all its fields and bodies, the second run must add nothing, and both sides must have the same
 * requests, tokens and cost each day. The exit code is 1 when any of this is violated.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type ImportHeliconeVerdict, runImportHelicone } from '../support/import-helicone-run.ts';
import { killStarted, makeDataDir, removeDataDir, startService } from '../support/process-tree.ts';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, kills: { type: 'string' }, 'body-kb': { type: 'string' } },
});
const records = Number(positionals[0] ?? 20_000);
const kills = Number(given.kills ?? 3);
const seed = Number(given.seed ?? Date.now() % 2 ** 31);
const bodyLength = Number(given['body-kb'] ?? 0) * 1000;
const dataDir = makeDataDir();
const shownFaults = 10;
const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-import-'));

process.once('SIGINT', () => process.exit(130));
process.once('exit', killStarted);

try {
  console.error(`seed ${seed}`);
  const service = await startService({ dataDir });
  const verdict = await runImportHelicone({ service, folder, records, kills, seed, bodyLength });
  await service.stop();
  report(verdict);
} finally {
  removeDataDir(dataDir);
  rmSync(folder, { recursive: true, force: true });
}

function report({ first, second, expected, faults, stored, calls, seconds, maxRssMb, kills: done }: ImportHeliconeVerdict): void {
  console.log(
    `seed ${seed}: ${records} records, ${done} kills, ${calls} calls in ${seconds.toFixed(0)} s for both runs; at most ${maxRssMb} MB in the importer`,
  );
  for (const [name, { reconciled, total }] of [
    ['first', first],
    ['second', second],
  ] as const) {
    console.log(`${name} run: ${reconciled ? 'reconciled' : 'NOT RECONCILED'}: ${JSON.stringify(total)}`);
  }
  console.log(`${stored} requests here, ${faults.length} faults in their fields`);
  for (const fault of faults.slice(0, shownFaults)) console.log(`  ${fault}`);
  const { there, imported } = second.total as { readonly there: typeof expected; readonly imported: number };
  const isRead = there.requests === expected.requests && there.tokens === expected.tokens;
  const isRight = first.reconciled && second.reconciled && isRead && imported === 0 && stored === records && faults.length === 0;
  if (!isRight) process.exitCode = 1;
}
