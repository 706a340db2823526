import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CachedResponses, type CachedResponse, type CacheKey } from './cached-responses.ts';
import { CacheLeases, type BucketLease, leaseMs } from './cache-leases.ts';
import { type LmdbEnvironment, openEnvironment } from './lmdb.ts';

const week = 7 * 24 * 60 * 60 * 1000;
const mapBytes = 16 * 1024 * 1024;
const key: CacheKey = { organizationId: 'one', fingerprint: 'f', places: 1 };
let folder: string;
let environments: LmdbEnvironment[] = [];
let responses: CachedResponses;
let turns: CacheLeases;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-turns-'));
  ({ responses, turns } = openTurns());
});

afterEach(async () => {
  for (const environment of environments) await environment.close();
  environments = [];
  rmSync(folder, { recursive: true });
});

/** As a worker opens them, at a time. */
function openTurns(now = 0): { readonly responses: CachedResponses; readonly turns: CacheLeases } {
  const environment = openEnvironment(folder, mapBytes, () => undefined);
  environments.push(environment);
  const opened = new CachedResponses(environment, { maxBytes: 1_000_000, maxResponseBytes: 500_000 });
  return { responses: opened, turns: new CacheLeases(environment, opened, now) };
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

const ask = (owner: string, now = 1, asked: CacheKey = key) => turns.ask(asked, owner, now, week);

function heldBy(owner: string, now = 1): BucketLease {
  const answer = ask(owner, now);
  if (answer === 'wait' || 'hit' in answer) throw new Error('the turn is not to be had');
  return answer.held;
}

it('the first one has the turn, others wait until it is done, then all find the reply', () => {
  const held = heldBy('a');
  expect(held).toEqual({ key, place: 0, owner: 'a' });
  expect([ask('b'), ask('a')]).toEqual(['wait', 'wait']);
  responses.keep(key, held.place, response, 2);
  expect(ask('b', 3)).toMatchObject({ hit: { requestId: 'r1' }, place: 0 });
  turns.release(held);
  expect(ask('c', 3)).toMatchObject({ hit: { requestId: 'r1' } });
});

it('a turn that came to nothing goes to the next', () => {
  turns.release(heldBy('a'));
  expect(heldBy('b').owner).toBe('b');
});

it('keys, and the places of one, have turns of their own', () => {
  const three = { ...key, places: 3 };
  const answers = ['a', 'b', 'c', 'd'].map((owner) => ask(owner, 1, three));
  expect(answers).toMatchObject([{ held: { place: 0 } }, { held: { place: 1 } }, { held: { place: 2 } }, 'wait']);
  expect(ask('e', 1, { ...key, fingerprint: 'g' })).toHaveProperty('held');
  expect(ask('f', 1, { ...key, organizationId: 'two' })).toHaveProperty('held');
});

it('a place whose owner is silent is free again, and stays so for its owner', () => {
  const lost = heldBy('a', 0);
  expect(ask('b', leaseMs - 1)).toBe('wait');
  turns.renew([lost], leaseMs - 1);
  expect(ask('b', 2 * leaseMs - 2)).toBe('wait');
  const taken = heldBy('b', 2 * leaseMs);
  turns.renew([lost], 2 * leaseMs + 100);
  turns.release(lost);
  expect(ask('c', 2 * leaseMs + 100)).toBe('wait');
  expect(ask('c', 3 * leaseMs)).toHaveProperty('held');
  turns.release(taken);
});

it('a turn is taken also for one who looked at the clock just before it was given', () => {
  heldBy('a', 1000);
  expect(ask('b', 990)).toBe('wait');
});

it('a clock that was set back makes no lease longer', () => {
  heldBy('a', 1_000_000);
  expect(ask('b', 10)).toHaveProperty('held');
});

it('a clock that was set back makes nobody wait for longer, and who still waits says so by the new time', () => {
  const held = heldBy('a', 1_000_000);
  turns.await(key, 1_000_000);
  expect(turns.isAwaited(held, 10)).toBe(false);
  turns.await(key, 10);
  expect([turns.isAwaited(held, 10), turns.isAwaited(held, 10 + leaseMs)]).toEqual([true, false]);
});

it('a reply that was kept since one looked is found, and not fetched again', () => {
  const other = openTurns(1);
  // TRICKY: what a process reads stays as it was for one turn of the event loop; only a transaction sees what is there by now.
  expect(other.responses.find(key, 1)).toEqual({ freePlaces: [0] });
  const held = heldBy('a');
  responses.keep(key, held.place, response, 1);
  turns.release(held);
  expect(other.responses.find(key, 1)).toEqual({ freePlaces: [0] });
  expect(other.turns.ask(key, 'b', 1, week)).toMatchObject({ hit: { requestId: 'r1' } });
});

it('its owner can see that somebody waits, for as long as that is said', () => {
  const held = heldBy('a');
  expect(turns.isAwaited(held, 1)).toBe(false);
  turns.await(key, 1);
  expect(turns.isAwaited(held, 1)).toBe(true);
  turns.renew([held], leaseMs);
  expect([turns.isAwaited(held, leaseMs), turns.isAwaited(held, leaseMs + 1)]).toEqual([true, false]);
  turns.await(key, leaseMs + 1);
  expect(turns.isAwaited(held, leaseMs + 1)).toBe(true);
  turns.release(held);
  const next = heldBy('b');
  expect([turns.isAwaited(held, 1), turns.isAwaited(next, 1)]).toEqual([false, false]);
});

it('a turn that came to nothing is known to have, where somebody waited for it', () => {
  expect(turns.fail(heldBy('a'), 1)).toBe(false);
  expect(turns.lastFailure(key)).toBeUndefined();
  const [failed, later] = ['b', 'c'].map((owner) => {
    const held = heldBy(owner);
    turns.await(key, 1);
    expect(turns.fail(held, 1)).toBe(true);
    expect(turns.lastFailure(key)).toBe(owner);
    return held;
  });
  expect(turns.fail({ key, place: 0, owner: 'b' }, 1)).toBe(false);
  if (failed === undefined || later === undefined) throw new Error('two turns failed');
  turns.forgetFailure(failed);
  expect(turns.lastFailure(key)).toBe('c');
  turns.forgetFailure(later);
  expect(turns.lastFailure(key)).toBeUndefined();
});

it('is shared by all workers, and a start clears away what dead ones left', async () => {
  const held = heldBy('a', 0);
  const other = openTurns(1);
  expect(other.turns.ask(key, 'b', 1, week)).toBe('wait');
  other.turns.await(key, 1);
  expect(turns.isAwaited(held, 1)).toBe(true);
  openTurns(leaseMs);
  // What another one wrote is seen from the next turn of the event loop on.
  await expect.poll(() => turns.isAwaited(held, 1)).toBe(false);
});
