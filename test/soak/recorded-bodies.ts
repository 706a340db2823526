/**
 * `npm run soak -- recorded-bodies [bodies] [seed]`: sends hostile bodies (20,000 by default, half of them as requests and half as
 * responses, after known harmful ones) through a running service, and reads each record at every endpoint that shows it: pages, by
 * identifier, its signed bodies, cost and changes, counts by bodies, its session. Progress goes to stderr; the last lines, on stdout, show
 * the records read and the peak memory of each process. The exit code is 1 when a record is missing, a page fails, a response is 5xx, or a
 * process takes more than 1.5 GB.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, OwnedProcesses } from '../../bench/measure/owned-processes.ts';
import { processTree } from '../../bench/measure/process-table.ts';
import { startByteProvider } from '../support/byte-provider.ts';
import { inMegabytes, memoryOf } from '../support/process-memory.ts';
import { type BodyTarget, bodyProviders, chosenPairs, deepPairs, heavyPairs, performRound } from '../support/recorded-bodies.ts';

const [bodiesWanted = 20_000, seed = 20_261_123] = process.argv.slice(2).map(Number);
const pairsOfRound = 500;
const maxPeakBytes = 1.5e9;
const key = 'sk-svc-us-soaksoaksoaksoaksoaksoak';
const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-recorded-'));
const processes = new OwnedProcesses();
const [gatewayPort, apiPort] = [await freePort(), await freePort()];
const provider = await startByteProvider();
const target: BodyTarget = {
  gateway: `http://127.0.0.1:${gatewayPort}`,
  api: `http://127.0.0.1:${apiPort}`,
  key,
  provider,
  faults: [],
};

try {
  process.exitCode = (await run()) ? 0 : 1;
} finally {
  await processes.stopAll();
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<boolean> {
  const { pid = 0 } = await processes.start({
    command: process.execPath,
    parameters: [path.resolve('dist/cli/main.js'), 'serve'],
    environment: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      GATELOG_DATA_DIR: path.join(folder, 'data'),
      GATELOG_GATEWAY_PORT: String(gatewayPort),
      GATELOG_API_PORT: String(apiPort),
      GATELOG_GATEWAY_WORKERS: '1',
      GATELOG_BOOTSTRAP_API_KEY: key,
      ...bodyProviders(provider),
    },
    folder,
    logFile: path.join(folder, 'log'),
    readyUrl: `${target.api}/readyz`,
  });
  const before = new Set(processTree(pid).map((entry) => entry.pid));
  const startedAt = performance.now();
  let records = await performRound(target, 'deep', deepPairs());
  records += await performRound(target, 'heavy', heavyPairs());
  const printProgress = (): void => {
    console.error(`${records} records in ${seconds(startedAt)} s: ${target.faults.length} faults, ${peaks(pid).join(', ')}`);
    for (const fault of target.faults.slice(0, 3)) console.error(`  ${fault}`);
  };
  printProgress();
  for (let sent = 0; sent < bodiesWanted / 2; sent += pairsOfRound) {
    records += await performRound(target, `round-${sent}`, chosenPairs(seed + sent, Math.min(pairsOfRound, bodiesWanted / 2 - sent)));
    printProgress();
  }
  const isSame = processTree(pid).every((entry) => before.has(entry.pid));
  console.log(
    `${bodiesWanted} bodies and the known harmful ones in ${records} records, each read at every endpoint, in ${seconds(startedAt)} s (seed ${seed})`,
  );
  console.log(`peak memory (VmHWM): ${peaks(pid).join(', ')}`);
  console.log(`${isSame ? 'no process died' : 'A PROCESS DIED'}; ${target.faults.length} faults`);
  for (const fault of target.faults.slice(0, 20)) console.log(`  ${fault}`);
  return isSame && target.faults.length === 0 && processTree(pid).every((entry) => memoryOf(entry.pid).peak < maxPeakBytes);
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0);
}

function peaks(pid: number): string[] {
  return processTree(pid).map((entry) => {
    const name = ['gateway', 'core'].find((part) => entry.command.includes(part)) ?? 'supervisor';
    return `${name} ${inMegabytes(memoryOf(entry.pid).peak)}`;
  });
}
