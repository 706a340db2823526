import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorHeaders } from '../../gateway/http/error-response.ts';
import type { EstimatedRequest } from '../../model/record/body-summary.ts';
import { type LimitedCall, type LimitWindows, type RateLimitDecision, RateLimitExceeded, reserve } from '../../gateway/limits/reserve.ts';
import { GatelogError } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { parseLimitPolicy } from '../../model/limit-policy.ts';
import { type Money, moneyOfUnits, parseMoney } from '../../model/pricing/money.ts';
import { listedPrices } from '../testing/prices.ts';
import { FixedWindows } from '../../state/fixed-windows.ts';
import { type LmdbEnvironment, openEnvironment } from '../../state/lmdb.ts';
import { makeCostEstimate } from './estimate-cost.ts';

/** Each promise answers a defect that a gateway with budgets had in 2026. */

let folder: string;
let environment: LmdbEnvironment;
let windows: FixedWindows;
let calls = 0;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-budgets-'));
  environment = openEnvironment(folder, 16 * 1024 * 1024, () => undefined);
  windows = new FixedWindows(environment, 16 * 1024 * 1024);
});

afterEach(async () => {
  await environment.close();
  rmSync(folder, { recursive: true });
});

const organizationId = '01890000-0000-7000-8000-000000000001' as OrganizationId;
const estimate = makeCostEstimate(100, () => listedPrices);
const cent = 10n ** 10n;
const usd = (amount: string): Money => parseMoney(amount) ?? moneyOfUnits(-1n);

function requestOf(body: object, given: Partial<EstimatedRequest> = {}): EstimatedRequest {
  const bytes = Buffer.from(JSON.stringify(body));
  const known = { method: 'POST', found: undefined, modelOverride: undefined, at: Date.parse('2026-09-01T00:00:00Z') };
  return { ...known, provider: 'anthropic', path: '/v1/messages', body: bytes, ...given };
}

interface Asked {
  readonly policy: string;
  readonly cost: Money;
  readonly session?: string;
  readonly windows?: LimitWindows;
}

/** Asks a budget for a call. @returns the decision, with a function that settles the call. */
function ask({ policy, cost, session, windows: given = windows }: Asked): RateLimitDecision & { readonly settle: (amount: Money) => void } {
  calls += 1;
  const requestId = `call-${calls}`;
  const call: LimitedCall = { organizationId, requestId, userId: () => '', property: () => session, estimate: () => cost };
  const decision = reserve({ windows: given, observe: () => undefined }, [parseLimitPolicy(policy)], call, 0);
  return { ...decision, settle: (amount) => windows.settle([{ reservation: [organizationId, requestId], amount }]) };
}

function refusalOf(asked: Asked): GatelogError | undefined {
  try {
    ask(asked);
    return undefined;
  } catch (error) {
    if (error instanceof GatelogError) return error;
    throw error;
  }
}

describe('1. a budget is reached by what was spent, to the last unit, and not by what calls might have cost', () => {
  const policy = '2500;w=3600;u=cents';

  it('25 dollars are granted as exactly 25 dollars: money is no floating point', () => {
    for (let index = 0; index < 249; index += 1) ask({ policy, cost: usd('0.1') }).settle(usd('0.1'));
    expect(refusalOf({ policy, cost: usd('0.100000000001') })).toBeInstanceOf(RateLimitExceeded);
    expect(ask({ policy, cost: usd('0.1') }).reserved).toBe(true);
    expect(refusalOf({ policy, cost: usd('0.000000000001') })).toBeInstanceOf(RateLimitExceeded);
  });

  it('a coding agent`s large max_tokens is given back after each call', () => {
    const agent = { model: 'claude-sonnet-4-5', max_tokens: 64_000, messages: [{ role: 'user', content: 'Hello' }] };
    const reserved = estimate(organizationId, requestOf(agent));
    expect(reserved).toBeGreaterThan(usd('0.9'));
    for (let index = 0; index < 1000; index += 1) ask({ policy, cost: reserved }).settle(usd('0.0003'));
    expect(ask({ policy, cost: usd('24.7') }).reserved).toBe(true);
  });
});

