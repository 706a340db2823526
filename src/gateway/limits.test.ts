import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Money, moneyOfUnits } from '../model/money.ts';
import { type Environment, openEnvironment } from '../state/environment.ts';
import { Windows } from '../state/windows.ts';
import { type LimitedCall, LimitReached, reserve, type Reservation, settleCost } from './limits.ts';
import { parseLimitPolicy } from './limit-policy.ts';

let folder: string;
let environment: Environment;
let windows: Windows;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-limits-'));
  environment = openEnvironment(folder, 16 * 1024 * 1024, () => undefined);
  windows = new Windows(environment);
});

afterEach(async () => {
  await environment.close();
  rmSync(folder, { recursive: true });
});

const cent = 10n ** 10n;
const cents = (count: bigint): Money => moneyOfUnits(count * cent);

function callOf(given: Partial<LimitedCall> = {}): LimitedCall {
  return { organizationId: 'one', userId: '', property: () => undefined, estimate: () => cents(1n), ...given };
}

const ask = (policies: string[], call: LimitedCall = callOf(), now = 0): Reservation =>
  reserve(
    windows,
    policies.map((text) => parseLimitPolicy(text)),
    call,
    now,
  );

function refusalOf(policies: string[], call?: LimitedCall, now?: number): LimitReached {
  try {
    ask(policies, call, now);
  } catch (error) {
    if (error instanceof LimitReached) return error;
  }
  throw new Error('The call was let through.');
}

describe('a limit of calls', () => {
  it('lets its quota through, says what is left, then refuses with 429 until the window has ended', () => {
    expect(ask(['2;w=60']).lines).toEqual(
      ['svc-ratelimit-limit', '2', 'svc-ratelimit-remaining', '1', 'svc-ratelimit-reset', '60'].concat(['svc-ratelimit-policy', '2;w=60']),
    );
    expect(ask(['2;w=60'], callOf(), 30_500).lines).toEqual(
      expect.arrayContaining(['svc-ratelimit-remaining', '0', 'svc-ratelimit-reset', '30']),
    );
    const refusal = refusalOf(['2;w=60'], callOf(), 59_999);
    expect(refusal.status).toBe(429);
    expect(refusal.message).toBe('The quota of calls of the limit "2;w=60" is used up. Try again in 1 s.');
    expect(refusal.lines).toEqual(expect.arrayContaining(['svc-ratelimit-remaining', '0', 'svc-ratelimit-reset', '1']));
    expect(ask(['2;w=60'], callOf(), 60_000).lines).toContain('1');
  });

  it('of a segment counts each value for itself, and does not hold for a call without one', () => {
    const policy = ['1;w=60;s=user'];
    ask(policy, callOf({ userId: 'ann' }));
    ask(policy, callOf({ userId: 'bob' }));
    expect(refusalOf(policy, callOf({ userId: 'ann' })).status).toBe(429);
    expect(ask(policy, callOf()).lines).toEqual([]);
    const byTeam = ['1;w=60;s=Team'];
    const ofTeam = callOf({ property: (name) => (name === 'Team' ? 'search' : undefined) });
    ask(byTeam, ofTeam);
    expect(refusalOf(byTeam, ofTeam).status).toBe(429);
  });

  it('of one organisation is not that of another', () => {
    ask(['1;w=60']);
    ask(['1;w=60'], callOf({ organizationId: 'two' }));
    expect(refusalOf(['1;w=60']).status).toBe(429);
  });
});

describe('two limits at once', () => {
  it('both hold; the stricter refuses and the other loses nothing', () => {
    ask(['5;w=60', '1;w=30']);
    expect(refusalOf(['5;w=60', '1;w=30']).message).toContain('"1;w=30"');
    for (let left = 4; left > 0; left -= 1) ask(['5;w=60']);
    expect(refusalOf(['5;w=60']).message).toContain('"5;w=60"');
  });

  it('the reply tells of the one of which the smaller share is left', () => {
    expect(ask(['100;w=60', '2;w=30']).lines).toContain('2;w=30');
  });
});

describe('a budget', () => {
  it('sets the estimate aside and gives back what the call did not cost', () => {
    const held = ask(['100;w=60;u=cents'], callOf({ estimate: () => cents(80n) }));
    expect(held.lines).toEqual(expect.arrayContaining(['svc-ratelimit-remaining', '20']));
    expect(refusalOf(['100;w=60;u=cents'], callOf({ estimate: () => cents(80n) })).message).toContain('The budget');
    settleCost(windows, held, cents(10n));
    expect(ask(['100;w=60;u=cents'], callOf({ estimate: () => cents(80n) })).lines).toContain('10');
  });

  it('is spent for exactly its quota by calls whose estimate is their cost, however many come', () => {
    let through = 0;
    for (let index = 0; index < 500; index += 1) {
      try {
        settleCost(windows, ask(['100;w=3600;u=cents']), cents(1n));
        through += 1;
      } catch (error) {
        if (!(error instanceof LimitReached)) throw error;
      }
    }
    expect(through).toBe(100);
  });

  it('beside a limit of calls settles its own amount only', () => {
    const held = ask(['10;w=60', '100;w=60;u=cents'], callOf({ estimate: () => cents(50n) }));
    expect(held.taken).toHaveLength(1);
    settleCost(windows, held, cents(1n));
    expect(ask(['10;w=60'], callOf()).lines).toContain('8');
  });
});
