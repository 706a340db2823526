import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { describeMachine } from './measure/machine.ts';
import { processCpuMs, processTree, residentBytes } from './measure/process-table.ts';
import { type RunningService, startOn } from './rest/measured-start.ts';
import { type Measured, renderViewers } from './viewers/report.ts';
import { type BenchViewer, openViewer, refusal } from './viewers/viewer.ts';

/** Measures what viewers of the live stream cost the core. */

const helpText = `Measures what viewers of the live stream cost the core: processor time and memory, while calls come at a steady rate.

Usage: npm run bench -- viewers [options]

  --seconds N    length of each scene (default 10)
  --rounds N     how often all scenes are measured (default 3)
  --rate N       calls a second (default 100)
  --help         this text

Scenes without calls: no viewer, 50 viewers. With calls: no viewer; 10 and 50 viewers of everything; 50 with a filter each that matches a
fiftieth; 50 that stop reading. Linux only.`;

/** Streams at once, unless GATELOG_STREAMS says otherwise. */
const maxStreams = 100;
const teams = 50;
/** Until what was called is stored and sent. */
const settleMs = 1500;

const ofTeam = (index: number): unknown => ({ request_response_rmt: { properties: { Team: { equals: `team-${index % teams}` } } } });

interface Scene {
  readonly name: string;
  readonly viewers: number;
  readonly hasCalls: boolean;
  readonly filterOf: (index: number) => unknown;
  readonly reads: boolean;
}

const everything = (): unknown => undefined;
const scenes: readonly Scene[] = [
  { name: 'none', viewers: 0, hasCalls: false, filterOf: everything, reads: true },
  { name: '50', viewers: 50, hasCalls: false, filterOf: everything, reads: true },
  { name: 'none', viewers: 0, hasCalls: true, filterOf: everything, reads: true },
  { name: '10 of everything', viewers: 10, hasCalls: true, filterOf: everything, reads: true },
  { name: '50 of everything', viewers: 50, hasCalls: true, filterOf: everything, reads: true },
  { name: '50, each of a fiftieth', viewers: 50, hasCalls: true, filterOf: ofTeam, reads: true },
  { name: '50 that stop reading', viewers: 50, hasCalls: true, filterOf: everything, reads: false },
];

/** Calls at a steady rate. @returns how many were answered. */
async function callFor({ gatewayUrl, apiKey }: RunningService, seconds: number, callsPerSecond: number): Promise<number> {
  const calls: Promise<unknown>[] = [];
  const startedAt = performance.now();
  for (let index = 0; index < seconds * callsPerSecond; index += 1) {
    const waitMs = startedAt + (1000 * index) / callsPerSecond - performance.now();
    if (waitMs > 1) await sleep(waitMs);
    const call = fetch(`${gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${apiKey}`,
        'Content-Type': 'application/json',
        'Svc-Properties': JSON.stringify({ Team: `team-${index % teams}` }),
      },
      body: JSON.stringify({ model: 'echo/words', messages: [{ role: 'user', content: `What is the answer to question ${index}?` }] }),
    });
    calls.push(call.then((response) => response.arrayBuffer()));
  }
  await Promise.all(calls);
  return calls.length;
}

interface Given {
  readonly seconds: number;
  readonly rounds: number;
  readonly rate: number;
}

async function measure(service: RunningService, scene: Scene, { seconds, rate }: Omit<Given, 'rounds'>): Promise<Measured> {
  const core = processTree(service.pid).find(({ command }) => command.includes('core'))?.pid ?? 0;
  const viewers: BenchViewer[] = [];
  for (let index = 0; index < scene.viewers; index += 1) {
    viewers.push(await openViewer(service, { filter: scene.filterOf(index), reads: scene.reads }));
  }
  const [cpuBefore, since] = [processCpuMs(core), performance.now()];
  const called = scene.hasCalls ? await callFor(service, seconds, rate) : await sleep(1000 * seconds, 0);
  await sleep(settleMs);
  const [coreMs, lasted] = [processCpuMs(core) - cpuBefore, (performance.now() - since) / 1000];
  const events = viewers.reduce((total, viewer) => total + viewer.events(), 0);
  const bytes = residentBytes(core)?.now ?? 0;
  for (const viewer of viewers) viewer.close();
  await sleep(500);
  return {
    scene: scene.name,
    viewers: scene.viewers,
    callsPerSecond: scene.hasCalls ? rate : 0,
    coreMs: coreMs / lasted,
    residentBytes: bytes,
    events: events / lasted,
    due: scene.reads ? (scene.viewers * (scene.filterOf(0) === undefined ? called : called / teams)) / lasted : 0,
  };
}

async function measureRefusal(service: RunningService): Promise<string> {
  const viewers: BenchViewer[] = [];
  for (let index = 0; index < maxStreams; index += 1) viewers.push(await openViewer(service, { filter: undefined, reads: true }));
  const answer = await refusal(service);
  for (const viewer of viewers) viewer.close();
  return answer;
}

/** @returns undefined when help is requested. @throws with a sentence when an option is unknown or out of bounds. */
function parseOptions(): Given | undefined {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '10' },
      rounds: { type: 'string', default: '3' },
      rate: { type: 'string', default: '100' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const within = (name: 'seconds' | 'rounds' | 'rate'): number => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < 1 || value > 1000) throw new Error(`--${name} is a whole number from 1 to 1000.`);
    return value;
  };
  return { seconds: within('seconds'), rounds: within('rounds'), rate: within('rate') };
}

async function measureAll(service: RunningService, given: Given): Promise<readonly (readonly Measured[])[]> {
  // What is compiled and cached at first is no cost of a viewer.
  for (const scene of scenes.slice(-2)) await measure(service, scene, { seconds: 8, rate: given.rate });
  const rounds: Measured[][] = [];
  for (let round = 1; round <= given.rounds; round += 1) {
    const measured: Measured[] = [];
    for (const scene of scenes) {
      const one = await measure(service, scene, given);
      measured.push(one);
      process.stderr.write(`round ${round}, ${one.callsPerSecond} calls/s, viewers: ${scene.name}: ${one.coreMs.toFixed(0)} ms/s\n`);
    }
    rounds.push(measured);
  }
  return rounds;
}

async function main(): Promise<void> {
  const given = parseOptions();
  if (given === undefined) {
    process.stdout.write(`${helpText}\n`);
    return;
  }
  const machine = describeMachine(process.cwd());
  const folder = mkdtempSync(join(tmpdir(), 'gatelog-bench-viewers-'));
  mkdirSync(join(folder, 'data'));
  const service = await startOn(join(folder, 'data'), {
    projectFolder: process.cwd(),
    temporaryFolder: folder,
    nodeFile: process.execPath,
  });
  try {
    const rounds = await measureAll(service, given);
    process.stdout.write(`${renderViewers({ machine, seconds: given.seconds, rounds, refusal: await measureRefusal(service) })}\n`);
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main().catch((cause: unknown) => {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exitCode = 1;
});
