import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { limitUsageAnswerSchema } from '../../contract/settings/limit-usage.ts';
import { rateLimitsAnswerSchema } from '../../contract/settings/rate-limits.ts';
import { moneyOfUsd } from '../../model/pricing/money.ts';
import { type ApiRig, checked, keyOf, openApiRig } from '../testing/api-harness.ts';

const path = '/v1/rate-limits';
const keyId = '01890000-0000-7000-8000-00000000abcd';
let rig: ApiRig;

beforeAll(async () => {
  rig = await openApiRig();
  await rig.addKey(keyId);
});
afterAll(() => rig.close());
beforeEach(async () => {
  await put([]);
});

const put = (body: unknown, key = keyOf('admin')): Promise<Response> => rig.call('PUT', path, { key, body });
const stored = async () => (await checked(await rig.call('GET', path, { key: keyOf('r') }), 200, rateLimitsAnswerSchema)).data;

const usage = async () => (await checked(await rig.call('GET', `${path}/usage`, { key: keyOf('r') }), 200, limitUsageAnswerSchema)).data;

describe('PUT /v1/rate-limits', () => {
  it('replaces the limits, in their order and as they were written', async () => {
    const limits = [
      { policy: '1000;w=3600;u=cents;s=user', key_id: null },
      { policy: ' 10 ; w=60', key_id: keyId },
      { policy: '5000;calendar=month;tz=europe/berlin;u=cents', key_id: null },
      { policy: '2000;calendar=day;u=cents;s=Team', value: 'search', key_id: null },
    ];
    expect((await checked(await put([{ policy: limits[0]?.policy }, ...limits.slice(1)]), 200, rateLimitsAnswerSchema)).data).toEqual(
      limits,
    );
    expect(await stored()).toEqual(limits);
    await checked(await put([{ policy: '1;w=60', key_id: keyId.toUpperCase() }]), 200, rateLimitsAnswerSchema);
    expect(await stored()).toEqual([{ policy: '1;w=60', key_id: keyId }]);
  });

  it.each([
    [{ policy: '1;w=60' }, '$', 'The body is an array'],
    [[{}], '[0].policy', 'A limit is an object'],
    [['1;w=60'], '[0]', 'A limit is an object'],
    [[{ policy: '1;w=60' }, { policy: '1;w=never' }], '[1].policy', '`policy`: w="never" is not a whole number of seconds'],
    [[{ policy: '1;w=60;calendar=day' }], '[0].policy', '`policy`: w= and calendar= exclude each other'],
    [[{ policy: '1;calendar=day;tz=Europe/Atlantis' }], '[0].policy', 'no name of the IANA time zone database'],
    [[{ policy: '1;w=60', key_id: 'mine' }], '[0].key_id', 'a UUID as `gatelog keys list` shows it'],
    [[{ policy: '1;w=60', key_id: '01890000-0000-7000-8000-000000000000' }], '[0].key_id', 'has no such key'],
    [[{ policy: '1;w=60', value: 'search' }], '[0].value', 'It takes a policy with `s=`'],
    [[{ policy: '1;w=60;s=Team', value: '' }], '[0].value', 'of 1 to 8192 characters'],
    [Array.from({ length: 33 }, () => ({ policy: '1;w=60' })), '$', 'at most 32 limits'],
  ])('refuses %j and changes nothing', async (body, place, sentence) => {
    await put([{ policy: '7;w=60' }]);
    const response = await put(body);
    expect([response.status, await response.json()]).toMatchObject([
      422,
      { code: 'invalid_body', error: expect.stringContaining(sentence) as unknown, details: { path: place } },
    ]);
    expect(await stored()).toEqual([{ policy: '7;w=60', key_id: null }]);
  });

  it('takes a key that may administer; a key that may read sees the limits', async () => {
    expect([(await put([], keyOf('rw'))).status, (await put([], keyOf('r'))).status]).toEqual([403, 403]);
    expect((await rig.call('GET', path, { key: keyOf('w') })).status).toBe(403);
    expect(await stored()).toEqual([]);
  });
});

describe('GET /v1/rate-limits/usage', () => {
  it('200: each limit with what its fullest segments have used, in calls or dollars', async () => {
    await rig.insert([
      { createdAt: Date.now() - 1000, properties: new Map([['Team', 'search']]), cost: moneyOfUsd(9.85) ?? null },
      { createdAt: Date.now() - 1000, properties: new Map([['Team', 'checkout']]), cost: moneyOfUsd(1) ?? null },
      { createdAt: Date.now() - 1000, cost: moneyOfUsd(3) ?? null },
      { createdAt: Date.now() - 7_200_000, properties: new Map([['Team', 'search']]), cost: moneyOfUsd(50) ?? null },
    ]);
    // With the request that the rig has stored.
    await put([
      { policy: '500;w=3600;u=cents;s=Team' },
      { policy: '10;w=3600' },
      { policy: '200;w=3600;u=cents;s=Team', value: 'checkout' },
    ]);
    const [budget, calls, ofCheckout] = await usage();
    expect(ofCheckout).toMatchObject({ value: 'checkout', fullest: [{ value: 'checkout', used: 1, share: 0.5 }] });
    expect(budget).toMatchObject({ unit: 'usd', quota: 5, to: null });
    expect(budget?.fullest).toEqual([
      { value: 'search', used: 9.85, share: 1.97 },
      { value: 'checkout', used: 1, share: 0.2 },
    ]);
    expect(calls).toMatchObject({ unit: 'requests', quota: 10, fullest: [{ value: null, used: 4, share: 0.4 }] });
  });

  it('200: a budget names the requests that it counts and that have no price, a limit of calls does not', async () => {
    await rig.insert([{ createdAt: Date.now() - 1000, model: 'acme-rerank-7b', status: 200, cost: null }]);
    await put([{ policy: '500;w=30;u=cents' }, { policy: '500;w=30' }, { policy: '500;w=30;u=cents;s=Team' }]);
    const [budget, calls, ofTeams] = await usage();
    expect(budget?.unpriced).toEqual({ requests: 1, models: [{ model: 'acme-rerank-7b', requests: 1 }] });
    expect(calls?.unpriced).toBeNull();
    expect(ofTeams?.unpriced).toEqual({ requests: 0, models: [] });
  });

  it('200: limits that count the same have one answer, each by its own quota', async () => {
    await put([{ policy: '10;w=7200' }, { policy: '40;w=7200' }, { policy: '10;w=7200;u=cents' }, { policy: '10;w=7200', key_id: keyId }]);
    const [small, large, budget, ofKey] = await usage();
    const calls = small?.fullest[0]?.used ?? 0;
    expect(calls).toBeGreaterThan(0);
    expect([small?.fullest, large?.fullest]).toEqual([
      [{ value: null, used: calls, share: calls / 10 }],
      [{ value: null, used: calls, share: calls / 40 }],
    ]);
    expect([budget?.fullest[0]?.used === calls, ofKey?.fullest]).toEqual([false, []]);
  });

  it('200: a calendar window says when it ends, and a limit of a key counts that key alone', async () => {
    await put([{ policy: '1000;calendar=month;tz=UTC;u=cents' }, { policy: '10;w=3600', key_id: keyId }]);
    const [month, ofKey] = await usage();
    expect(Date.parse(month?.to ?? '')).toBeGreaterThan(Date.now());
    expect(ofKey).toMatchObject({ key_id: keyId, fullest: [] });
  });
});
