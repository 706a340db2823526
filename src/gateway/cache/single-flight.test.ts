import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LimitPolicy } from '../../model/limit-policy.ts';
import { zeroMoney } from '../../model/pricing/money.ts';
import { leaseMs } from '../../state/cache-leases.ts';
import { type CacheRig, type CacheRigOptions, startCacheRig } from '../testing/cache-harness.ts';
import type { CallLimits } from '../limits/call-limits.ts';
import { call, openClient, type RawClient, type RawResponse, requestText, soon, until } from '../testing/raw-http.ts';

let workers: CacheRig[] = [];
/** Calls that the provider has not answered. */
let open: ServerResponse[];

beforeEach(() => start({}));

afterEach(async () => {
  for (const response of open) response.destroy();
  for (const worker of workers.toReversed()) await worker.close();
  workers = [];
});

/** Starts two workers that share a state, in front of a provider that answers when the test says so. */
async function start(options: CacheRigOptions): Promise<void> {
  for (const worker of workers.toReversed()) await worker.close();
  const first = await startCacheRig(options);
  workers = [first, await startCacheRig({ ...options, beside: first })];
  open = [];
  first.behave((_body, response) => open.push(response));
}

const request = requestText('POST /v1/chat/completions', ['Svc-Cache-Enabled: true', 'Content-Type: application/json'], '{"model":"m"}');
const portOf = (index: number): number => workers[index % workers.length]?.rig.port ?? 0;
const mebi = 1024 * 1024;
/** Connections that a rig's worker has to the provider. */
const connections = 16;
const seen = (): number => workers[0]?.seen.length ?? 0;

/** So many calls at once, over all workers. */
const storm = (count: number, toWorkers = [0, 1]): Promise<RawResponse>[] =>
  Array.from({ length: count }, (_, index) => call(portOf(toWorkers[index % toWorkers.length] ?? 0), request));

/** Waits until so many calls in all have asked the cache. */
const haveAsked = (count: number): Promise<void> => until(() => workers.reduce((sum, worker) => sum + worker.asked(), 0) === count);

/** Waits until so many calls have reached the provider in all, answers the one that is open. */
async function answerNext(total: number, answer: (response: ServerResponse) => void): Promise<void> {
  await until(() => seen() === total && open.length > 0);
  for (const response of open.splice(0)) answer(response);
}

/** No windows are to be had, so that budgets refuse. */
const noLimits: CallLimits = {
  windows: {
    claim: () => {
      throw new Error('away');
    },
  },
  storedPolicies: () => [],
  estimateCost: () => zeroMoney,
  readUser: () => '',
};

const succeed = (response: ServerResponse): void => void response.writeHead(200, { 'content-type': 'text/plain' }).end('whole');
const tell = ({ header, body }: RawResponse): string => `${header('svc-cache')} ${body.toString()}`;
const counted = (texts: readonly string[]): Record<string, number> =>
  Object.fromEntries([...new Set(texts)].map((text) => [text, texts.filter((each) => each === text).length]));

