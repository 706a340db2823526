import { assert, asyncProperty, boolean, constantFrom, integer, record } from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { byLength, testSeed } from '../../../test/support/test-length.ts';
import {
  type LimitSimulationItem,
  limitSimulationAnswerSchema,
  type PriceSimulationItem,
  priceSimulationAnswerSchema,
} from '../../contract/simulations.ts';
import { newId } from '../../ingest/testing/ingest-harness.ts';
import { moneyOfUnits, usdOf } from '../../model/pricing/money.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import { numbersOf } from '../../query/filter/testing/conversations.ts';
import { type ApiRig, checked, keyOf, openApiRig } from '../testing/api-harness.ts';

const path = '/v1/simulations/price';
const noon = Date.parse('2026-01-15T12:00:00Z');
const hourMs = 3_600_000;
const usd = (amount: number) => moneyOfUnits(BigInt(amount) * 10n ** 12n);

/** US dollars per million; the second one bills a written cache as input. */
const houseA = { model: 'house-a', input: 2, output: 8, cache_read: 1, cache_write: 3 };
const houseB = { model: 'house-b', input: 1, output: 5, cache_read: 0.25 };

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
  await rig.call('PUT', '/v1/prices', { key: keyOf('admin'), body: [houseA, houseB] });
});
afterAll(() => rig.close());

const ofJob = (job: string) => ({ request_response_rmt: { job_id: { equals: job } } });
const simulate = (body: unknown): Promise<Response> => rig.call('POST', path, { body });

async function simulated(body: unknown): Promise<PriceSimulationItem> {
  return (await checked(await simulate(body), 200, priceSimulationAnswerSchema)).data;
}

async function stored(job: string, records: readonly Partial<RequestRecord>[]): Promise<void> {
  const base = { jobId: job, provider: 'OPENAI', costSource: 'price-book' } as const;
  await rig.insert(
    records.map((given, index) => ({
      requestId: newId(given.createdAt ?? noon + index),
      createdAt: noon + index,
      ...base,
      ...named('house-a'),
      ...given,
    })),
  );
}

function ofTeam(team: string) {
  return { properties: new Map([['Team', team]]) };
}

function named(model: string) {
  return { requestModel: model, responseModel: model, model };
}

const million = { ...unreportedUsage, promptTokens: 1_000_000, completionTokens: 1_000_000, promptCacheReadTokens: 500_000 };

describe('POST /v1/simulations/price', () => {
  it('tells by day and by model what requests cost, and what another model would have', async () => {
    await stored('another model', [
      { usage: million, cost: usd(9) },
      { usage: million, cost: usd(9), createdAt: noon + 24 * hourMs },
      { usage: million, cost: usd(4), ...named('house-b') },
    ]);
    const other = { requests: 1, cost: 4, simulated_cost: 5.625 };
    expect(await simulated({ filter: ofJob('another model'), model: 'house-b' })).toEqual({
      model: 'house-b',
      provider: 'OPENAI',
      matched: 3,
      requests: 3,
      cost: 22,
      simulated_cost: 16.875,
      estimated: 2,
      unchanged: 0,
      left_out: { without_cost: 0, without_price: 0, cost: 0 },
      by_day: [
        { day: '2026-01-15', requests: 2, cost: 13, simulated_cost: 11.25 },
        { day: '2026-01-16', requests: 1, cost: 9, simulated_cost: 5.625 },
      ],
      by_model: [
        { model: 'house-a', requests: 2, cost: 18, simulated_cost: 11.25 },
        { model: 'house-b', ...other },
      ],
    });
  });

  it("tells what the provider's cache has saved", async () => {
    await stored('without the cache', [{ usage: million, cost: usd(9) }]);
    const report = await simulated({ filter: ofJob('without the cache'), cache: false });
    expect(report).toMatchObject({ model: null, requests: 1, cost: 9, simulated_cost: 10, estimated: 0 });
  });

  it('has the price of another tier, at the time of each request', async () => {
    const usage = { ...unreportedUsage, promptTokens: 1_000_000, completionTokens: 0 };
    await stored('batch', [{ usage, cost: usd(2), ...named('gpt-4.1') }]);
    expect(await simulated({ filter: ofJob('batch'), tier: 'batch' })).toMatchObject({ cost: 2, simulated_cost: 1, estimated: 0 });
    expect(await simulated({ filter: ofJob('batch'), tier: 'default' })).toMatchObject({ cost: 2, simulated_cost: 2 });
    expect(await simulated({ filter: ofJob('batch'), tier: 'platinum' })).toMatchObject({
      requests: 0,
      left_out: { without_price: 1, cost: 2 },
    });
  });

  it('leaves out what cannot be compared, and says how much', async () => {
    await stored('left out', [
      { usage: million, cost: null, costSource: 'none' },
      { usage: unreportedUsage, cost: usd(3), costSource: 'header' },
      { usage: million, cost: usd(0), cached: true },
      { usage: { ...million, estimated: true }, cost: usd(9) },
    ]);
    expect(await simulated({ filter: ofJob('left out'), model: 'house-a' })).toMatchObject({
      matched: 4,
      requests: 2,
      cost: 9,
      simulated_cost: 9.5,
      estimated: 1,
      unchanged: 1,
      left_out: { without_cost: 1, without_price: 1, cost: 3 },
    });
    // Where the model stays, a stated cost stays too.
    expect(await simulated({ filter: ofJob('left out'), cache: false })).toMatchObject({
      requests: 3,
      unchanged: 2,
      cost: 12,
      simulated_cost: 13,
    });
  });

  it.each([
    [{ filter: 'all' }, '`model`, `tier`, or `cache`: false'],
    [{ model: 'house-a' }, '`filter` is required'],
    [{ filter: 'all', tier: 'batch', provider: 'openai' }, 'name that too'],
    [{ filter: 'all', model: 'gpt-4.1-minni' }, 'most similar name is \\"gpt-4.1-mini\\"'],
    [{ filter: 'all', model: 'house-a', provider: 'nobody' }, 'There is no provider called'],
    [{ filter: 'all', model: '' }, '`model` takes the name of a model'],
  ])('%j is refused with a remedy', async (body, sentence) => {
    const answer = await simulate(body);
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain(sentence);
  });

  it('counts nothing of another organisation', async () => {
    const body = { filter: { request_response_rmt: { request_id: { equals: rig.foreign } } }, model: 'house-a' };
    expect(await simulated(body)).toMatchObject({ matched: 0, requests: 0 });
  });
});

