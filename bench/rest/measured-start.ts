import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../measure/owned-processes.ts';

const startTimeoutMs = 60_000;
const stopTimeoutMs = 30_000;
const pollMs = 5;
const key = 'sk-svc-us-benchbenchbenchbenchbenchbench';

/** A service on a data folder. */
export interface RunningService {
  readonly pid: number;
  readonly gatewayUrl: string;
  readonly apiUrl: string;
  readonly apiKey: string;
  /** From its spawn until it has printed its addresses and both of them respond to `/readyz` with 200. */
  readonly readyMs: number;
  readonly stop: () => Promise<void>;
}

export interface Places {
  readonly projectFolder: string;
  readonly temporaryFolder: string;
  readonly nodeFile: string;
  /** Settings beside the default ones. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts `gatelog serve` as a user would, with default settings and one gateway worker. */
export async function startOn(
  dataFolder: string,
  { projectFolder, temporaryFolder, nodeFile, environment = {} }: Places,
): Promise<RunningService> {
  const [gatewayPort, apiPort] = [await freePort(), await freePort()];
  const [gatewayUrl, apiUrl] = [gatewayPort, apiPort].map((port) => `http://127.0.0.1:${port}`) as [string, string];
  const logFile = join(temporaryFolder, `rest-${gatewayPort}.log`);
  const log = openSync(logFile, 'a');
  const startedAt = performance.now();
  const child = spawn(nodeFile, [join(projectFolder, 'dist', 'cli', 'gatelog.cjs'), 'serve'], {
    cwd: temporaryFolder,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      GATELOG_DATA_DIR: dataFolder,
      GATELOG_GATEWAY_PORT: String(gatewayPort),
      GATELOG_API_PORT: String(apiPort),
      GATELOG_GATEWAY_WORKERS: '1',
      GATELOG_BOOTSTRAP_API_KEY: key,
      ...environment,
    },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const output = (): string => readFileSync(logFile, 'utf8');
  const service = { pid: child.pid ?? 0, gatewayUrl, apiUrl, apiKey: key, stop: () => stop(child) };
  try {
    for (const isReached of [() => output().includes('is running'), () => isReady(gatewayUrl), () => isReady(apiUrl)]) {
      await until(isReached, child);
    }
  } catch (cause) {
    await stop(child);
    throw new Error(`Gatelog did not become ready.\n${output().trim()}`, { cause });
  }
  return { ...service, readyMs: performance.now() - startedAt };
}

async function until(isReached: () => boolean | Promise<boolean>, child: ChildProcess): Promise<void> {
  const deadlineMs = performance.now() + startTimeoutMs;
  while (!(await isReached())) {
    if (hasEnded(child)) throw new Error(`It ended with ${child.exitCode ?? child.signalCode}.`);
    if (performance.now() > deadlineMs) throw new Error(`It was not ready within ${startTimeoutMs / 1000} s.`);
    await sleep(pollMs);
  }
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/readyz`).catch(() => null);
  await response?.arrayBuffer();
  return response?.status === 200;
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  const inTime = await Promise.race([exited.then(() => true), sleep(stopTimeoutMs, false, { ref: false })]);
  if (!inTime) throw new Error('Gatelog did not stop.');
}