/** Lets followers come: they are not seen from outside. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await soon();
}

async function beginExchange(worker = 0): Promise<RawClient> {
  const client = await openClient(portOf(worker));
  client.send(request);
  return client;
}

describe.each([
  ['one worker', [0]],
  ['two workers', [0, 1]],
])('equal calls that come at once to %s', (_name, to) => {
  it('reach the provider once, and all get its reply', async () => {
    const responses = storm(100, to);
    await answerNext(1, succeed);
    expect(counted((await Promise.all(responses)).map(tell))).toEqual({ 'MISS whole': 1, 'HIT whole': 99 });
    expect(seen()).toBe(1);
  });

  it('all go their own way once the provider has failed: waiting would gain them nothing', async () => {
    const responses = storm(8, to);
    await haveAsked(8);
    await answerNext(1, (response) => response.writeHead(400).end('no'));
    // All of them are open at once: none waits for another.
    await until(() => open.length === 7);
    for (const response of open.splice(0)) response.writeHead(400).end('no');
    expect(counted((await Promise.all(responses)).map(tell))).toEqual({ 'MISS no': 8 });
  });

  it('all go their own way where the reply breaks off; the reply of one is kept', async () => {
    const responses = storm(8, to);
    await haveAsked(8);
    await answerNext(1, (response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half');
      setImmediate(() => response.destroy());
    });
    await until(() => open.length === 7);
    for (const response of open.splice(0)) succeed(response);
    expect(counted((await Promise.all(responses)).map(tell))).toEqual({ 'MISS half': 1, 'MISS whole': 7 });
    expect((await Promise.all(storm(2, to))).map(tell)).toEqual(['HIT whole', 'HIT whole']);
  });

  it('wait again, those who come after a failure', async () => {
    const failing = storm(4, to);
    await haveAsked(4);
    await answerNext(1, (response) => response.writeHead(500).end('no'));
    await until(() => open.length === 3);
    const later = storm(20, to);
    await haveAsked(24);
    await answerNext(4, succeed);
    expect(counted((await Promise.all([...failing, ...later])).map(tell))).toEqual({ 'MISS no': 1, 'MISS whole': 3, 'HIT whole': 20 });
  });
});

it('equal calls that take no reply of any age do not wait for one another', async () => {
  const fresh = requestText('POST /v1/chat/completions', ['Svc-Cache-Enabled: true', 'Cache-Control: max-age=0'], '{"model":"m"}');
  const responses = Array.from({ length: 5 }, (_, index) => call(portOf(index), fresh));
  await until(() => open.length === 5);
  for (const response of open.splice(0)) succeed(response);
  expect(counted((await Promise.all(responses)).map(tell))).toEqual({ 'MISS whole': 5 });
});

describe('the caller whose call is on its way leaves', () => {
  it('and it goes on for those who wait, in its own worker and in another, and onto its record to the end', async () => {
    const leaving = await beginExchange();
    await until(() => seen() === 1);
    const followers = storm(2);
    await settle();
    leaving.socket.destroy();
    await settle();
    await answerNext(1, succeed);
    expect((await Promise.all(followers)).map(tell)).toEqual(['HIT whole', 'HIT whole']);
    expect(seen()).toBe(1);
    const [left] = (await workers[0]?.rig.exchanges(2)) ?? [];
    // What came is paid for, by the one who asked for it.
    expect([left?.end?.outcome, left?.responseHead?.status, left?.responseBody.toString()]).toEqual(['client_left', 200, 'whole']);
  });

  it('and it goes on too where it stood still for its own sake', async () => {
    await start({ responseBytes: 32 * mebi });
    const leaving = await beginExchange();
    leaving.socket.pause();
    const large = Buffer.alloc(24 * mebi, 'x');
    await until(() => seen() === 1);
    const followers = storm(1, [1]);
    await settle();
    const [response] = open.splice(0);
    response?.writeHead(200).end(large);
    await settle();
    expect(response?.writableFinished).toBe(false);
    leaving.socket.destroy();
    const [reply] = await Promise.all(followers);
    expect([reply?.header('svc-cache'), reply?.body.length]).toEqual(['HIT', large.length]);
  });

  it('and it goes on no faster than the spool takes its record', async () => {
    await start({ responseBytes: 32 * mebi });
    const [worker] = workers;
    worker?.rig.spool.hold();
    const leaving = await beginExchange();
    await until(() => seen() === 1);
    const followers = storm(1, [1]);
    await settle();
    leaving.socket.destroy();
    await settle();
    const large = Buffer.alloc(24 * mebi, 'x');
    const [response] = open.splice(0);
    response?.writeHead(200).end(large);
    await until(() => (worker?.rig.spool.waiting() ?? 0) > 0);
    await settle();
    expect(response?.writableFinished).toBe(false);
    worker?.rig.spool.release();
    const [reply] = await Promise.all(followers);
    expect([reply?.header('svc-cache'), reply?.body.length]).toEqual(['HIT', large.length]);
    const [left] = (await worker?.rig.exchanges(1)) ?? [];
    expect([left?.end?.outcome, left?.responseBody.length]).toEqual(['client_left', large.length]);
  });

  it('and it ends when nobody waits', async () => {
    const leaving = await beginExchange();
    await until(() => seen() === 1);
    const closed = new Promise((resolve) => {
      open[0]?.on('close', resolve);
    });
    leaving.socket.destroy();
    await closed;
    open = [];
    const next = storm(1);
    await answerNext(2, succeed);
    expect((await Promise.all(next)).map(tell)).toEqual(['MISS whole']);
  });

  it('and it ends once its reply is not the one that they wait for', async () => {
    const leaving = await beginExchange();
    await until(() => seen() === 1);
    const followers = storm(1);
    await settle();
    leaving.socket.destroy();
    await settle();
    const [first] = open.splice(0);
    const closed = new Promise((resolve) => {
      first?.on('close', resolve);
    });
    first?.writeHead(500).write('no');
    await closed;
    await answerNext(2, succeed);
    expect((await Promise.all(followers)).map(tell)).toEqual(['MISS whole']);
    const [left] = (await workers[0]?.rig.exchanges(1)) ?? [];
    expect([left?.end?.outcome, left?.responseHead?.status]).toEqual(['client_left', 500]);
  });

  it('and it is recorded as far as it came where the provider fails too', async () => {
    const leaving = await beginExchange();
    await until(() => seen() === 1);
    const followers = storm(1);
    await haveAsked(2);
    await settle();
    leaving.socket.destroy();
    await settle();
    const [first] = open.splice(0);
    first?.writeHead(200, { 'content-length': 100 }).write('half', () => first.destroy());
    await answerNext(2, succeed);
    expect((await Promise.all(followers)).map(tell)).toEqual(['MISS whole']);
    const [left] = (await workers[0]?.rig.exchanges(2)) ?? [];
    expect([left?.end?.outcome, left?.responseBody.toString()]).toEqual(['client_left', 'half']);
  });

  it('and it passes its lease on at once, also while it waits for a connection', async () => {
    const busy = requestText('POST /v1/chat/completions', ['Content-Type: application/json'], '{"model":"m"}');
    const others = Array.from({ length: connections }, () => call(portOf(0), busy));
    await until(() => seen() === connections);
    const leaving = await beginExchange();
    await haveAsked(1);
    leaving.socket.destroy();
    const left = ((await workers[0]?.rig.exchanges(1)) ?? []).find(({ end }) => end !== undefined);
    expect(left?.end?.outcome).toBe('client_left');
    const next = storm(1, [1]);
    await until(() => seen() === connections + 1);
    for (const response of open.splice(0)) succeed(response);
    expect((await Promise.all([...next, ...others])).filter(({ status }) => status !== 200)).toEqual([]);
  });
});

describe('a caller who waits', () => {
  it('and leaves is on record, and no longer waited for', async () => {
    const first = storm(1, [0]);
    await until(() => seen() === 1);
    const leaving = await beginExchange();
    await settle();
    leaving.socket.destroy();
    const exchanges = (await workers[0]?.rig.exchanges(1)) ?? [];
    expect(exchanges.map(({ end }) => end?.outcome)).toContain('client_left');
    await answerNext(1, succeed);
    expect((await Promise.all(first)).map(tell)).toEqual(['MISS whole']);
    expect(seen()).toBe(1);
  });

  it('waits for so long as the setting says, and then calls for itself', async () => {
    await start({ waitMs: 60 });
    const responses = storm(2);
    await until(() => seen() === 2);
    for (const response of open.splice(0)) succeed(response);
    expect((await Promise.all(responses)).map(tell)).toEqual(['MISS whole', 'MISS whole']);
  });

  it('does not wait at all with a setting of 0', async () => {
    await start({ waitMs: 0 });
    const responses = storm(3);
    await until(() => seen() === 3);
    for (const response of open.splice(0)) succeed(response);
    expect((await Promise.all(responses)).map(tell)).toEqual(['MISS whole', 'MISS whole', 'MISS whole']);
  });

  it('gets the lease when the one before is refused before it is sent', async () => {
    const budget = { unit: 'cents', quota: 1n, window: { kind: 'fixed', ms: 1000 }, segment: undefined, text: '1;w=1;u=cents' } as const;
    let stored: readonly LimitPolicy[] = [budget];
    await start({ ports: { callLimits: { ...noLimits, storedPolicies: () => stored } } });
    const [refused] = await Promise.all(storm(1));
    expect(refused?.status).toBe(503);
    stored = [];
    const next = storm(2);
    await answerNext(1, succeed);
    expect(counted((await Promise.all(next)).map(tell))).toEqual({ 'MISS whole': 1, 'HIT whole': 1 });
  });
});

it('a call that takes longer than a lease lasts keeps it', async () => {
  const responses = storm(4);
  await until(() => seen() === 1);
  for (let passedMs = 0; passedMs < 4 * leaseMs; passedMs += leaseMs - 1000) {
    for (const { cache } of workers) cache.renewLeases();
    for (const worker of workers) worker.pass(leaseMs - 1000);
    await settle();
  }
  expect(seen()).toBe(1);
  await answerNext(1, succeed);
  expect(counted((await Promise.all(responses)).map(tell))).toEqual({ 'MISS whole': 1, 'HIT whole': 3 });
});

it('several buckets are filled by as many calls at once', async () => {
  const bucket = requestText('POST /v1/chat/completions', ['Svc-Cache-Enabled: true', 'Svc-Cache-Bucket-Max-Size: 3'], '{"model":"m"}');
  const responses = Array.from({ length: 10 }, (_, index) => call(portOf(index), bucket));
  await until(() => open.length === 3);
  await settle();
  expect(seen()).toBe(3);
  for (const response of open.splice(0)) succeed(response);
  expect(counted((await Promise.all(responses)).map(tell))).toEqual({ 'MISS whole': 3, 'HIT whole': 7 });
});
