import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CachedResponses, type CachedResponse, type CacheKey } from './cached-responses.ts';
import { CacheLeases, type BucketLease, leaseMs } from './cache-leases.ts';
import { type LmdbEnvironment, openEnvironment } from './lmdb.ts';

const week = 7 * 24 * 60 * 60 * 1000;
const mapBytes = 16 * 1024 * 1024;
const key: CacheKey = { organizationId: 'one', fingerprint: 'f', buckets: 1 };
let folder: string;
let environments: LmdbEnvironment[] = [];
let responses: CachedResponses;
let leases: CacheLeases;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-leases-'));
  ({ responses, leases } = openLeases());
});

afterEach(async () => {
  for (const environment of environments) await environment.close();
  environments = [];
  rmSync(folder, { recursive: true });
});

/** As a worker opens them, at a time. */
function openLeases(now = 0): { readonly responses: CachedResponses; readonly leases: CacheLeases } {
  const environment = openEnvironment(folder, mapBytes, () => undefined);
  environments.push(environment);
  const opened = new CachedResponses(environment, { maxBytes: 1_000_000, maxResponseBytes: 500_000 });
  return { responses: opened, leases: new CacheLeases(environment, opened, now) };
}

const response: CachedResponse = {
  requestId: 'r1',
  userId: '',
  status: 200,
  headers: [],
  body: Buffer.from('x'),
  createdAt: 0,
  expiresAt: week,
  latencyMs: 1,
};

const ask = (owner: string, now = 1, asked: CacheKey = key) => leases.acquire(asked, owner, now, week);

function leaseOf(owner: string, now = 1): BucketLease {
  const answer = ask(owner, now);
  if (answer === 'wait' || 'hit' in answer) throw new Error('the turn is not to be had');
  return answer.lease;
}

it('the first one has the turn, others wait until it is done, then all find the reply', () => {
  const lease = leaseOf('a');
  expect(lease).toEqual({ key, bucket: 0, owner: 'a' });
  expect([ask('b'), ask('a')]).toEqual(['wait', 'wait']);
  responses.keep(key, lease.bucket, response, 2);
  expect(ask('b', 3)).toMatchObject({ hit: { requestId: 'r1' }, bucket: 0 });
  leases.release(lease);
  expect(ask('c', 3)).toMatchObject({ hit: { requestId: 'r1' } });
});

it('a turn that came to nothing goes to the next', () => {
  leases.release(leaseOf('a'));
  expect(leaseOf('b').owner).toBe('b');
});

it('keys, and the buckets of one, have leases of their own', () => {
  const three = { ...key, buckets: 3 };
  const answers = ['a', 'b', 'c', 'd'].map((owner) => ask(owner, 1, three));
  expect(answers).toMatchObject([{ lease: { bucket: 0 } }, { lease: { bucket: 1 } }, { lease: { bucket: 2 } }, 'wait']);
  expect(ask('e', 1, { ...key, fingerprint: 'g' })).toHaveProperty('lease');
  expect(ask('f', 1, { ...key, organizationId: 'two' })).toHaveProperty('lease');
});

it('a bucket whose owner is silent is free again, and stays so for its owner', () => {
  const lost = leaseOf('a', 0);
  expect(ask('b', leaseMs - 1)).toBe('wait');
  leases.renew([lost], leaseMs - 1);
  expect(ask('b', 2 * leaseMs - 2)).toBe('wait');
  const taken = leaseOf('b', 2 * leaseMs);
  leases.renew([lost], 2 * leaseMs + 100);
  leases.release(lost);
  expect(ask('c', 2 * leaseMs + 100)).toBe('wait');
  expect(ask('c', 3 * leaseMs)).toHaveProperty('lease');
  leases.release(taken);
});

it('a turn is taken also for one who looked at the clock just before it was given', () => {
  leaseOf('a', 1000);
  expect(ask('b', 990)).toBe('wait');
});

it('a clock that was set back makes no lease longer', () => {
  leaseOf('a', 1_000_000);
  expect(ask('b', 10)).toHaveProperty('lease');
});

it('a clock that was set back makes nobody wait for longer, and who still waits says so by the new time', () => {
  const lease = leaseOf('a', 1_000_000);
  leases.markAwaited(key, 1_000_000);
  expect(leases.isAwaited(lease, 10)).toBe(false);
  leases.markAwaited(key, 10);
  expect([leases.isAwaited(lease, 10), leases.isAwaited(lease, 10 + leaseMs)]).toEqual([true, false]);
});

it('a reply that was kept since one looked is found, and not fetched again', () => {
  const other = openLeases(1);
  // TRICKY: what a process reads stays as it was for one turn of the event loop; only a transaction sees what is there by now.
  expect(other.responses.find(key, 1)).toEqual({ freeBuckets: [0] });
  const lease = leaseOf('a');
  responses.keep(key, lease.bucket, response, 1);
  leases.release(lease);
  expect(other.responses.find(key, 1)).toEqual({ freeBuckets: [0] });
  expect(other.leases.acquire(key, 'b', 1, week)).toMatchObject({ hit: { requestId: 'r1' } });
});

it('its owner can see that somebody waits, for as long as that is said', () => {
  const lease = leaseOf('a');
  expect(leases.isAwaited(lease, 1)).toBe(false);
  leases.markAwaited(key, 1);
  expect(leases.isAwaited(lease, 1)).toBe(true);
  leases.renew([lease], leaseMs);
  expect([leases.isAwaited(lease, leaseMs), leases.isAwaited(lease, leaseMs + 1)]).toEqual([true, false]);
  leases.markAwaited(key, leaseMs + 1);
  expect(leases.isAwaited(lease, leaseMs + 1)).toBe(true);
  leases.release(lease);
  const next = leaseOf('b');
  expect([leases.isAwaited(lease, 1), leases.isAwaited(next, 1)]).toEqual([false, false]);
});

it('a turn that came to nothing is known to have, where somebody waited for it', () => {
  expect(leases.fail(leaseOf('a'), 1)).toBe(false);
  expect(leases.lastFailure(key)).toBeUndefined();
  const [failed, later] = ['b', 'c'].map((owner) => {
    const lease = leaseOf(owner);
    leases.markAwaited(key, 1);
    expect(leases.fail(lease, 1)).toBe(true);
    expect(leases.lastFailure(key)).toBe(owner);
    return lease;
  });
  expect(leases.fail({ key, bucket: 0, owner: 'b' }, 1)).toBe(false);
  if (failed === undefined || later === undefined) throw new Error('two leases failed');
  leases.forgetFailure(failed);
  expect(leases.lastFailure(key)).toBe('c');
  leases.forgetFailure(later);
  expect(leases.lastFailure(key)).toBeUndefined();
});

it('is shared by all workers, and a start clears away what dead ones left', async () => {
  const lease = leaseOf('a', 0);
  const other = openLeases(1);
  expect(other.leases.acquire(key, 'b', 1, week)).toBe('wait');
  other.leases.markAwaited(key, 1);
  expect(leases.isAwaited(lease, 1)).toBe(true);
  openLeases(leaseMs);
  // What another one wrote is seen from the next turn of the event loop on.
  await expect.poll(() => leases.isAwaited(lease, 1)).toBe(false);
});
