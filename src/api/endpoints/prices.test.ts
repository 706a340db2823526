import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pricesAnswerSchema } from '../../contract/settings/prices.ts';
import { type ApiRig, checked, keyOf, openApiRig } from '../testing/api-harness.ts';

const path = '/v1/prices';
let rig: ApiRig;

beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(() => rig.close());
beforeEach(async () => {
  await put([]);
});

const put = (body: unknown, key = keyOf('admin')): Promise<Response> => rig.call('PUT', path, { key, body });
const stored = async () => (await checked(await rig.call('GET', path, { key: keyOf('r') }), 200, pricesAnswerSchema)).data;
const price = { model: 'gpt-4o', input: 2.5, output: 10 };

describe('PUT /v1/prices', () => {
  it('replaces the prices, in their order, with providers as records name them', async () => {
    const body = [
      { ...price, provider: 'openai', valid_from: '2026-02-28', cache_read: 0.5, cache_write_1h: 0 },
      { ...price, provider: 'GOOGLE' },
      { model: 'house-*', input: 0, output: 1e-6, request: 12_000, valid_from: null },
    ];
    const answer = [
      { ...body[0], provider: 'OPENAI' },
      { ...body[1], valid_from: null },
      { ...body[2], provider: null },
    ];
    expect((await checked(await put(body), 200, pricesAnswerSchema)).data).toEqual(answer);
    expect(await stored()).toEqual(answer);
    await put([price]);
    expect(await stored()).toHaveLength(1);
  });

  it.each([
    ['no array', {}, '$', 'The body is an array of at most 500 prices'],
    ['too many', Array.from({ length: 501 }, (_, index) => ({ ...price, model: `m${index}` })), '$', 'at most 500 prices'],
    ['no price', [7], '[0]', 'A price is an object such as'],
    ['no model', [{ input: 1, output: 1 }], '[0].model', "`model` is a model's name of 1 to 256 characters"],
    ['a star in the middle', [{ ...price, model: 'a*b' }], '[0].model', '`*` at its end'],
    ['no output', [{ model: 'a', input: 1 }], '[0].output', '`output` is a number of US dollars for a million'],
    ['a negative price', [{ ...price, input: -1 }], '[0].input', '`input` is a number of US dollars for a million, from 0 to'],
    ['a price as text', [{ ...price, cache_read: '1' }], '[0].cache_read', '`cache_read` is a number'],
    ['a slip in a kind', [{ ...price, cached: 1 }], '[0]', 'There is no price called "cached"; the kinds are input, cache_read,'],
    ['no day', [{ ...price, valid_from: '2026-02-31' }], '[0].valid_from', '`valid_from` is a date, UTC'],
    ['a provider that nobody knows', [price, { ...price, provider: 'nobody' }], '[1].provider', 'There is no provider called "nobody"'],
    [
      'the same twice',
      [
        { ...price, provider: 'openai' },
        { ...price, provider: 'OPENAI' },
      ],
      '[1]',
      'stands in the list twice',
    ],
  ])('422 for %s, and nothing is changed', async (_case, body, place, sentence) => {
    await put([price]);
    const refused = await put(body);
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({
      code: 'invalid_body',
      details: { path: place },
      error: expect.stringContaining(sentence) as string,
    });
    expect(await stored()).toHaveLength(1);
  });

  it('403 without the permission admin; reading takes one that may read', async () => {
    for (const permissions of ['rw', 'r', 'w'] as const) expect((await put([], keyOf(permissions))).status).toBe(403);
    expect((await rig.call('GET', path, { key: keyOf('w') })).status).toBe(403);
    expect((await rig.call('GET', path, { key: null })).status).toBe(401);
  });
});
