import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LimitPolicy, parseLimitPolicy } from '../../model/limit-policy.ts';
import { moneyOfUnits } from '../../model/pricing/money.ts';
import type { Claim, Verdict } from '../../state/fixed-windows.ts';
import { type CacheRig, startCacheRig } from '../testing/cache-harness.ts';
import { call, type RawResponse, requestText } from '../testing/raw-http.ts';

let cached: CacheRig;
let claims: Claim[];
let isUsedUp = false;
const policies: readonly LimitPolicy[] = [parseLimitPolicy('2;w=60'), parseLimitPolicy('5;w=60;u=cents')];

beforeEach(async () => {
  claims = [];
  isUsedUp = false;
  const claim = (asked: readonly Claim[], now: number): Verdict => {
    claims.push(...asked);
    const states = asked.map(() => ({ left: 1n, endsAt: now + 60_000 }));
    return { granted: !isUsedUp, reserved: !isUsedUp, refused: isUsedUp ? 0 : undefined, states };
  };
  const callLimits = { windows: { claim }, storedPolicies: () => policies, estimateCost: () => moneyOfUnits(7n), readUser: () => '' };
  cached = await startCacheRig({ ports: { callLimits } });
});

afterEach(() => cached.close());

const ask = (seed = ''): Promise<RawResponse> =>
  call(cached.rig.port, requestText('POST /v1/chat/completions', ['Svc-Cache-Enabled: true', `Svc-Cache-Seed: ${seed}`], '{"model":"m"}'));
const cacheOf = ({ header }: RawResponse): readonly (string | undefined)[] => [header('svc-cache'), header('svc-ratelimit-limit')];

it('a miss uses up limits and budgets, a hit neither', async () => {
  expect([cacheOf(await ask()), claims.length]).toEqual([['MISS', expect.any(String)], 2]);
  expect([cacheOf(await ask()), claims.length]).toEqual([['HIT', undefined], 2]);
  const exchanges = await cached.rig.exchanges(2);
  expect(exchanges.map(({ open }) => open.reserved)).toEqual([true, undefined]);
});

it('a hit is given where a limit is used up, a miss is not', async () => {
  await ask();
  isUsedUp = true;
  expect(cacheOf(await ask())).toEqual(['HIT', undefined]);
  expect((await ask('other')).status).toBe(429);
  isUsedUp = false;
  expect([cacheOf(await ask('other'))[0], cacheOf(await ask('other'))[0]]).toEqual(['MISS', 'HIT']);
});

it('a body that is hashed in steps is one miss, then a hit', async () => {
  const limits = { routeMaxBytes: 16 * 1024 * 1024 };
  const large = await startCacheRig({ limits });
  large.behave((_body, response) => void response.end('{}'));
  try {
    const text = requestText(
      'POST /v1/chat/completions',
      ['Svc-Cache-Enabled: true'],
      `{"model":"m","input":"${'x'.repeat(3 * 1024 * 1024)}"}`,
    );
    const responses = [await call(large.rig.port, text), await call(large.rig.port, text)];
    expect(responses.map(({ status, header }) => [status, header('svc-cache')])).toEqual([
      [200, 'MISS'],
      [200, 'HIT'],
    ]);
    // What breaks between the steps is the call's own trouble.
    Object.assign(large.cache, {
      acquire: () => {
        throw new Error('broken');
      },
    });
    expect((await call(large.rig.port, text.replace('"x', '"y'))).status).toBe(500);
    await large.rig.exchanges(3);
  } finally {
    await large.close();
  }
});
