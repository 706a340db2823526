import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../ingest/testing/ingest-harness.ts';
import type { Observation } from '../model/observation.ts';
import { Meter } from '../platform/metrics/meter.ts';
import { processFamilies } from '../platform/metrics/process-sampler.ts';
import { Supervisor } from './supervisor.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-supervisor-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const address = 'http://127.0.0.1:8788';
const calls = { maxMs: 0, cut: new AbortController().signal };
/** A core that is ready at once. */
const core = `
  process.send({ type: 'ready', address: \`${address}\` });
  process.on('message', ({ type }) => type === 'stop' && process.exit(0));
`;

it('says of each life of a process that it was started and that it is ready', async () => {
  const program = path.join(folder, 'core.mjs');
  writeFileSync(program, core);
  const observations: Observation[] = [];
  const supervisor = new Supervisor({
    program,
    gatewayWorkers: 0,
    environment: process.env,
    observe: (observation) => observations.push(observation),
    meter: new Meter(processFamilies),
    gatewayFamilies: [],
    silenceMaxMs: 60_000,
    restartMaxMs: 60_000,
  });
  await supervisor.start();
  const pids = (kind: 'process_started' | 'process_ready'): readonly number[] =>
    observations.flatMap((observation) => (observation.kind === kind ? [observation.pid] : []));
  const [first = 0] = pids('process_started');
  expect(observations).toEqual([
    { kind: 'process_started', role: 'core', pid: first },
    { kind: 'process_ready', role: 'core', pid: first, address },
  ]);
  process.kill(first, 'SIGKILL');
  await until(() => pids('process_ready').length > 1);
  await supervisor.stop(calls);
  const [, second = 0] = pids('process_started');
  expect(observations.slice(2)).toEqual([
    { kind: 'process_exited', role: 'core', pid: first, code: null, signal: 'SIGKILL' },
    { kind: 'process_started', role: 'core', pid: second },
    { kind: 'process_ready', role: 'core', pid: second, address },
  ]);
});

it('tries again when the system gives no process', async () => {
  const program = path.join(folder, 'again.mjs');
  writeFileSync(program, core);
  const observations: Observation[] = [];
  const supervisor = new Supervisor({
    program,
    gatewayWorkers: 0,
    environment: process.env,
    observe: (observation) => observations.push(observation),
    meter: new Meter(processFamilies),
    gatewayFamilies: [],
    silenceMaxMs: 60_000,
    restartMaxMs: 60_000,
  });
  const kinds = (): readonly string[] => observations.map(({ kind }) => kind);
  await supervisor.start();
  const [started] = observations;
  const { execPath } = process;
  try {
    process.execPath = path.join(folder, 'nothing');
    if (started?.kind === 'process_started') process.kill(started.pid, 'SIGKILL');
    await until(() => kinds().filter((kind) => kind === 'process_not_started').length > 1);
  } finally {
    process.execPath = execPath;
  }
  await until(() => kinds().filter((kind) => kind === 'process_ready').length > 1);
  await supervisor.stop(calls);
  expect([...new Set(kinds())]).toEqual(['process_started', 'process_ready', 'process_exited', 'process_not_started']);
  expect(kinds().slice(-2)).toEqual(['process_started', 'process_ready']);
});

it('gives all processes the environment of its start, and room for what lives for the time of a call', async () => {
  const program = path.join(folder, 'environment.mjs');
  writeFileSync(program, core.replace(address, `${address}/\${process.env.GATELOG_PRICES_FILE}\${process.execArgv.at(-1)}`));
  const observations: Observation[] = [];
  const supervisor = new Supervisor({
    program,
    gatewayWorkers: 1,
    environment: { ...process.env, GATELOG_PRICES_FILE: 'kept-copy.json' },
    observe: (observation) => observations.push(observation),
    meter: new Meter(processFamilies),
    gatewayFamilies: [],
    silenceMaxMs: 60_000,
    restartMaxMs: 60_000,
  });
  await supervisor.start();
  await supervisor.stop(calls);
  const ready = observations.flatMap((observation) => (observation.kind === 'process_ready' ? [observation] : []));
  expect(Object.fromEntries(ready.map(({ role, address: said }) => [role, said]))).toEqual({
    core: `${address}/kept-copy.json--min-semi-space-size=16`,
    gateway: `${address}/kept-copy.json--min-semi-space-size=16`,
  });
});

/** A core that says that it runs, and that is ready but for its second life. */
const onceUnready = `
  import { appendFileSync, readFileSync } from 'node:fs';
  const lives = new URL('lives', import.meta.url);
  appendFileSync(lives, '.');
  setInterval(() => process.send({ type: 'alive' }), 100);
  if (readFileSync(lives).length !== 2) process.send({ type: 'ready', address: \`${address}\` });
  process.on('message', ({ type }) => type === 'stop' && process.exit(0));
`;

it('kills what lives and does not answer, and what is started again and does not become ready, and starts another', async () => {
  const program = path.join(folder, 'unready.mjs');
  writeFileSync(program, onceUnready);
  const observations: Observation[] = [];
  const supervisor = new Supervisor({
    program,
    gatewayWorkers: 0,
    environment: process.env,
    observe: (observation) => observations.push(observation),
    meter: new Meter(processFamilies),
    gatewayFamilies: [],
    silenceMaxMs: 2000,
    restartMaxMs: 3000,
  });
  await supervisor.start();
  const pids = observations.flatMap((observation) => (observation.kind === 'process_started' ? [observation.pid] : []));
  process.kill(pids[0] ?? 0, 'SIGSTOP');
  await until(() => observations.filter(({ kind }) => kind === 'process_ready').length > 1);
  await supervisor.stop(calls);
  expect(observations.slice(2).map(({ kind }) => kind)).toEqual([
    'process_killed',
    'process_exited',
    'process_started',
    'process_killed',
    'process_exited',
    'process_not_started',
    'process_started',
    'process_ready',
  ]);
});

/** What a part of a program that tells its environment says of it when it is started. */
async function environmentTold(
  names: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Record<'gateway' | 'api', string>> {
  const program = path.join(folder, 'environment.mjs');
  const told = `http://127.0.0.1:8788/${names.map((name) => `\${process.env.${name}}`).join('/')}`;
  writeFileSync(program, core.replace(address, told));
  const supervisor = new Supervisor({
    program,
    gatewayWorkers: 1,
    environment: { ...process.env, ...environment },
    observe: () => undefined,
    meter: new Meter(processFamilies),
    gatewayFamilies: [],
    silenceMaxMs: 60_000,
    restartMaxMs: 60_000,
  });
  const { gateway, api } = await supervisor.start();
  await supervisor.stop(calls);
  return { gateway: new URL(gateway).pathname, api: new URL(api).pathname };
}

it('gives every part as many threads for files and names as it needs, unless the environment says how many', async () => {
  const names = ['UV_THREADPOOL_SIZE'];
  expect(await environmentTold(names, {})).toEqual({ gateway: '/16', api: '/16' });
  expect(await environmentTold(names, { UV_THREADPOOL_SIZE: '5' })).toEqual({ gateway: '/5', api: '/5' });
});

it('lets the core give memory back to the system soon, unless the environment says how', async () => {
  const names = ['MALLOC_ARENA_MAX', 'JE_MALLOC_CONF'];
  const { gateway, api } = await environmentTold(names, { MALLOC_ARENA_MAX: '3' });
  expect(gateway).toBe('/3/undefined');
  expect(api).toBe('/3/dirty_decay_ms:500,muzzy_decay_ms:0');
});
