import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from '../../client/client.ts';
import { faultSentence, loadConfig } from '../../config/load.ts';
import { CommandError, type CommandDependencies } from '../base/dependencies.ts';
import { progressLine } from '../base/progress.ts';
import { demoRecords } from './records.ts';
import { callGateway, setUpDemo } from './settings.ts';

export interface DemoCommandOptions {
  readonly requests: number;
  readonly seed: number;
  /** In place of the settings of both ports. */
  readonly port?: number;
  /** Fills the service, says what it holds, and ends. */
  readonly once?: true;
}

const demoKey = 'sk-svc-us-demodemodemodemodemo';
const batch = 2000;
const pollMs = 200;
const startMs = 60_000;
/** A service stops within 4.5 s. */
const stopMs = 10_000;

/**
 * `gatelog demo`: a service of its own in the temporary folder, filled with two weeks of four apps, until Ctrl-C. It ends with the folder
 * removed. @throws CommandError
 */
export async function runDemo(
  dependencies: CommandDependencies,
  { requests, seed, port, once: endsAtOnce }: DemoCommandOptions,
): Promise<void> {
  const ports = portsOf(dependencies, port);
  const interrupted = dependencies.untilInterrupted({ cleansUp: true });
  const dataDir = freshFolder(dependencies.environment['GATELOG_DATA_DIR']);
  const main = fileURLToPath(new URL('../main.js', import.meta.url));
  const [gateway, api] = ports.map((number) => `http://127.0.0.1:${number}`) as [string, string];
  const service = spawn(process.execPath, [main, 'serve'], {
    // A file .env of this folder is for another service.
    cwd: dataDir,
    // The service is ended by this command, after its own Ctrl-C.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...dependencies.environment,
      GATELOG_DATA_DIR: dataDir,
      GATELOG_BOOTSTRAP_API_KEY: demoKey,
      GATELOG_GATEWAY_PORT: String(ports[0]),
      GATELOG_API_PORT: String(ports[1]),
      GATELOG_HOST: '127.0.0.1',
      ...plainListeners,
    },
  });
  const ended = once(service, 'exit');
  let errors = '';
  service.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString('utf8')).slice(-2000)));
  const filled = async (): Promise<void> => {
    await ready(api, () => {
      if (service.exitCode !== null) throw new CommandError(`The service of the demo did not start:\n${errors.trim()}`);
      interrupted.throwIfAborted();
    });
    await fill(dependencies, { api, gateway, requests, seed });
    dependencies.print(shown(api, gateway));
  };
  const interruption = interrupted.aborted ? Promise.resolve() : once(interrupted, 'abort');
  try {
    // An interrupted filling fails once its service is gone, and nobody waits for it.
    const filling = filled();
    filling.catch(() => undefined);
    await Promise.race([filling, interruption]);
    if (endsAtOnce !== true) await interruption;
  } finally {
    service.kill('SIGINT');
    const kill = setTimeout(() => service.kill('SIGKILL'), stopMs);
    await ended;
    clearTimeout(kill);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Two of plain http, whatever the environment says of another service. */
const plainListeners = {
  GATELOG_PORT: '',
  GATELOG_BASE_PATH: '',
  GATELOG_PUBLIC_URL: '',
  GATELOG_TLS_CERT_FILE: '',
  GATELOG_TLS_KEY_FILE: '',
};

function portsOf({ environment }: CommandDependencies, port: number | undefined): readonly [number, number] {
  if (port !== undefined) return [port, port + 1];
  const loaded = loadConfig(environment);
  if ('faults' in loaded) throw new CommandError(loaded.faults.map(faultSentence).join('\n'));
  return [loaded.config.gatewayPort, loaded.config.apiPort];
}

/** A folder that may be removed at the end. @throws CommandError for one that holds something. */
function freshFolder(wanted: string | undefined): string {
  if (wanted === undefined || wanted === '') return mkdtempSync(path.join(tmpdir(), 'gatelog-demo-'));
  const folder = path.resolve(wanted);
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new CommandError(
      `GATELOG_DATA_DIR is ${folder}, which is not empty, and the demo removes its folder at the end: name another folder, or leave it out.`,
    );
  }
  mkdirSync(folder, { recursive: true });
  return folder;
}

async function ready(api: string, check: () => void): Promise<void> {
  const end = performance.now() + startMs;
  while (performance.now() < end) {
    check();
    const response = await fetch(`${api}/readyz`).catch(() => undefined);
    if (response?.ok === true) return;
    await wait(pollMs);
  }
  throw new CommandError(`The service of the demo was not ready after ${startMs / 1000} s.`);
}

interface Filling extends Pick<DemoCommandOptions, 'requests' | 'seed'> {
  readonly api: string;
  readonly gateway: string;
}

async function fill(dependencies: CommandDependencies, { api, gateway, requests, seed }: Filling): Promise<void> {
  const gatelog = createClient({ apiUrl: api, apiKey: demoKey });
  const calls = await callGateway(gateway, demoKey);
  const began = performance.now();
  const records = demoRecords({ requests, seed, now: dependencies.now() });
  const tell = (done: number): void => {
    const progress = { done, total: records.length, elapsedMs: performance.now() - began, doneBefore: 0 };
    dependencies.progress(progressLine('requests', progress));
  };
  for (let from = 0; from < records.length; from += batch) {
    await gatelog.imports.send(records.slice(from, from + batch));
    tell(Math.min(records.length, from + batch));
  }
  await stored(gatelog, calls + records.length);
  dependencies.progress('Applying prices …');
  for await (const report of gatelog.prices.applyAll({ filter: 'all' })) void report;
  dependencies.progress('Setting up rules, limits, keys and a board …');
  await setUpDemo(gatelog);
  dependencies.progress('');
}

/** A record can be queried about a second after its import. */
async function stored(gatelog: ReturnType<typeof createClient>, wanted: number): Promise<void> {
  const end = performance.now() + startMs;
  while (performance.now() < end) {
    if ((await gatelog.requests.count({ filter: 'all' })).data >= wanted) return;
    await wait(pollMs);
  }
  throw new CommandError('The records of the demo were not stored in time.');
}

function shown(api: string, gateway: string): string {
  return [
    `Dashboard  ${api}`,
    `Key        ${demoKey}`,
    `Gateway    ${gateway}`,
    '',
    'Two weeks of a support desk, a search, coding agents and nightly reports. Which session was the most expensive today, and why?',
    'Ctrl-C ends the demo and removes its data.',
  ].join('\n');
}
