import { existsSync, readdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SeededRandom } from './support/seeded-random.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { byLength } from './support/test-length.ts';

const dataDir = makeDataDir();
const stateFolder = path.join(dataDir, 'state');
/** The state of a stopped service, with responses and counters. */
let whole: Buffer;
/** The latest one, which a test may leave to the next. */
let service: Service;

async function start(): Promise<void> {
  service = await startService({ dataDir });
}

afterAll(async () => {
  await service?.stop();
  removeDataDir(dataDir);
});

async function call(
  { gateway }: Service,
  text: string,
): Promise<{ readonly status: number; readonly left: string | null; readonly cache: string | null }> {
  const response = await fetch(`${gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${testKey}`,
      'content-type': 'application/json',
      'svc-cache-enabled': 'true',
      'svc-ratelimit-policy': '1000;w=86400',
    },
    body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: text }] }),
  });
  await response.arrayBuffer();
  return { status: response.status, left: response.headers.get('svc-ratelimit-remaining'), cache: response.headers.get('svc-cache') };
}

function stateFile(): string {
  const name = readdirSync(stateFolder).find((file) => /^state-.*\.mdb$/.test(file)) ?? '';
  return path.join(stateFolder, name);
}

beforeAll(async () => {
  await start();
  for (let number = 0; number < 50; number += 1) await call(service, `text ${number} `.repeat(200));
  await service.stop();
  whole = readFileSync(stateFile());
});

const pageBytes = 4096;
const random = new SeededRandom(11);

const damages: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  'garbage from beginning to end': (bytes) => Buffer.from(bytes.map(() => random.below(256))),
  'garbage behind its two first pages': (bytes) => Buffer.from(bytes.map((byte, at) => (at < 2 * pageBytes ? byte : random.below(256)))),
  'cut in the middle': (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2)),
  'a bit wrong in the head of every page': (bytes) => Buffer.from(bytes.map((byte, at) => (at % pageBytes === 10 ? byte ^ 8 : byte))),
  'zeros behind its two first pages': (bytes) => Buffer.from(bytes.map((byte, at) => (at < 2 * pageBytes ? byte : 0))),
  'a few letters': () => Buffer.from('not a state\n'),
};

const inShort = ['garbage behind its two first pages', 'a bit wrong in the head of every page', 'a few letters'];

it.each(byLength(inShort, Object.keys(damages)))(
  'a shared state that is damaged (%s) is set aside with a sentence, and the service starts with a new one',
  async (name) => {
    writeFileSync(stateFile(), damages[name]?.(whole) ?? whole);
    const damaged = readFileSync(stateFile());
    await start();
    expect(service.output()).toMatch(
      /"kind":"state_discarded","reason":"the shared state is damaged \(.+\) and was set aside as .*damaged\.mdb; .* count from zero"/,
    );
    expect(readFileSync(path.join(stateFolder, 'damaged.mdb')).length).toBe(damaged.length);
    expect((await call(service, name)).status).toBe(200);
    await service.stop();
  },
);

it('an intact state is used unchanged', async () => {
  writeFileSync(stateFile(), whole);
  await start();
  expect((await call(service, 'text 1 '.repeat(200))).cache).toBe('HIT');
  expect((await call(service, 'before')).left).toBe('949');
  expect(service.output()).not.toContain('state_discarded');
  await service.stop();
});

/** As if the machine had been started since: each boot has an identifier, which the state's file is named by. */
function bootMachine(): void {
  const earlier = 'state-3f0c1a52-0000-4000-8000-000000000000.mdb';
  const mark = path.join(stateFolder, 'synced');
  if (existsSync(mark)) writeFileSync(mark, earlier);
  renameSync(stateFile(), path.join(stateFolder, earlier));
}

it('after a boot of the machine a service that was stopped goes on with the counts and cached responses of before', async () => {
  bootMachine();
  await start();
  expect((await call(service, 'before')).cache).toBe('HIT');
  expect((await call(service, 'after')).left).toBe('948');
  expect(service.output()).not.toContain('state_discarded');
  await service.stop();
});

it('an empty state is used unchanged', async () => {
  truncateSync(stateFile(), 0);
  await start();
  expect((await call(service, 'before')).status).toBe(200);
  expect(service.output()).not.toContain('state_discarded');
  expect(existsSync(stateFile())).toBe(true);
});

it('after a boot of the machine a service that was killed begins without the counts and cached responses of before', async () => {
  await service.killAll();
  bootMachine();
  await start();
  expect((await call(service, 'before')).cache).toBe('MISS');
  expect((await call(service, 'after')).left).toBe('998');
  expect(service.output()).toContain('state_discarded');
});