async function limited(job: string, policy: string): Promise<LimitSimulationItem> {
  const answer = await rig.call('POST', '/v1/simulations/limit', { body: { filter: ofJob(job), policy } });
  return (await checked(answer, 200, limitSimulationAnswerSchema)).data;
}

describe('POST /v1/simulations/limit', () => {
  const spent = { usage: million, cost: usd(4) };
  const at = (hours: number, given: Partial<RequestRecord> = {}) => ({ ...spent, createdAt: noon + hours * hourMs, ...given });

  it('tells which requests a budget would have refused, and what they cost', async () => {
    await stored('a budget', [at(0), at(1), at(2), at(3), at(25)]);
    expect(await limited('a budget', '1000;w=86400;u=cents')).toEqual({
      policy: '1000;w=86400;u=cents',
      requests: 5,
      refused: 2,
      cost: 20,
      refused_cost: 8,
      outside: 0,
      without_cost: 0,
      first_refused_at: '2026-01-15T14:00:00.000Z',
      by_day: [
        { day: '2026-01-15', requests: 4, refused: 2, cost: 16, refused_cost: 8 },
        { day: '2026-01-16', requests: 1, refused: 0, cost: 4, refused_cost: 0 },
      ],
      segments: [],
    });
  });

  it('counts in the days of a time zone, and for each value of a property apart', async () => {
    await stored('teams', [at(0, ofTeam('a')), at(1, ofTeam('a')), at(11, ofTeam('a')), at(2, ofTeam('b')), at(3), at(4, ofTeam(''))]);
    // Noon UTC is 13:00 in Berlin, where the next day begins eleven hours later.
    expect(await limited('teams', '1;calendar=day;tz=Europe/Berlin;s=team')).toMatchObject({
      requests: 4,
      refused: 1,
      outside: 2,
      segments: [{ value: 'a', requests: 3, refused: 1, cost: 12, refused_cost: 4 }],
    });
  });

  it('counts nothing of a request whose cost is not known, and says so', async () => {
    await stored('unknown', [at(0, { cost: null, costSource: 'none' }), at(1)]);
    expect(await limited('unknown', '400;w=86400;u=cents')).toMatchObject({
      requests: 2,
      refused: 0,
      without_cost: 1,
      first_refused_at: null,
    });
  });

  it('refuses a policy that is none, with a remedy', async () => {
    const answer = await rig.call('POST', '/v1/simulations/limit', { body: { filter: 'all', policy: 'much' } });
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain('Write \\"<quota>;w=<seconds>\\"');
  });
});

function filterOf(user: number | undefined) {
  const ofUser = { request_response_rmt: { user_id: { equals: `user-${user}` } } };
  return user === undefined ? ofJob('seeded') : { left: ofJob('seeded'), operator: 'and', right: ofUser };
}

const seed = testSeed();
const cases = byLength(60, 300);