describe('2. a reservation is at the price of the call: its tier, its step, its model`s own longest answer', () => {
  const short = { model: 'claude-sonnet-4-5', max_tokens: 16, messages: [] };

  it('the step of a long context counts for a long context alone', () => {
    const size = JSON.stringify(short).length;
    expect(estimate(organizationId, requestOf(short))).toBe(usd(((size * 3 + 16 * 15) / 1_000_000).toFixed(12)));
    const gemini = { provider: 'gemini', path: '/v1beta/models/gemini-2.5-pro:generateContent' } as const;
    for (const [characters, inputRate, outputRate] of [
      [100, 1.25, 10],
      [250_000, 2.5, 15],
    ] as const) {
      const call = { contents: [{ parts: [{ text: 'x'.repeat(characters) }] }], generationConfig: { maxOutputTokens: 16 } };
      const bytes = JSON.stringify(call).length;
      expect(estimate(organizationId, requestOf(call, gemini))).toBe(usd(((bytes * inputRate + 16 * outputRate) / 1_000_000).toFixed(12)));
    }
  });

  it('a more expensive tier counts as such, and a tier that the model lacks does not', () => {
    const mini = { model: 'gpt-5-mini', messages: [], max_tokens: 100, service_tier: 'auto' };
    const chat = { provider: 'openai', path: '/v1/chat/completions' } as const;
    const usual = estimate(organizationId, requestOf(mini, chat));
    expect(estimate(organizationId, requestOf({ ...mini, service_tier: 'priority' }, chat))).toBeGreaterThan(usual);
  });

  it('without max_tokens it is the longest answer of the model, not its context window', () => {
    const open = { model: 'gpt-4o', messages: [] };
    const size = JSON.stringify(open).length;
    const reserved = estimate(organizationId, requestOf(open, { provider: 'openai', path: '/v1/chat/completions' }));
    expect(reserved).toBe(usd(((size * 2.5 + 16_384 * 10) / 1_000_000).toFixed(12)));
  });
});

it('3. something is reserved when the cost cannot be estimated', () => {
  const unknown = estimate(organizationId, requestOf({ model: 'nobody-knows', messages: [] }));
  expect(unknown).toBe(usd('1'));
  const policy = '150;w=3600;u=cents';
  expect(ask({ policy, cost: unknown }).reserved).toBe(true);
  expect(refusalOf({ policy, cost: unknown })).toBeInstanceOf(RateLimitExceeded);
});

it('4. a successful call without a known price keeps its reservation', () => {
  const policy = '100;w=3600;u=cents';
  ask({ policy, cost: usd('0.8') });
  // `ingest/interpret/settlement.test.ts` has the calls whose amount is not known.
  windows.settle([{ reservation: [organizationId, `call-${calls}`], amount: undefined }]);
  expect(refusalOf({ policy, cost: usd('0.21') })).toBeInstanceOf(RateLimitExceeded);
  expect(ask({ policy, cost: usd('0.2') }).reserved).toBe(true);
});

it('5. while the store of the reservations is away, budgets refuse', () => {
  const away: LimitWindows = {
    claim: () => {
      throw new Error('the map is gone');
    },
  };
  const refusal = refusalOf({ policy: '100;w=3600;u=cents', cost: usd('0.01'), windows: away });
  expect([refusal?.code, refusal?.status]).toEqual(['limits_unavailable', 503]);
});

it('6. a budget per session does not race: calls at once are granted exactly what it has', () => {
  const policy = '100;w=3600;u=cents;s=session';
  const granted = ['one', 'two'].map(
    (session) =>
      Array.from({ length: 150 }, () => refusalOf({ policy, cost: moneyOfUnits(cent), session })).filter((refusal) => refusal === undefined)
        .length,
  );
  expect(granted).toEqual([100, 100]);
});

it('a refusal that waiting does not fix invites no retry, and says what to change', () => {
  const refusal = refusalOf({ policy: '10;w=3600;u=cents', cost: usd('0.25') });
  const headers = errorHeaders(refusal ?? new GatelogError('internal', ''), 0);
  expect(headers.join(' ')).toContain('x-should-retry false');
  expect(headers).not.toContain('retry-after');
  expect(refusal?.message).toBe(
    'The budget of the limit "10;w=3600;u=cents" is smaller than one such call, so that waiting does not help. This call may cost up to 25 cents; give it a smaller max_tokens or a shorter body, or raise the limit.',
  );
});
