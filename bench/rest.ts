import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { describeMachine } from './measure/machine.ts';
import { type Places, type RunningService, startOn } from './rest/measured-start.ts';
import { memoryOfTree, type ProcessMemory } from './rest/memory-map.ts';
import { dataFolders, renderRest, type Start } from './rest/report.ts';
import { call, query } from './rest/use.ts';

/** Measures the resources that the idle service takes, and the time until it is ready. */

const helpText = `Measures memory at rest and the time until ready, of a service of its own with one gateway worker.

Usage: npm run bench -- rest [options]

  --rounds N        starts on an empty data folder, and as many on one with data (default 3)
  --idle-seconds N  rest before memory is read (default 30)
  --records N       records in the folder with data (default 5000)
  --help            this text

Each start is timed from its spawn until the addresses are printed and both answer /readyz with 200. Memory is read after a rest, then again
after 50 calls, 14 queries and another rest. Linux only. Exit code 0: every aim was reached; 1: it failed, or an aim was missed.`;

const calls = 50;

interface Given {
  readonly rounds: number;
  readonly idleSeconds: number;
  readonly records: number;
}

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Starts services one after the other, and ends them with this program. */
class Services {
  private readonly places: Places;
  private running: RunningService | undefined;

  constructor(places: Places) {
    this.places = places;
  }

  async start(dataFolder: string): Promise<RunningService> {
    this.running = await startOn(dataFolder, this.places);
    return this.running;
  }

  async stop(): Promise<void> {
    await this.running?.stop();
    this.running = undefined;
  }
}

/** Makes a data folder with recorded calls. */
async function fill(services: Services, folder: string, records: number): Promise<void> {
  mkdirSync(folder);
  await call(await services.start(folder), records);
  await services.stop();
}

async function measureStart(services: Services, dataFolder: string, { idleSeconds }: Given): Promise<Omit<Start, 'folder'>> {
  const service = await services.start(dataFolder);
  const memoryAtRest = async (): Promise<readonly ProcessMemory[]> => {
    await sleep(idleSeconds * 1000);
    return memoryOfTree(service.pid);
  };
  const afterStart = await memoryAtRest();
  await query(service, await call(service, calls));
  const afterUse = await memoryAtRest();
  await services.stop();
  return { readyMs: service.readyMs, memory: { 'after the start': afterStart, 'after calls and queries': afterUse } };
}

async function measureAll(services: Services, folder: string, given: Given): Promise<Start[]> {
  const filled = join(folder, 'filled');
  await fill(services, filled, given.records);
  const starts: Start[] = [];
  for (let round = 0; round < given.rounds; round += 1) {
    for (const name of dataFolders) {
      const dataFolder = join(folder, `${round}-${name.replace(' ', '-')}`);
      if (name === 'empty') mkdirSync(dataFolder);
      else cpSync(filled, dataFolder, { recursive: true });
      const start = await measureStart(services, dataFolder, given);
      starts.push({ folder: name, ...start });
      rmSync(dataFolder, { recursive: true });
      progress(`round ${round + 1} of ${given.rounds}, data folder ${name}: ready after ${start.readyMs.toFixed(0)} ms`);
    }
  }
  return starts;
}

/** @returns undefined when help is requested. @throws with a sentence when an option is unknown or out of bounds. */
function parseOptions(): Given | undefined {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      'idle-seconds': { type: 'string', default: '30' },
      records: { type: 'string', default: '5000' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const within = (name: 'rounds' | 'idle-seconds' | 'records', min: number, max: number): number => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < min || value > max) throw new Error(`--${name} is a whole number from ${min} to ${max}.`);
    return value;
  };
  return { rounds: within('rounds', 1, 100), idleSeconds: within('idle-seconds', 0, 3600), records: within('records', 1, 1_000_000) };
}

async function main(): Promise<void> {
  const given = parseOptions();
  if (given === undefined) {
    process.stdout.write(`${helpText}\n`);
    return;
  }
  if (process.platform !== 'linux') throw new Error('This benchmark reads /proc, which only Linux has.');
  const machine = describeMachine(process.cwd());
  const folder = mkdtempSync(join(tmpdir(), 'gatelog-bench-rest-'));
  // A separate copy: pages of Node that other processes also map would count only in part.
  const nodeFile = join(folder, 'node');
  copyFileSync(process.execPath, nodeFile);
  const services = new Services({ projectFolder: process.cwd(), temporaryFolder: folder, nodeFile });
  const cleanUp = async (): Promise<void> => {
    await services.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void cleanUp().then(() => process.exit(130)));
  try {
    const { text, isReached } = renderRest({ machine, ...given, starts: await measureAll(services, folder, given) });
    process.stdout.write(`${text}\n`);
    if (!isReached) process.exitCode = 1;
  } finally {
    await cleanUp();
  }
}

await main().catch((cause: unknown) => {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exitCode = 1;
});
