import { existsSync, readFileSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { AwakeClock } from './awake-clock.ts';
import type { SeededRandom } from './seeded-random.ts';
import { eventually } from './eventually.ts';
import { childrenNamed, killTree, type Service, type ServiceOptions, startService, treeOf } from './process-tree.ts';

export const killKinds = ['worker', 'core', 'supervisor', 'tree'] as const;
export type KillKind = (typeof killKinds)[number];

/** One kill and the time until the listeners responded again, in milliseconds; null until then. */
export interface Kill {
  readonly kind: KillKind;
  readonly at: number;
  gatewayDownMs: number | null;
  apiDownMs: number | null;
  /** When every process ran again. */
  recoveredAt: number;
}

/** Longest pause before a kill. */
export const maxPauseMs = 1500;
const recoveryMs = 120_000;

/** Every one of some kinds once in random order, then random ones of them. */
export function planOf(kinds: readonly KillKind[], kills: number, random: SeededRandom): KillKind[] {
  const left: KillKind[] = [...kinds];
  return Array.from({ length: kills }, () => left.splice(random.below(left.length), 1)[0] ?? random.of(kinds));
}

/** A service whose parts are killed. */
export interface KillScene {
  readonly random: SeededRandom;
  /** Of the gateway. */
  readonly workers: number;
  readonly serviceOptions: ServiceOptions;
  service: Service;
  readonly kills: Kill[];
  readonly clock: AwakeClock;
}

/** Kills a part at a random moment and waits until everything runs again. */
export async function killOne(scene: KillScene, kind: KillKind): Promise<Kill> {
  if (kind !== 'worker' && scene.random.below(2) === 0) await checkpointSaved(scene);
  const kill: Kill = { kind, at: performance.now(), gatewayDownMs: null, apiDownMs: null, recoveredAt: Number.POSITIVE_INFINITY };
  scene.kills.push(kill);
  const killedAt = scene.clock.now();
  await perform(scene, kind);
  const { gateway, api } = scene.service;
  const downMs = async (base: string): Promise<number> => {
    await eventually(`${base} to be ready`, () => isReady(base), recoveryMs);
    return scene.clock.now() - killedAt;
  };
  [kill.gatewayDownMs, kill.apiDownMs] = await Promise.all([downMs(gateway), downMs(api)]);
  await untilEveryProcessRuns(scene);
  kill.recoveredAt = performance.now();
  return kill;
}

async function perform(scene: KillScene, kind: KillKind): Promise<void> {
  const { service, random: dice } = scene;
  if (kind === 'worker' || kind === 'core') {
    const pids = childrenNamed(service.pid, kind === 'worker' ? 'gateway' : 'core');
    process.kill(dice.of(pids), 'SIGKILL');
    return;
  }
  const members = treeOf(service.pid);
  if (kind === 'tree') killTree(service.pid);
  else process.kill(service.pid, 'SIGKILL');
  await service.exited;
  await eventually('the whole tree to be gone', () => (members.some(isAlive) ? undefined : true), recoveryMs);
  scene.service = await startService(scene.serviceOptions);
}

/**
 * Aims at the moments around an insert: waits until the ingest writes its checkpoint, as it does before and after each insert, and then up
 * to 20 ms.
 */
async function checkpointSaved({ service, random: dice }: KillScene): Promise<void> {
  const limit = AbortSignal.timeout(maxPauseMs);
  try {
    for await (const { filename } of watch(path.join(service.dataDir, 'spool'), { signal: limit })) {
      if (filename === 'checkpoint.json') break;
    }
  } catch (error) {
    // No checkpoint was written in time: any moment will do.
    if (!limit.aborted) throw error;
  }
  await wait(dice.below(20));
}

function isAlive(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function isReady(base: string): Promise<true | undefined> {
  try {
    const response = await fetch(`${base}/readyz`, { headers: { connection: 'close' }, signal: AbortSignal.timeout(5000) });
    await response.arrayBuffer();
    return response.status === 200 ? true : undefined;
  } catch {
    return undefined;
  }
}

/** Waits until every process runs and the API is ready. */
export async function untilEveryProcessRuns({ service: { pid, api }, workers }: KillScene): Promise<void> {
  const counts = (): number => childrenNamed(pid, 'gateway').length * 10 + childrenNamed(pid, 'core').length;
  await eventually('every part to run', () => (counts() === workers * 10 + 1 ? true : undefined), recoveryMs);
  await eventually('the API to be ready', () => isReady(api), recoveryMs);
}
