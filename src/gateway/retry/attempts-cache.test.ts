import { afterEach, describe, expect, it } from 'vitest';
import type { ServerResponse } from 'node:http';
import {
  type Answer,
  attemptsOf,
  chat,
  closeAll,
  fallbacks,
  retrying,
  scripted,
  type ScriptedProvider,
} from '../testing/scripted-provider.ts';
import { type CacheRig, startCacheRig } from '../testing/cache-harness.ts';
import { leaseMs } from '../../state/cache-leases.ts';
import { call, openClient, type RawClient, soon, until } from '../testing/raw-http.ts';

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
  const responses = [await call(rig.port, chat([cached, ...retrying(2)])), await call(rig.port, chat([cached, ...retrying(2)]))];
  expect(responses.map((response) => [response.header('svc-cache'), response.header('svc-attempts'), response.body.toString()])).toEqual([
    ['MISS', '2', '{"answer":2,"model":"answering-model"}'],
    ['HIT', undefined, '{"answer":2,"model":"answering-model"}'],
  ]);
  expect(openAi.requests.length).toBe(2);
});

it('the reply of a fallback is not kept: the cache knows calls by their first address', async () => {
  const [openAi, groq] = [await scripted(500, 200), await scripted(200)];
  const { rig } = await start(openAi, groq);
  const sent = chat([cached, fallbacks({ provider: 'groq' })]);
  const responses = [await call(rig.port, sent), await call(rig.port, sent), await call(rig.port, sent)];
  expect(responses.map((response) => [response.header('svc-cache'), response.header('svc-fallback-index')])).toEqual([
    ['MISS', '1'],
    ['MISS', '0'],
    ['HIT', undefined],
  ]);
  expect([openAi.requests.length, groq.requests.length]).toEqual([2, 1]);
});

/** Lets a client's departure come through: it is not seen from outside. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await soon();
}

describe('a client leaves while an equal call waits for its reply', () => {
  /** The first answer is the test's to give. */
  let held: ServerResponse | undefined;
  const hold: Answer = (_request, response) => {
    held = response;
  };
  const fail = (): void => void held?.writeHead(500).end('no');

  /** The first client has left, the second waits. */
  async function detached({ rig, asked }: CacheRig, sent: string): Promise<RawClient> {
    held = undefined;
    const leaving = await openClient(rig.port);
    leaving.send(sent);
    await until(() => held !== undefined);
    const follower = await openClient(rig.port);
    follower.send(sent);
    await until(() => asked() === 2);
    leaving.socket.destroy();
    await settle();
    return follower;
  }

  it('no fallback is called for it, which would answer nobody, and it is on record', async () => {
    const [openAi, groq] = [await scripted(hold, 500), await scripted(200)];
    const rig = await start(openAi, groq);
    const follower = await detached(rig, chat([cached, fallbacks({ provider: 'groq' })]));
    fail();
    await follower.until('answering-model');
    expect([openAi.requests.length, groq.requests.length]).toEqual([2, 1]);
    const [left, answered] = await rig.rig.exchanges(2);
    expect([left?.open.provider, left?.end?.outcome]).toEqual(['openai', 'client_left']);
    expect([attemptsOf(answered), answered?.end?.outcome]).toEqual([
      [
        ['openai', 500],
        ['groq', 200],
      ],
      'complete',
    ]);
    follower.socket.destroy();
  });

  it('its call goes to the same place again, and the record has what that came to', async () => {
    const rig = await start(await scripted(hold, 200), await scripted());
    const follower = await detached(rig, chat([cached, ...retrying(2)]));
    fail();
    await follower.until('answering-model');
    expect(follower.text()).toContain('HIT');
    const [left] = await rig.rig.exchanges(2);
    expect([left?.end?.outcome, left?.responseHead?.status, left?.responseBody.toString()]).toEqual([
      'client_left',
      200,
      '{"answer":2,"model":"answering-model"}',
    ]);
    follower.socket.destroy();
  });

  it('its call is not repeated when nobody waits any more', async () => {
    const openAi = await scripted(hold, 200);
    const rig = await start(openAi, await scripted());
    const follower = await detached(rig, chat([cached, ...retrying(2)]));
    follower.socket.destroy();
    await settle();
    rig.pass(leaseMs);
    fail();
    const exchanges = await rig.rig.exchanges(2);
    expect(exchanges.map(({ end }) => end?.outcome)).toEqual(['client_left', 'client_left']);
    expect(openAi.requests.length).toBe(1);
  });
});
