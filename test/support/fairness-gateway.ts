import { type ChildProcess, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LatencyHistogram } from '../../bench/load/latency-histogram.ts';
import { freePort, nextMessage, OwnedProcesses } from '../../bench/measure/owned-processes.ts';
import { processTree } from '../../bench/measure/process-table.ts';
import type { Attack } from './fairness-attacker.ts';
import { sendCall, tally } from './fairness-call.ts';
import { LoopStalls } from './loop-stalls.ts';
import { setOwnPriority } from './own-priority.ts';
import { forgetPeak, inMegabytes, memoryOf } from './process-memory.ts';
import { slowCalls } from './slow-bodies.ts';

const maxMs = 100;
/** Limit for hundreds of concurrent bodies: reading them from their sockets alone blocks the event loop this long. */
const floodMaxMs = 250;
const maxBytes = 1_500_000_000;
const streams = 1030;
const betweenProbesMs = 10;
const minProbes = 200;
const probeBody = Buffer.from('{"model":"gpt-4o","messages":[]}');
const attackTimeoutMs = 150_000;
const key = 'sk-svc-us-soaksoaksoaksoaksoaksoak';
const program = path.resolve('dist/cli/main.js');
/** Of this process and of the provider, which stand for other machines. */
const niceness = -5;

interface Scene {
  readonly port: number;
  /** Process id of the only worker. */
  readonly worker: number;
  /** Key of the organisation whose latency is measured. */
  readonly otherKey: string;
  readonly attacker: ChildProcess;
  readonly provider: ChildProcess;
  readonly agent: Agent;
  readonly stalls: LoopStalls;
}

/** What one organisation does while another one is measured. */
interface Row {
  readonly what: string;
  readonly attack: Pick<Attack, 'slowCall' | 'times'> | undefined;
  /** Limit of the 99th percentile. */
  readonly maxMs: number;
}

export interface GatewayFairnessSoak {
  /** Number of concurrent large bodies. */
  readonly times: number;
  /** Runs only rows whose name contains this, and the baseline. */
  readonly only: string;
}

/**
 * One organisation sends a gateway worker each body of `slow-bodies.ts`, then holds streams open, while another calls the same provider
 * through the same worker. @returns whether everything stayed within the limits.
 */
