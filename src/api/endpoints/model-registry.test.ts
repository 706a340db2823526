import { afterAll, beforeAll, expect, test } from 'vitest';
import { registryAnswerSchema } from '../../contract/models/registry.ts';
import { type ApiRig, checked, openApiRig } from '../testing/api-harness.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(() => rig.close());

const ask = async () =>
  (await checked(await rig.call('GET', '/v1/public/model-registry/models', { key: null }), 200, registryAnswerSchema)).data;

test('the registry has every model once, with the providers that offer it, and needs no key', async () => {
  const { models, total, filters } = await ask();
  expect([total, new Set(models.map(({ id }) => id)).size]).toEqual([models.length, models.length]);
  const mini = models.find(({ id }) => id === 'gpt-4o-mini');
  expect(mini).toMatchObject({ author: 'openai', contextLength: 128_000 });
  const flash = models.find(({ id }) => id === 'gemini-2.5-flash');
  expect(flash?.endpoints.map(({ provider }) => provider)).toEqual(expect.arrayContaining(['gemini', 'vertex']));
  expect(mini?.endpoints[0]?.pricing).toMatchObject({ prompt: 0.15, completion: 0.6, cacheRead: 0.075 });
  expect(filters.providers.map(({ name }) => name)).toEqual(expect.arrayContaining(['anthropic', 'gemini', 'openai']));
  expect(filters.authors).toContain('anthropic');
  expect(filters.capabilities).toEqual(expect.arrayContaining(['audio', 'caching']));
});

test('prices by the length of the input are tiers', async () => {
  const { models } = await ask();
  const tiers = models.flatMap(({ endpoints }) => endpoints).find(({ pricingTiers }) => pricingTiers !== undefined);
  expect(tiers?.pricingTiers?.[0]).toEqual(tiers?.pricing);
  expect(tiers?.pricingTiers?.[1]?.threshold).toBeGreaterThan(1000);
});
