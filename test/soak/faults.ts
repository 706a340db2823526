/**
 * `npm run soak -- faults [rounds]`: performs every fault of `test/support/faults.ts` once in each round (20 rounds by default) and
 * measures the gateway's worker after each round. Progress goes to stderr; the last lines, on stdout, show the result. The exit code is 1
 * when a fault has another outcome than required, when sockets leak, or when the last third of the rounds needs clearly more memory than
 * the third before it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, OwnedProcesses } from '../../bench/measure/owned-processes.ts';
import { processTree } from '../../bench/measure/process-table.ts';
import type { RequestItem } from '../../src/contract/requests/item.ts';
import { ourKey } from '../../src/gateway/testing/raw-http.ts';
import { openBlackHole } from '../support/black-hole.ts';
import { eventually } from '../support/eventually.ts';
import { differencesOf, type Fault, type FaultStage, performFault, socketsOf, startFaultyProvider } from '../support/fault-scene.ts';
import { faultEnvironment, faultGroups } from '../support/faults.ts';
import { inMegabytes, memoryOf } from '../support/process-memory.ts';

const [rounds = 20] = process.argv.slice(2).map(Number);
const maxGrowthBytes = 24e6;
const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-faults-'));
const processes = new OwnedProcesses();
const [gatewayPort, apiPort] = [await freePort(), await freePort()];
const provider = await startFaultyProvider();
const blackHole = await openBlackHole();
const everyFault = faultGroups.flatMap(([, faults]) => faults);
const differences: string[] = [];

try {
  await endure(await startGateway());
  for (const difference of differences) console.log(difference);
  console.log(`${differences.length} differences`);
  process.exitCode = differences.length === 0 ? 0 : 1;
} finally {
  await processes.stopAll();
  provider.close();
  blackHole.close();
  rmSync(folder, { recursive: true, force: true });
}

async function startGateway(): Promise<FaultStage> {
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
      ...faultEnvironment({ provider: provider.port, blackHole: blackHole.port }),
    },
    folder,
    logFile: path.join(folder, 'log'),
    readyUrl: `http://127.0.0.1:${apiPort}/readyz`,
  });
  const worker = processTree(pid).find((entry) => entry.pid !== pid && entry.command.includes('gateway'));
  return { provider, gatewayPort, worker: worker?.pid ?? 0 };
}

async function endure(stage: FaultStage): Promise<void> {
  const memory: number[] = [];
  const sockets: number[] = [];
  const startedAt = performance.now();
  for (let round = 1; round <= rounds; round += 1) {
    for (const fault of everyFault) {
      const { id, ...seen } = await performFault(stage, fault);
      differences.push(...differencesOf(fault, seen, await itemOf(id, fault)).map((what) => `round ${round}, ${fault.name}: ${what}`));
      provider.drop();
    }
    sockets.push(await leftSockets(stage.worker, sockets[0]));
    memory.push(memoryOf(stage.worker).resident);
    console.error(`round ${round}: ${inMegabytes(memory.at(-1) ?? 0)}, ${sockets.at(-1)} sockets, ${differences.length} differences`);
  }
  const third = Math.floor(rounds / 3);
  const [before, after] = [Math.max(...memory.slice(-2 * third, -third)), Math.max(...memory.slice(-third))];
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`${rounds} rounds of ${everyFault.length} faults in ${seconds} s`);
  console.log(`sockets of the worker after each round: ${[...new Set(sockets)].join(', ')}`);
  const lastThirds = rounds < 3 ? '' : `, ${inMegabytes(before)} and ${inMegabytes(after)} at most in the last two thirds`;
  console.log(`memory of the worker: ${inMegabytes(memory[0] ?? 0)} after the first round${lastThirds}`);
  if (new Set(sockets).size > 1) differences.push('sockets leaked');
  if (rounds >= 9 && after - before > maxGrowthBytes) differences.push('memory grew');
}

/** Waits until there are as many sockets as after the first round, for ten seconds at most. @returns their number. */
async function leftSockets(worker: number, wanted: number | undefined): Promise<number> {
  const settled = eventually(
    'the sockets to close',
    () => (wanted !== undefined && socketsOf(worker) === wanted ? wanted : undefined),
    wanted === undefined ? 1000 : 10_000,
  );
  return settled.catch(() => socketsOf(worker));
}

async function itemOf(id: string, { record }: Fault): Promise<RequestItem | undefined> {
  if (record === 'none') return undefined;
  return eventually(`request ${id} to be stored`, async () => {
    const response = await fetch(`http://127.0.0.1:${apiPort}/v1/request/${id}`, { headers: { Authorization: `Bearer ${ourKey}` } });
    const { data } = (await response.json()) as { readonly data: RequestItem | null };
    return data ?? undefined;
  });
}
