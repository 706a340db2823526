import { afterEach, describe, expect, it } from 'vitest';
import {
  attemptsOf,
  chat,
  closeAll,
  hangingStream,
  retrying,
  rigWith,
  type ScriptedProvider,
  scripted,
  toAnthropic,
} from '../testing/scripted-provider.ts';
import type { Rig } from '../testing/gateway-harness.ts';
import { makeUpstream } from './upstream.ts';
import { call, openClient, type RawClient, type RawResponse, until } from '../testing/raw-http.ts';

const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) close();
  await closeAll();
});

const headersTimeoutMs = 100;

interface Scene {
  readonly rig: Rig;
  readonly streaming: RawClient;
  readonly first: ScriptedProvider;
  /** Sends a call, and lets it wait for as long as one does. */
  readonly callInVain: (headers: readonly string[]) => Promise<RawResponse>;
  readonly passTime: () => void;
}

/** A gateway with one connection to each provider; that to the first is taken by a stream that goes on. Time passes as the test says. */
async function busy(): Promise<Scene> {
  let now = 0;
  const passTime = (): void => {
    now += headersTimeoutMs;
  };
  const [first, second] = await Promise.all([scripted(hangingStream, 200), scripted(200)]);
  const upstream = makeUpstream({
    connectTimeoutMs: 5000,
    headersTimeoutMs,
    bodyTimeoutMs: 600_000_000,
    connections: 1,
    organizationSharePercent: 100,
    shareWaitMs: 60_000,
    idleTimeoutMs: 60_000,
    headerMaxBytes: 65_536,
    monotonic: () => now,
  });
  const rig = await rigWith({
    providers: {
      openai: { baseUrl: `http://127.0.0.1:${first.port}/v1` },
      anthropic: { baseUrl: `http://127.0.0.1:${second.port}`, key: 'deployment-anthropic' },
    },
    ports: { upstream },
  });
  const streaming = await openClient(rig.port);
  opened.push({ close: () => streaming.socket.destroy() });
  streaming.send(chat([]));
  await streaming.until('data: {"n":1}');
  const callInVain = async (headers: readonly string[]): Promise<RawResponse> => {
    const response = call(rig.port, chat(headers));
    await until(() => upstream.counts().waiting === 1);
    passTime();
    return response;
  };
  return { rig, streaming, first, callInVain, passTime };
}

describe('while all connections to a provider are busy for as long as a call waits', () => {
  it('without a fallback a call is answered 504, which says so, and is on record', async () => {
    const { rig, first, streaming, callInVain } = await busy();
    const response = await callInVain([]);
    const sentence = /All connections to the provider \(GATELOG_PROVIDER_CONNECTIONS: 1\) were busy/;
    expect([response.status, first.requests.length, streaming.isClosed()]).toEqual([504, 1, false]);
    expect(JSON.parse(response.body.toString())).toMatchObject({
      error: { code: 'provider_timeout', message: expect.stringMatching(sentence) as string },
    });
    const exchanges = await rig.exchanges(1);
    const exchange = exchanges.find(({ open }) => open.requestId === response.header('svc-id'));
    expect([exchange?.end?.outcome, exchange?.responseHead?.status]).toEqual(['no_response', 504]);
    expect(exchange?.responseBody.toString()).toMatch(sentence);
  });

  it('a retry waits again', async () => {
    const { rig, passTime } = await busy();
    const passing = setInterval(passTime, 5);
    const response = await call(rig.port, chat(retrying(1)));
    clearInterval(passing);
    expect([response.status, response.header('svc-attempts')]).toEqual([504, '2']);
  });

  it('a fallback takes over', async () => {
    const { rig, callInVain } = await busy();
    const response = await callInVain([toAnthropic]);
    expect([response.status, response.header('svc-fallback-index')]).toEqual([200, '1']);
    const exchanges = await rig.exchanges(1);
    const exchange = exchanges.find(({ open }) => open.requestId === response.header('svc-id'));
    expect(attemptsOf(exchange)).toEqual([
      ['openai', 0, 'provider_timeout'],
      ['anthropic', 200],
    ]);
  });
});
