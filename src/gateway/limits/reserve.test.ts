import { errorHeaders } from '../http/error-response.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { messageOf } from '../../model/errors.ts';
import { parseLimitPolicy } from '../../model/limit-policy.ts';
import { type Money, moneyOfUnits } from '../../model/pricing/money.ts';
import type { Observation } from '../../model/observation.ts';
import { type LmdbEnvironment, openEnvironment } from '../../state/lmdb.ts';
import { FixedWindows } from '../../state/fixed-windows.ts';
import { type RateLimitDecision, type LimitedCall, RateLimitExceeded, type LimitWindows, reserve } from './reserve.ts';

let folder: string;
let environment: LmdbEnvironment;
let windows: FixedWindows;
let calls = 0;
const observed: Observation[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-limits-'));
  environment = openEnvironment(folder, 16 * 1024 * 1024, () => undefined);
  windows = new FixedWindows(environment, 16 * 1024 * 1024);
});

afterEach(async () => {
  await environment.close();
  rmSync(folder, { recursive: true });
});

const cent = 10n ** 10n;
const cents = (count: bigint): Money => moneyOfUnits(count * cent);

function callOf(given: Partial<LimitedCall> = {}): LimitedCall {
  calls += 1;
  const requestId = `call-${calls}`;
  return { organizationId: 'one', requestId, userId: () => '', property: () => undefined, estimate: () => cents(1n), ...given };
}

const upTo = (count: bigint): LimitedCall => callOf({ estimate: () => cents(count) });

const ask = (policies: string[], call: LimitedCall = callOf(), now = 0, given: LimitWindows = windows): RateLimitDecision =>
  reserve(
    { windows: given, observe: (observation) => observed.push(observation) },
    policies.map((text) => parseLimitPolicy(text)),
    call,
    now,
  );

/** Settles the latest call. */
const settle = (amount: Money): void => windows.settle([{ reservation: ['one', `call-${calls}`], amount }]);

