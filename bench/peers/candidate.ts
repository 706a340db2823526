import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { installPeers } from './install.ts';
import { freePort, moduleUrl, type OwnedProcesses } from '../measure/owned-processes.ts';
import { processTree } from '../measure/process-table.ts';

export const candidateNames = ['direct', 'bare', 'gatelog', 'before', 'events', 'portkey'] as const;
export type CandidateName = (typeof candidateNames)[number];

/** A target of the benchmark's calls. */
export interface Candidate {
  readonly name: CandidateName;
  readonly port: number;
  /** Headers of the calls besides `host`, `content-type` and `content-length`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The process that the benchmark started. */
  readonly rootPid: number;
  /** The processes that move the bytes. Read at each measurement, because a supervisor may have replaced them. */
  readonly workerPids: () => readonly number[];
  /** Ends it. Shared processes, such as the provider, stay. */
  readonly stop: () => Promise<void>;
}

/** A running Gatelog, with the data that the check of its records needs. */
export interface GatelogCandidate extends Candidate {
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly dataFolder: string;
  /** The process that stores and answers queries. */
  readonly corePid: () => number;
}

/** Locations and processes that a candidate is started with. */
export interface Surroundings {
  readonly processes: OwnedProcesses;
  readonly projectFolder: string;
  /** Of the candidate `before`: another clone of Gatelog, built. */
  readonly folderBefore?: string | undefined;
  /** Exists only during this run. */
  readonly temporaryFolder: string;
  readonly provider: { readonly port: number; readonly pid: number };
}

export const candidateLabels: Readonly<Record<CandidateName, string>> = {
  direct: 'provider called directly',
  bare: 'bare node:http + undici, records nothing',
  gatelog: 'Gatelog, one worker, recording',
  before: 'the build before (--before)',
  events: 'the same with 50 webhooks and 100 alerts stored',
  portkey: '@portkey-ai/gateway 1.15.2, records nothing',
};

const providerKey = 'Bearer sk-provider';
const benchKey = 'sk-svc-us-benchbenchbenchbenchbenchbench';

export function startCandidate(name: CandidateName, surroundings: Surroundings): Promise<Candidate> {
  switch (name) {
    case 'direct':
      return Promise.resolve(directCandidate(surroundings));
    case 'bare':
      return startBare(surroundings);
    case 'gatelog':
      return startGatelog(surroundings);
    case 'before':
      return startBefore(surroundings);
    case 'events':
      return startWithEvents(surroundings);
    case 'portkey':
      return startPortkey(surroundings);
  }
}

function directCandidate({ provider }: Surroundings): Candidate {
  return {
    name: 'direct',
    port: provider.port,
    headers: { Authorization: providerKey },
    rootPid: provider.pid,
    workerPids: () => [provider.pid],
    stop: () => Promise.resolve(),
  };
}

async function startBare({ processes, provider }: Surroundings): Promise<Candidate> {
  const { child, port } = await processes.forkListening('./bare', import.meta.url, [`http://127.0.0.1:${provider.port}`]);
  const pid = child.pid ?? 0;
  return {
    name: 'bare',
    port,
    headers: { Authorization: providerKey },
    rootPid: pid,
    workerPids: () => [pid],
    stop: () => processes.stop(child),
  };
}

/** Starts Gatelog as a user would, with an empty data folder. */
export async function startGatelog(surroundings: Surroundings, workers = 1): Promise<GatelogCandidate> {
  const { processes, projectFolder, temporaryFolder, provider } = surroundings;
  const program = join(projectFolder, 'dist', 'cli', 'main.js');
  if (!existsSync(program)) throw new Error(`Gatelog is not built in ${projectFolder}: run \`npm run build\` there.`);
  const [port, apiPort] = [await freePort(), await freePort()];
  const dataFolder = mkdtempSync(join(temporaryFolder, 'gatelog-data-'));
  const child = await processes.start({
    command: process.execPath,
    parameters: [program, 'serve'],
    folder: temporaryFolder,
    logFile: join(temporaryFolder, 'gatelog.log'),
    readyUrl: `http://127.0.0.1:${port}/readyz`,
    environment: {
      ...withoutSettings(process.env),
      GATELOG_DATA_DIR: dataFolder,
      GATELOG_GATEWAY_PORT: String(port),
      GATELOG_API_PORT: String(apiPort),
      GATELOG_GATEWAY_WORKERS: String(workers),
      GATELOG_BOOTSTRAP_API_KEY: benchKey,
      GATELOG_PROVIDER_OPENAI_URL: `http://127.0.0.1:${provider.port}/v1`,
    },
  });
  const rootPid = child.pid ?? 0;
  return {
    name: 'gatelog',
    port,
    headers: { 'Svc-Auth': `Bearer ${benchKey}`, Authorization: providerKey, 'Svc-Property-Team': 'bench', 'Svc-User-Id': 'u1' },
    rootPid,
    workerPids: () => rolePids(rootPid, 'gateway', workers),
    stop: () => processes.stop(child),
    apiUrl: `http://127.0.0.1:${apiPort}`,
    apiKey: benchKey,
    dataFolder,
    corePid: () => rolePids(rootPid, 'core', 1)[0] ?? 0,
  };
}