describe(`with seed ${seed}`, () => {
  const draw = numbersOf(seed);
  const models = ['house-a', 'house-b', 'not-listed'] as const;
  const records = Array.from({ length: 240 }, (_, index) => {
    const promptTokens = draw(2_000_000);
    const promptCacheReadTokens = draw(3) === 0 ? null : draw(promptTokens + 1);
    const promptCacheWriteTokens = draw(3) === 0 ? null : draw(promptTokens - (promptCacheReadTokens ?? 0) + 1);
    const usage = { ...unreportedUsage, promptTokens, completionTokens: draw(100_000), promptCacheReadTokens, promptCacheWriteTokens };
    const cached = draw(12) === 0;
    const cost = cached ? usd(0) : draw(8) === 0 ? null : moneyOfUnits(BigInt(draw(2 ** 31)) * 1_000_000n);
    const costSource: RequestRecord['costSource'] = cost === null ? 'none' : 'price-book';
    const createdAt = noon + index * hourMs + draw(hourMs);
    return { ...named(models[draw(3)] ?? 'house-a'), userId: `user-${draw(4)}`, createdAt, usage, cached, cost, costSource };
  });
  beforeAll(() => stored('seeded', records));

  const anyUser = constantFrom(undefined, 0, 1, 2, 3);
  const foundOf = (user: number | undefined) => records.filter(({ userId }) => user === undefined || userId === `user-${user}`);

  test('costs equal a recomputation from the records', { timeout: 240_000 }, async () => {
    const wanted = record({ model: constantFrom(undefined, 'house-a', 'house-b'), cache: boolean(), user: anyUser });
    await assert(
      asyncProperty(wanted, async ({ model, cache, user }) => {
        if (model === undefined && cache) return;
        const body = { filter: filterOf(user), ...(model === undefined ? {} : { model }), cache };
        expect(await simulated(body)).toMatchObject(recomputed(foundOf(user), model, cache));
      }),
      { numRuns: cases, seed },
    );
  });

  test('refused requests equal a recomputation from the records', { timeout: 240_000 }, async () => {
    const wanted = record({
      quota: integer({ min: 1, max: 3000 }),
      hours: integer({ min: 1, max: 90 }),
      user: anyUser,
      ofEach: boolean(),
      cents: boolean(),
    });
    await assert(
      asyncProperty(wanted, async ({ quota, hours, user, ofEach, cents }) => {
        const amount = cents ? quota / 100 : quota / 100 + 1;
        const policy = `${amount.toFixed(2)};w=${hours * 3600}${cents ? ';u=cents' : ''}${ofEach ? ';s=user' : ''}`;
        const { data } = await checked(
          await rig.call('POST', '/v1/simulations/limit', { body: { filter: filterOf(user), policy } }),
          200,
          limitSimulationAnswerSchema,
        );
        expect(data.refused).toBe(refusedOf(foundOf(user), { amount, hours, ofEach, cents }));
      }),
      { numRuns: cases, seed },
    );
  });
});

interface Policy {
  readonly amount: number;
  readonly hours: number;
  readonly ofEach: boolean;
  readonly cents: boolean;
}

function refusedOf(records: readonly Pick<RequestRecord, 'createdAt' | 'cost' | 'userId'>[], policy: Policy): number {
  const windows: Record<string, { ends: number; used: bigint }> = {};
  const quota = BigInt(Math.round(policy.amount * 100)) * (policy.cents ? 10n ** 8n : 1n);
  let refused = 0;
  for (const { createdAt, cost, userId } of records) {
    const name = policy.ofEach ? userId : 'all';
    const taken = policy.cents ? (cost ?? 0n) : 100n;
    const present = windows[name];
    const window = present === undefined || createdAt >= present.ends ? { ends: createdAt + policy.hours * hourMs, used: 0n } : present;
    if (window.used + taken > quota) refused += 1;
    else windows[name] = { ...window, used: window.used + taken };
  }
  return refused;
}

type Seeded = Pick<RequestRecord, 'responseModel' | 'usage' | 'cached' | 'cost'>;

function recomputed(records: readonly Seeded[], model: string | undefined, cache: boolean) {
  const sums = { requests: 0, cost: 0n, simulated: 0n, withoutCost: 0, withoutPrice: 0 };
  for (const { responseModel, usage, cached, cost } of records) {
    const rates = [houseA, houseB].find(({ model: name }) => name === (model ?? responseModel));
    if (cost === null) sums.withoutCost += 1;
    else if (rates === undefined && !cached) sums.withoutPrice += 1;
    else {
      sums.requests += 1;
      sums.cost += cost;
      sums.simulated += cached || rates === undefined ? cost : priced(usage, rates, cache);
    }
  }
  const { requests, cost, simulated: other, withoutCost, withoutPrice } = sums;
  return {
    requests,
    cost: usdOf(moneyOfUnits(cost)),
    simulated_cost: usdOf(moneyOfUnits(other)),
    left_out: { without_cost: withoutCost, without_price: withoutPrice },
  };
}

/** In units of 10⁻¹² US dollars: a dollar for a million is a million of them for each. */
function priced(usage: RequestRecord['usage'], rates: typeof houseA | typeof houseB, cache: boolean): bigint {
  const { promptTokens, completionTokens, promptCacheReadTokens, promptCacheWriteTokens } = usage;
  const read = cache ? (promptCacheReadTokens ?? 0) : 0;
  const written = cache && 'cache_write' in rates ? (promptCacheWriteTokens ?? 0) : 0;
  const writeRate = 'cache_write' in rates ? rates.cache_write : 0;
  return (
    units((promptTokens ?? 0) - read - written, rates.input) +
    units(read, rates.cache_read) +
    units(written, writeRate) +
    units(completionTokens ?? 0, rates.output)
  );
}

function units(tokens: number, rate: number): bigint {
  return BigInt(tokens) * BigInt(rate * 1_000_000);
}
