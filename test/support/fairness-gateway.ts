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
  readonly others: string;
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
    let isFair = true;
    const chosen = rows.filter(({ what, attack }) => attack === undefined || what.includes(only));
    for (const row of chosen) isFair = (await measure(scene, row, print)) && isFair;
    return isFair;
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
  const others = /sk-svc-us-\w+/.exec(command('keys', 'create', '--org', 'others'))?.[0] ?? '';
  // Only now, because child processes inherit the priority.
  setOwnPriority(niceness);
  return { port, worker, others, attacker, provider, agent, stalls: new LoopStalls() };
}

async function measure(scene: Scene, { what, attack, maxMs: rowMaxMs }: Row, print: (line: string) => void): Promise<boolean> {
  const { port, worker, attacker, provider, stalls } = scene;
  const histogram = new LatencyHistogram();
  const failures: string[] = [];
  const probes: Promise<void>[] = [];
  const attacked: { answers?: string } = attack === undefined ? { answers: 'none' } : {};
  if (attack !== undefined) await ask(attacker, { ...attack, port, key } satisfies Attack);
  await ask(provider, 'stalls');
  stalls.maxMs();
  forgetPeak(worker);
  if (attack !== undefined) {
    ask(attacker, 'go').then(
      (answers) => (attacked.answers = typeof answers === 'string' ? answers : 'an invalid tally'),
      (error: unknown) => (attacked.answers = String(error)),
    );
  }
  while (attacked.answers === undefined || probes.length < minProbes) {
    probes.push(probe(scene, histogram, failures));
    await sleep(betweenProbesMs);
  }
  await Promise.all(probes);
  const { peak } = memoryOf(worker);
  const [p50, p99, longest] = [0.5, 0.99, 1].map((share) => histogram.quantileMicros(share) / 1000) as [number, number, number];
  const isFair = p99 < rowMaxMs && failures.length === 0 && peak < maxBytes;
  const numbers = `${probes.length} calls, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (below ${rowMaxMs}), max ${longest.toFixed(0)} ms, worker peak ${inMegabytes(peak)}`;
  const own = `event loops stalled: probe ${stalls.maxMs().toFixed(0)} ms, provider ${stalledOf(await ask(provider, 'stalls')).toFixed(0)} ms`;
  const failed = failures.length === 0 ? '' : `; failed: ${tally(failures)}`;
  print(`${isFair ? 'fair  ' : 'UNFAIR'} ${what}: ${numbers}; ${own}; responses to the attack: ${attacked.answers}${failed}`);
  provider.send('release');
  await settled(scene);
  return isFair;
}

/** Lets the effects of a row settle before the next one. */
async function settled(scene: Scene): Promise<void> {
  await sleep(settleMs);
  await probe(scene, new LatencyHistogram(), []);
}

const settleMs = 500;

async function ask(child: ChildProcess, message: Attack | string): Promise<unknown> {
  const answer = nextMessage(child, attackTimeoutMs);
  child.send(message);
  return answer;
}

function stalledOf(answer: unknown): number {
  return typeof answer === 'object' && answer !== null && 'stalledMs' in answer ? Number(answer.stalledMs) : Number.NaN;
}

async function probe({ port, others, agent }: Scene, histogram: LatencyHistogram, failures: string[]): Promise<void> {
  const startedAt = performance.now();
  const status = await sendCall({ port, key: others, headers: {}, body: probeBody, agent });
  histogram.record(performance.now() - startedAt);
  if (status !== '200') failures.push(status);
}
