import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { nextMessage, OwnedProcesses } from '../../../bench/measure/owned-processes.ts';
import { gatelog } from '../command.ts';
import { makeFairnessStore } from '../fairness-store.ts';
import { setOwnPriority } from '../own-priority.ts';
import { forgetPeak, memoryOf } from '../process-memory.ts';
import { childrenNamed, killStarted, makeDataDir, removeDataDir, type Service, startService } from '../process-tree.ts';
import type { Assault } from './attacker.ts';
import { liveBeside, type Neighbour, recordedSince, type Seen } from './neighbour.ts';
import type { Surface } from './surface.ts';
import type { SurfaceRun } from './verdict.ts';
import { numbersOf, waitLines } from './waits.ts';

export interface HostileSoak {
  /** Of each attack. */
  readonly durationMs: number;
  /** Of the same stretch without an attack, before each. */
  readonly quietMs: number;
  /** Records of the attacking organisation at the start. */
  readonly records: number;
  readonly surfaces: readonly Surface[];
}

type Progress = (line: string) => void;

interface Scene {
  readonly service: Service;
  readonly attacker: ChildProcess;
  readonly attackerKey: string;
  readonly attackerIds: readonly string[];
  readonly neighbour: Neighbour;
  readonly startedAt: number;
}

/** Clearing up may take so long after an attack. */
const clearWithinMs = 300_000;
const settleMs = 3000;
/** Spans begin a moment before they are sent, and clocks differ. */
const clocksMs = 60_000;
/** Of this process and the provider, which stand for other machines; the attacker has a lower priority. */
const niceness = -5;

/** Attacks one surface after the other. @returns what was measured, as it comes. */
export async function* attackAll(soak: HostileSoak, progress: Progress): AsyncGenerator<SurfaceRun> {
  const dataDir = makeDataDir();
  const processes = new OwnedProcesses();
  process.once('SIGINT', () => process.exit(130));
  process.once('exit', () => {
    killStarted();
    removeDataDir(dataDir);
  });
  try {
    const scene = await setScene(dataDir, processes, { records: soak.records, progress });
    for (const surface of soak.surfaces) {
      progress(`${surface.name} …`);
      yield await attackOne(scene, surface, soak);
    }
    await scene.service.stop();
  } finally {
    await processes.stopAll();
    killStarted();
    removeDataDir(dataDir);
  }
}

async function setScene(
  dataDir: string,
  processes: OwnedProcesses,
  { records, progress }: { readonly records: number; readonly progress: Progress },
): Promise<Scene> {
  const store = await makeFairnessStore(dataDir, records, progress);
  const { stdout } = await gatelog(dataDir, 'keys', 'create', '--org', 'greedy', '--permissions', 'admin');
  const attackerKey = /sk-svc-\S+/.exec(stdout)?.[0];
  if (attackerKey === undefined) throw new Error('the attacking organisation got no key');
  const { port } = await processes.forkListening('../fairness-provider', import.meta.url, [String(niceness)]);
  const environment = {
    GATELOG_PROVIDER_OPENAI_URL: `http://127.0.0.1:${port}/v1`,
    GATELOG_PROVIDER_OPENAI_KEY: 'sk-of-the-deployment',
    GATELOG_TARGET_ALLOWLIST: 'localhost',
    GATELOG_LOG_LEVEL: 'error',
  };
  const service = await startService({ dataDir, environment });
  const attacker = processes.fork('./attacker', import.meta.url, []);
  // Only now, because child processes inherit the priority.
  setOwnPriority(niceness);
  const { gateway, api } = service;
  const { key, organizationId } = store.modest;
  const neighbour = { gateway, api, key, organizationId };
  return { service, attacker, attackerKey, attackerIds: store.greedy.requestIds, neighbour, startedAt: Date.now() - clocksMs };
}

async function attackOne(scene: Scene, surface: Surface, { durationMs, quietMs }: HostileSoak): Promise<SurfaceRun> {
  const { service, attacker, neighbour } = scene;
  const quiet = await liveFor(neighbour, quietMs);
  const before = members(service);
  for (const [, pid] of before) forgetPeak(pid);
  const order: Assault = {
    surface: surface.name,
    gateway: service.gateway,
    api: service.api,
    key: scene.attackerKey,
    durationMs,
    requestIds: scene.attackerIds,
  };
  const numbersBefore = await numbersOf(service.api);
  const answers = nextMessage(attacker, durationMs + clearWithinMs) as Promise<readonly (readonly [string, number])[]>;
  attacker.send(order);
  const attacked = await liveUntil(neighbour, answers);
  const waits = waitLines(numbersBefore, await numbersOf(service.api));
  const after = members(service);
  const peaks = after.map(([role, pid]) => [role, memoryOf(pid).peak] as const);
  const counts = (await answers).toSorted(([, left], [, right]) => right - left);
  await wait(settleMs);
  return {
    surface: surface.name,
    words: surface.words,
    answers: counts,
    quiet,
    attacked,
    waits,
    recorded: await recordedSince(neighbour, scene.startedAt),
    peaks,
    processes: { before: before.map(([, pid]) => pid), after: after.map(([, pid]) => pid) },
  };
}

async function liveFor(neighbour: Neighbour, ms: number): Promise<Seen> {
  return liveBeside(neighbour, AbortSignal.timeout(ms));
}

async function liveUntil(neighbour: Neighbour, end: Promise<unknown>): Promise<Seen> {
  const over = new AbortController();
  void end.then(
    () => over.abort(),
    () => over.abort(),
  );
  return liveBeside(neighbour, over.signal);
}

/** The processes of the service by role. */
function members({ pid }: Service): readonly (readonly [role: string, pid: number])[] {
  const named = (role: string) => childrenNamed(pid, role).map((each) => [role, each] as const);
  return [['supervisor', pid], ...named('core'), ...named('gateway')];
}
