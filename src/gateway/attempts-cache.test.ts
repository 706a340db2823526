import { afterEach, expect, it } from 'vitest';
import { chat, closeAll, fallbacks, retrying, scripted, type ScriptedProvider } from './attempts-rig.ts';
import { type CacheRig, startCacheRig } from './cache-rig.ts';
import { call } from './wire-rig.ts';

let cache: CacheRig | undefined;
afterEach(async () => {
  await cache?.close();
  cache = undefined;
  await closeAll();
});

const at = ({ port }: ScriptedProvider): string => `http://127.0.0.1:${port}/v1`;

async function start(openAi: ScriptedProvider, groq: ScriptedProvider): Promise<CacheRig> {
  cache = await startCacheRig({ providers: { openai: { baseUrl: at(openAi) }, groq: { baseUrl: at(groq), key: 'deployment-groq' } } });
  return cache;
}

const cached = 'Svc-Cache-Enabled: true';

it('a reply that came after retries is kept for equal calls', async () => {
  const openAi = await scripted(500, 200);
  const { rig } = await start(openAi, await scripted());
  const replies = [await call(rig.port, chat([cached, ...retrying(2)])), await call(rig.port, chat([cached, ...retrying(2)]))];
  expect(replies.map((reply) => [reply.header('svc-cache'), reply.header('svc-attempts'), reply.body.toString()])).toEqual([
    ['MISS', '2', '{"answer":2,"model":"answering-model"}'],
    ['HIT', undefined, '{"answer":2,"model":"answering-model"}'],
  ]);
  expect(openAi.requests.length).toBe(2);
});

it('the reply of a fallback is not kept: the cache knows calls by their first address', async () => {
  const [openAi, groq] = [await scripted(500, 200), await scripted(200)];
  const { rig } = await start(openAi, groq);
  const sent = chat([cached, fallbacks({ provider: 'groq' })]);
  const replies = [await call(rig.port, sent), await call(rig.port, sent), await call(rig.port, sent)];
  expect(replies.map((reply) => [reply.header('svc-cache'), reply.header('svc-fallback-index')])).toEqual([
    ['MISS', '1'],
    ['MISS', '0'],
    ['HIT', undefined],
  ]);
  expect([openAi.requests.length, groq.requests.length]).toEqual([2, 1]);
});