async function startBefore(surroundings: Surroundings): Promise<GatelogCandidate> {
  if (surroundings.folderBefore === undefined) throw new Error('The candidate before needs --before FOLDER.');
  return { ...(await startGatelog({ ...surroundings, projectFolder: surroundings.folderBefore })), name: 'before' };
}

/** Each webhook and each alert asks for the requests of one team, and the benchmark's calls are of another: all are judged, nothing is sent. */
async function startWithEvents(surroundings: Surroundings): Promise<GatelogCandidate> {
  const candidate = await startGatelog(surroundings);
  await untilReady(`${candidate.apiUrl}/readyz`);
  for (let index = 0; index < 50; index += 1) {
    const config = { propertyFilters: [{ key: 'Team', value: `team-${index}` }] };
    await create(candidate, '/v1/webhooks', { name: `webhook ${index}`, destination: 'https://example.com/events', config });
  }
  for (let index = 0; index < 100; index += 1) {
    const filter = { request_response_rmt: { properties: { Team: { equals: `team-${index % 50}` } } } };
    const measure = index % 2 === 0 ? { metric: 'cost', threshold: 100 } : { metric: 'response.status', threshold: 50 };
    await create(candidate, '/v1/alerts', { name: `alert ${index}`, ...measure, time_window: 3_600_000, filter });
  }
  return { ...candidate, name: 'events' };
}

async function untilReady(url: string): Promise<void> {
  for (let attempts = 0; attempts < 600; attempts += 1) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok === true) return;
    await setTimeout(50);
  }
  throw new Error(`${url} was not ready within 30 s.`);
}

async function create({ apiUrl, apiKey }: GatelogCandidate, path: string, body: object): Promise<void> {
  const response = await fetch(`${apiUrl}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`POST ${path} was answered ${response.status}: ${await response.text()}`);
}

function rolePids(supervisorPid: number, role: 'gateway' | 'core', count: number): number[] {
  const found = processTree(supervisorPid).filter(({ pid, command }) => pid !== supervisorPid && command.includes(role));
  if (found.length !== count) throw new Error(`Gatelog runs with ${found.length} processes for the role ${role}, not ${count}.`);
  return found.map(({ pid }) => pid);
}

/** Starts Portkey without its console. It then logs no line per call, and it trusts loopback addresses by default. */
async function startPortkey({ processes, projectFolder, temporaryFolder, provider }: Surroundings): Promise<Candidate> {
  const peersFolder = join(projectFolder, 'bench', 'peers');
  await installPeers(peersFolder);
  const port = await freePort();
  const program = join(peersFolder, 'node_modules', '@portkey-ai', 'gateway', 'build', 'start-server.js');
  const child = await processes.start({
    command: process.execPath,
    parameters: ['--import', moduleUrl('./loopback-only', import.meta.url).href, program, `--port=${port}`, '--headless'],
    folder: temporaryFolder,
    logFile: join(temporaryFolder, 'portkey.log'),
    readyUrl: `http://127.0.0.1:${port}/`,
    environment: { ...withoutSettings(process.env), NODE_ENV: 'production' },
  });
  const pid = child.pid ?? 0;
  return {
    name: 'portkey',
    port,
    headers: {
      Authorization: providerKey,
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `http://127.0.0.1:${provider.port}/v1`,
    },
    rootPid: pid,
    workerPids: () => [pid],
    stop: () => processes.stop(child),
  };
}

/** The environment without settings that would change what is measured. */
function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const changing = /^(GATELOG_|NODE_OPTIONS$|NODE_ENV$|https?_proxy$|all_proxy$|TRUSTED_CUSTOM_HOSTS$|REDIS_CONNECTION_STRING$)/i;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !changing.test(name)));
}