function refusalOf(policies: string[], call?: LimitedCall, now?: number): RateLimitExceeded {
  try {
    ask(policies, call, now);
  } catch (error) {
    if (error instanceof RateLimitExceeded) return error;
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
    expect(refusal.lines.join(' ')).toContain('svc-ratelimit-limit 2 svc-ratelimit-remaining 0 svc-ratelimit-reset 1 ');
    expect([refusal.retryAfterSeconds, refusal.usedUp]).toEqual([1, { limit: 2, remaining: 0, resetSeconds: 1, windowSeconds: 60 }]);
    expect(ask(['2;w=60'], callOf(), 60_000).lines).toContain('1');
  });

  it('of one value of a segment holds for calls with it alone, and says so', () => {
    const ofSearch = { ...parseLimitPolicy('1;w=60;s=Team'), value: 'search' };
    const askFor = (team: string | undefined): readonly string[] =>
      reserve({ windows, observe: () => undefined }, [ofSearch], callOf({ property: () => team }), 0).lines;
    expect(askFor('search')).toContain('svc-ratelimit-remaining');
    expect(() => askFor('search')).toThrow('of the limit "1;w=60;s=Team" for "search" is used up');
    expect([askFor('checkout'), askFor('Search'), askFor(undefined)]).toEqual([[], [], []]);
  });

  it('of a segment counts each value for itself, and does not hold for a call without one', () => {
    const policy = ['1;w=60;s=user'];
    ask(policy, callOf({ userId: () => 'ann' }));
    ask(policy, callOf({ userId: () => 'bob' }));
    expect(refusalOf(policy, callOf({ userId: () => 'ann' })).status).toBe(429);
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

const at = (text: string): number => Date.parse(text);

describe('a limit by the calendar', () => {
  const berlin = ['1;calendar=day;tz=Europe/Berlin'];

  it('lets its quota through in each day of the zone, and says when that ends', () => {
    const noon = at('2026-10-25T12:00:00+01:00');
    expect(ask(berlin, callOf(), noon).lines).toEqual(
      expect.arrayContaining(['svc-ratelimit-reset', String(12 * 3600), 'svc-ratelimit-policy', berlin[0]]),
    );
    const refusal = refusalOf(berlin, callOf(), noon);
    expect(refusal.message).toBe(
      'The quota of calls of the limit "1;calendar=day;tz=Europe/Berlin" is used up. Try again in 43200 s, at 2026-10-25T23:00:00.000Z, when the day ends in Europe/Berlin.',
    );
    // The clocks are set back on that day.
    expect([refusal.retryAfterSeconds, refusal.usedUp]).toEqual([
      43_200,
      { limit: 1, remaining: 0, resetSeconds: 43_200, windowSeconds: 25 * 3600 },
    ]);
    expect(refusalOf(berlin, callOf(), at('2026-10-25T23:59:59+01:00')).status).toBe(429);
    ask(berlin, callOf(), at('2026-10-26T00:00:00+01:00'));
  });

  it('counts weeks from Monday and months, in UTC where no zone is named', () => {
    const policies = ['1;calendar=week', '2;calendar=month'];
    ask(policies, callOf(), at('2026-11-29T23:59:59Z'));
    expect(refusalOf(policies, callOf(), at('2026-11-29T23:59:59Z')).message).toContain(
      'at 2026-11-30T00:00:00.000Z, when the week ends in UTC',
    );
    ask(policies, callOf(), at('2026-11-30T00:00:00Z'));
    expect(refusalOf(policies, callOf(), at('2026-11-30T12:00:00Z')).message).toContain('"1;calendar=week"');
    ask(policies, callOf(), at('2026-12-07T00:00:00Z'));
  });

  it('has a count of its own beside other windows, which spellings of its zone share', () => {
    const now = at('2026-11-28T12:00:00Z');
    ask(['1;w=86400'], callOf(), now);
    ask(berlin, callOf(), now);
    for (const other of ['1;calendar=day', '1;calendar=week;tz=Europe/Berlin', '1;w=60']) ask([other], callOf(), now);
    expect(refusalOf(['1;tz=europe/berlin;calendar=day'], callOf(), now).status).toBe(429);
  });

  it('of money is settled in the window in which the call began', () => {
    const month = ['100;calendar=month;tz=America/New_York;u=cents'];
    ask(month, upTo(80n), at('2026-11-30T23:59:59-05:00'));
    ask(month, callOf({ requestId: 'next month', estimate: () => cents(30n) }), at('2026-12-01T00:00:00-05:00'));
    windows.settle([{ reservation: ['one', `call-${calls - 1}`], amount: cents(1n) }]);
    expect(ask(month, upTo(70n), at('2026-12-01T00:00:01-05:00')).lines).toContain('0');
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

const budget = ['100;w=60;u=cents'];

const askOf = (keyId: string): RateLimitDecision =>
  reserve({ windows, observe: () => undefined }, [{ ...parseLimitPolicy('1;w=60'), keyId }], callOf(), 0);

describe('a limit of one key', () => {
  it('counts the calls of that key alone', () => {
    askOf('first');
    askOf('second');
    ask(['1;w=60']);
    expect(() => askOf('first')).toThrow(RateLimitExceeded);
  });
});

describe('a budget', () => {
  it('sets the estimate aside and gives back what the call did not cost', () => {
    const held = ask(budget, upTo(80n));
    expect([held.reserved, held.lines.join(' ')]).toEqual([true, expect.stringContaining('svc-ratelimit-remaining 20 ')]);
    settle(cents(10n));
    expect(ask(budget, upTo(80n)).lines).toContain('10');
  });

  it('says what a refused call may cost, and when none such will ever go through', () => {
    ask(budget, upTo(80n));
    expect(refusalOf(budget, upTo(80n)).message).toBe(
      'What is left of the budget of the limit "100;w=60;u=cents" does not cover this call. This call may cost up to 80 cents; give it a smaller max_tokens. Try again in 60 s.',
    );
    expect(refusalOf(budget, upTo(101n)).message).toContain('is smaller than one such call');
  });

  it('that a call alone exceeds invites no retry, also where another limit is used up too', () => {
    const hopeless = refusalOf(budget, upTo(101n));
    expect(errorHeaders(hopeless, 0).join(' ')).toContain('x-should-retry false');
    expect(errorHeaders(hopeless, 0)).not.toContain('retry-after');
    ask(['1;w=60']);
    const both = refusalOf(['1;w=60', ...budget], upTo(101n));
    expect([both.retryAfterSeconds, both.message]).toEqual([undefined, expect.stringContaining('is smaller than one such call')]);
    const used = refusalOf(['1;w=60', ...budget], upTo(99n));
    expect(errorHeaders(used, 0)).toContain('retry-after');
    expect(errorHeaders(used, 0)).not.toContain('x-should-retry');
  });

  it('is spent for exactly its quota by calls whose estimate is their cost, however many come', () => {
    let through = 0;
    for (let index = 0; index < 500; index += 1) {
      try {
        ask(['100;w=3600;u=cents']);
        settle(cents(1n));
        through += 1;
      } catch (error) {
        if (!(error instanceof RateLimitExceeded)) throw error;
      }
    }
    expect(through).toBe(100);
  });

  it('never grants more than it has while estimates are above costs, and goes on as they are settled', () => {
    let through = 0;
    let spent = 0n;
    for (let index = 0; index < 500; index += 1) {
      try {
        ask(['100;w=3600;u=cents'], upTo(7n));
        settle(cents(3n));
        through += 1;
        spent += cents(3n);
      } catch (error) {
        if (!(error instanceof RateLimitExceeded)) throw error;
      }
    }
    expect([through, spent <= cents(100n)]).toEqual([32, true]);
  });

  it('beside a limit of calls settles its own amount only', () => {
    ask(['10;w=60', '100;w=60;u=cents'], upTo(50n));
    settle(cents(1n));
    expect(ask(['10;w=60'], callOf()).lines).toContain('8');
    expect(ask(budget, upTo(99n)).lines).toContain('0');
  });

  it('does not look at the cost of a call for which it does not hold', () => {
    let asked = false;
    const estimate = (): Money => {
      asked = true;
      return cents(1n);
    };
    expect([ask(['100;w=60;u=cents;s=user'], callOf({ estimate })).reserved, asked]).toEqual([false, false]);
  });
});

describe('while the shared windows fail', () => {
  const failing: LimitWindows = {
    claim: () => {
      throw new Error('the map is full');
    },
  };

  it('limits of calls let pass', () => {
    expect(ask(['1;w=60'], callOf(), 0, failing)).toEqual({ reserved: false, lines: [] });
    expect(observed.at(-1)).toEqual({ kind: 'limits_failed', reason: 'the map is full' });
  });

  it('budgets refuse with 503', () => {
    let refused: unknown;
    try {
      ask(['1;w=60', '1;w=60;u=cents'], callOf(), 0, failing);
    } catch (error) {
      refused = error;
    }
    expect(refused).toMatchObject({ code: 'limits_unavailable', status: 503 });
    expect(messageOf(refused)).toContain('The budget of the limit "1;w=60;u=cents" cannot be checked at the moment');
  });
});

it('of an organisation that fills the windows a call that needs one more is refused, which says so; others are counted', () => {
  windows = new FixedWindows(environment, 128 * 1024, 75);
  let refusal: unknown;
  for (let user = 0; user < 5000 && refusal === undefined; user += 1) {
    try {
      ask(['10;w=31536000;s=user'], callOf({ userId: () => `user ${user}` }));
    } catch (error) {
      refusal = error;
    }
  }
  expect(refusal).toMatchObject({
    code: 'rate_limited',
    status: 429,
    retryAfterSeconds: 60,
    message: expect.stringContaining('(GATELOG_ORGANIZATION_SHARE_PERCENT: 75 of what others leave of GATELOG_STATE_MAX_BYTES)') as string,
  });
  expect(ask(['10;w=31536000;s=user'], callOf({ userId: () => 'user 0' })).lines).toContain('8');
  expect(ask(['10;w=31536000;u=cents'], callOf({ organizationId: 'two' })).reserved).toBe(true);
});