export async function runGatewayFairness({ times, only }: GatewayFairnessSoak, print: (line: string) => void): Promise<boolean> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-fairness-'));
  const processes = new OwnedProcesses();
  // No limit of connections: calls would queue for one, and a slow call would delay those behind it.
  const agent = new Agent({ keepAlive: true });
  try {
    const scene = await setScene(folder, processes, agent);
    const rows: readonly Row[] = [
      { what: 'no attack', attack: undefined, maxMs },
      ...slowCalls.map(({ what, times: ownTimes }, slowCall) => ({
        what,
        attack: { slowCall, times: ownTimes ?? times },
        maxMs: ownTimes === undefined ? maxMs : floodMaxMs,
      })),
      { what: `${streams} held streams`, attack: { slowCall: undefined, times: streams }, maxMs },
    ];
    let isWithinLimits = true;
    const chosen = rows.filter(({ what, attack }) => attack === undefined || what.includes(only));
    for (const row of chosen) isWithinLimits = (await measure(scene, row, print)) && isWithinLimits;
    return isWithinLimits;
  } finally {
    agent.destroy();
    await processes.stopAll();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts the service with one worker, the attacker and the provider, each in its own process. */
async function setScene(folder: string, processes: OwnedProcesses, agent: Agent): Promise<Scene> {
  const [port, apiPort] = [await freePort(), await freePort()];
  const { child: provider, port: providerPort } = await processes.forkListening('./fairness-provider', import.meta.url, [String(niceness)]);
  const attacker = processes.fork('./fairness-attacker', import.meta.url, []);
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    GATELOG_DATA_DIR: path.join(folder, 'data'),
    GATELOG_GATEWAY_PORT: String(port),
    GATELOG_API_PORT: String(apiPort),
    GATELOG_GATEWAY_WORKERS: '1',
    GATELOG_BOOTSTRAP_API_KEY: key,
    GATELOG_PROVIDER_OPENAI_URL: `http://127.0.0.1:${providerPort}/v1`,
    GATELOG_PROVIDER_OPENAI_KEY: 'sk-of-the-deployment',
  };
  const { pid = 0 } = await processes.start({
    command: process.execPath,
    parameters: [program, 'serve'],
    environment,
    folder,
    logFile: path.join(folder, 'log'),
    readyUrl: `http://127.0.0.1:${apiPort}/readyz`,
  });
  const worker = processTree(pid).find((entry) => entry.pid !== pid && entry.command.includes('gateway'))?.pid ?? 0;
  const command = (...words: string[]): string =>
    execFileSync(process.execPath, [program, ...words], { env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  command('orgs', 'create', 'others');
  const otherKey = /sk-svc-us-\w+/.exec(command('keys', 'create', '--org', 'others'))?.[0] ?? '';
  // Only now, because child processes inherit the priority.
  setOwnPriority(niceness);
  return { port, worker, otherKey, attacker, provider, agent, stalls: new LoopStalls() };
}

async function measure(scene: Scene, { what, attack, maxMs: rowMaxMs }: Row, print: (line: string) => void): Promise<boolean> {
  const { port, worker, attacker, provider, stalls } = scene;
  const histogram = new LatencyHistogram();
  const failures: string[] = [];
  const probes: Promise<void>[] = [];
  const attackResult: { responses?: string } = attack === undefined ? { responses: 'none' } : {};
  if (attack !== undefined) await exchange(attacker, { ...attack, port, key } satisfies Attack);
  await exchange(provider, 'stalls');
  stalls.maxMs();
  forgetPeak(worker);
  if (attack !== undefined) {
    exchange(attacker, 'go').then(
      (responses) => (attackResult.responses = typeof responses === 'string' ? responses : 'an invalid tally'),
      (error: unknown) => (attackResult.responses = String(error)),
    );
  }
  while (attackResult.responses === undefined || probes.length < minProbes) {
    probes.push(probe(scene, histogram, failures));
    await sleep(betweenProbesMs);
  }
  await Promise.all(probes);
  const { peak } = memoryOf(worker);
  const [p50, p99, longest] = [0.5, 0.99, 1].map((share) => histogram.quantileMicros(share) / 1000) as [number, number, number];
  const isWithinLimits = p99 < rowMaxMs && failures.length === 0 && peak < maxBytes;
  const numbers = `${probes.length} calls, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (below ${rowMaxMs}), max ${longest.toFixed(0)} ms, worker peak ${inMegabytes(peak)}`;
  const own = `event loops stalled: probe ${stalls.maxMs().toFixed(0)} ms, provider ${stalledOf(await exchange(provider, 'stalls')).toFixed(0)} ms`;
  const failed = failures.length === 0 ? '' : `; failed: ${tally(failures)}`;
  print(`${isWithinLimits ? 'fair  ' : 'UNFAIR'} ${what}: ${numbers}; ${own}; responses to the attack: ${attackResult.responses}${failed}`);
  provider.send('release');
  await settle(scene);
  return isWithinLimits;
}

/** Lets the effects of a row settle before the next one. */
async function settle(scene: Scene): Promise<void> {
  await sleep(settleMs);
  await probe(scene, new LatencyHistogram(), []);
}

const settleMs = 500;

async function exchange(child: ChildProcess, message: Attack | string): Promise<unknown> {
  const response = nextMessage(child, attackTimeoutMs);
  child.send(message);
  return response;
}

function stalledOf(response: unknown): number {
  return typeof response === 'object' && response !== null && 'stalledMs' in response ? Number(response.stalledMs) : Number.NaN;
}

async function probe({ port, otherKey, agent }: Scene, histogram: LatencyHistogram, failures: string[]): Promise<void> {
  const startedAt = performance.now();
  const status = await sendCall({ port, key: otherKey, headers: {}, body: probeBody, agent });
  histogram.record(performance.now() - startedAt);
  if (status !== '200') failures.push(status);
}
