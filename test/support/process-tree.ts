import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Front, startFront } from '../../src/store/testing/store-location.ts';
import { eventually } from './eventually.ts';
import { fillAsStarted } from './started-folder.ts';
import { isOnServer } from './test-store.ts';

/** The built program, as an installed package runs it. */
export const program = path.resolve('dist/cli/main.js');

export const testKey = 'sk-svc-us-testtesttesttesttesttest';

/** A running process tree with its addresses. */
export interface Service {
  readonly gateway: string;
  readonly api: string;
  readonly dataDir: string;
  readonly pid: number;
  /** What it has printed so far. */
  readonly output: () => string;
  /** Sends SIGINT. @returns the exit code and the time until the exit. */
  readonly stop: () => Promise<{ readonly code: number | null; readonly ms: number }>;
  /** Kills every process of the tree at once with SIGKILL. */
  readonly killAll: () => Promise<void>;
  readonly exited: Promise<number | null>;
}

export interface ServiceOptions {
  readonly dataDir: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The working folder; that of the test by default. */
  readonly cwd?: string;
  /** Another entry point than the built program. */
  readonly program?: string;
  /** An empty folder stays empty: the test is about the first start. */
  readonly isFirstStart?: true;
}

/** Settings that decide what a first start makes. */
const firstSettings = ['GATELOG_BOOTSTRAP_API_KEY', 'GATELOG_REGION', 'GATELOG_REGIONS', 'GATELOG_SECRET_KEY', 'GATELOG_CLICKHOUSE_URL'];

/** A new folder in the system's temporary folder. */
export function makeDataDir(): string {
  return mkdtempSync(path.join(tmpdir(), 'gatelog-test-'));
}

export function removeDataDir(dataDir: string): void {
  void endFront(dataDir);
  rmSync(dataDir, { recursive: true, force: true });
}

/** Environment of a service under test: free ports, and no variables of the caller. */
export function serviceEnvironment(options: ServiceOptions): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    GATELOG_DATA_DIR: options.dataDir,
    GATELOG_GATEWAY_PORT: '0',
    GATELOG_API_PORT: '0',
    GATELOG_GATEWAY_WORKERS: '1',
    GATELOG_BOOTSTRAP_API_KEY: testKey,
    GATELOG_LOG_LEVEL: 'warn',
    ...options.environment,
  };
}

const started = new Set<number>();

/** Kills what still runs, after a failed test or an interrupted soak. */
export function killStarted(): void {
  for (const pid of started) killTree(pid);
}

/** Starts `gatelog serve` and waits until it has printed its addresses. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const hasOwnFirstStart = options.program !== undefined || firstSettings.some((name) => options.environment?.[name] !== undefined);
  if (options.isFirstStart !== true && !hasOwnFirstStart) await fillAsStarted(options.dataDir, startOnce);
  return spawnService(options);
}

/** Makes an empty folder one in which the service was started and stopped. */
export async function makeStarted(dataDir: string): Promise<void> {
  await fillAsStarted(dataDir, startOnce);
  if (readdirSync(dataDir).length === 0) await startOnce(dataDir);
}

async function startOnce(dataDir: string): Promise<void> {
  await (await spawnService({ dataDir, environment: { GATELOG_CLICKHOUSE_URL: '' } })).stop();
}

/** Of the data folders whose records a server keeps; it outlives the services, as servers do. */
const fronts = new Map<string, Promise<Front>>();

async function endFront(dataDir: string): Promise<void> {
  const front = fronts.get(dataDir);
  if (front === undefined) return;
  fronts.delete(dataDir);
  await (await front).close();
  rmSync(`${path.resolve(dataDir)}.servers`, { recursive: true, force: true });
}

/** @returns settings of where the records are, when tests run against a server. */
async function storeSettings({ dataDir, environment }: ServiceOptions): Promise<Readonly<Record<string, string>>> {
  if (!isOnServer || environment?.['GATELOG_CLICKHOUSE_URL'] !== undefined) return {};
  // Beside the data folder, because a start refuses one with records and nothing else.
  const front = fronts.get(dataDir) ?? startFront(`${path.resolve(dataDir)}.servers`);
  fronts.set(dataDir, front);
  return { GATELOG_CLICKHOUSE_URL: (await front).urls.join(',') };
}

async function spawnService(options: ServiceOptions): Promise<Service> {
  const command = [options.program ?? program, 'serve'];
  const env = serviceEnvironment({ ...options, environment: { ...(await storeSettings(options)), ...options.environment } });
  const child = spawn(process.execPath, command, { cwd: options.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  started.add(child.pid ?? 0);
  let output = '';
  const collect = (chunk: Buffer): void => {
    output += chunk.toString('utf8');
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  let code: number | null | undefined;
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', (exitCode) => {
      code = exitCode;
      started.delete(child.pid ?? 0);
      resolve(exitCode);
    });
  });
  const addresses = await eventually(
    'the service to print its addresses',
    () => {
      if (code !== undefined) throw new Error(`the service ended with ${String(code)}:\n${output}`);
      const gateway = /Gateway +(https?:\S+)/.exec(output)?.[1];
      const api = /API +(https?:\S+)/.exec(output)?.[1];
      return gateway === undefined || api === undefined ? undefined : { gateway, api };
    },
    60_000,
  ).catch((error: unknown) => {
    throw new Error(`it printed:\n${output}`, { cause: error });
  });
  return {
    ...addresses,
    dataDir: options.dataDir,
    pid: child.pid ?? 0,
    output: () => output,
    exited,
    stop: () => interrupt(child, exited),
    killAll: async () => {
      const tree = killTree(child.pid ?? 0);
      await exited;
      await eventually('the tree to be gone', () => (tree.some(isAlive) ? undefined : true));
    },
  };
}

async function interrupt(child: ChildProcess, exited: Promise<number | null>): Promise<{ code: number | null; ms: number }> {
  const startedAt = performance.now();
  child.kill('SIGINT');
  const code = await exited;
  return { code, ms: performance.now() - startedAt };
}

/**
 * Stops all processes first, so that none can react to the death of another, then kills them. @returns the killed processes, which keep
 * their sockets until {@link isAlive} is false.
 */
export function killTree(pid: number): readonly number[] {
  const tree = treeOf(pid);
  for (const member of tree) signal(member, 'SIGSTOP');
  for (const member of tree) signal(member, 'SIGKILL');
  return tree;
}

/** TRICKY: a process whose first thread has ended looks like a zombie while others still do. */
function isAlive(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).length > 1 || !/^\d+ \(.*\) Z /s.test(readStat(String(pid)) ?? '1 () Z ');
  } catch {
    return false;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

/** A process and its living descendants, from /proc. */
export function treeOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readStat(name) : undefined;
    const [, state, parent] = /^\d+ \(.*\) (\S) (\d+)/s.exec(stat ?? '') ?? [];
    if (parent !== undefined && state !== 'Z') parents.set(Number(name), Number(parent));
  }
  const tree = parents.has(pid) ? [pid] : [];
  for (let grown = true; grown;) {
    grown = false;
    for (const [child, parent] of parents) {
      if (tree.includes(parent) && !tree.includes(child)) {
        tree.push(child);
        grown = true;
      }
    }
  }
  return tree;
}

/** Descendants whose command line contains this word, such as `gateway` or `core`. */
export function childrenNamed(pid: number, word: string): number[] {
  return treeOf(pid).filter((member) => member !== pid && commandLine(member).split('\0').includes(word));
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function readStat(name: string): string | undefined {
  try {
    return readFileSync(`/proc/${name}/stat`, 'utf8');
  } catch {
    return undefined;
  }
}
