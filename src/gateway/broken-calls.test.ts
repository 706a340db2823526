import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Exchange } from '../model/record/exchange.ts';
import type { Principal } from '../model/principal.ts';
import { openAiAt, organizationId, type Rig, type RigOptions, startRig } from './testing/gateway-harness.ts';
import {
  call,
  openClient,
  parseResponse,
  type RawClient,
  type RawProvider,
  requestText,
  startRawProvider,
  until,
} from './testing/raw-http.ts';

const json = 'Content-Type: application/json';
const chat = requestText('POST /v1/chat/completions', [json], '{"model":"gpt-4o"}');
const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

// What a client or a provider does to a whole process tree is in test/support/faults.ts; here is what needs a hand inside of the gateway.
interface Scene {
  readonly rig: Rig;
  readonly provider: RawProvider;
  readonly client: RawClient;
}

/** A provider that does with each call what the test says, a gateway before it, and a client that has sent a request. */
async function scene(
  request: string | Buffer,
  onRequest: (socket: Socket) => void = () => undefined,
  options: RigOptions = {},
): Promise<Scene> {
  const provider = await startRawProvider(onRequest);
  const rig = await startRig({ providers: openAiAt(provider.port), ...options });
  const client = await openClient(rig.port);
  opened.push(rig, provider, { close: () => client.socket.destroy() });
  client.send(request);
  return { rig, provider, client };
}

const outcomeOf = (exchange: Exchange | undefined): unknown[] => [exchange?.end?.outcome, exchange?.responseHead?.status];
const stream = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('a client that leaves', () => {
  it('while its key is looked up: on record, no provider is called', async () => {
    let answer: ((principal: Principal) => void) | undefined;
    const verifyKey = (): Promise<Principal> =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const { rig, provider, client } = await scene(chat, undefined, { ports: { verifyKey } });
    await until(() => answer !== undefined);
    client.socket.destroy();
    // Another call over another connection shows that the gateway has seen the first one close.
    await call(rig.port, requestText('GET /healthz'));
    answer?.({ organizationId, keyId: 'k', keyHash: 'h', permissions: 'w' });
    const [exchange] = await rig.exchanges(1);
    expect([...outcomeOf(exchange), provider.sockets.length]).toEqual(['client_left', undefined, 0]);
  });

  it('with a second call piped behind the first: both end, both provider calls are broken off', async () => {
    const { rig, provider, client } = await scene(chat + chat);
    await until(() => provider.sockets.length === 2);
    client.socket.destroy();
    await until(() => provider.sockets.every(({ closed }) => closed));
    expect((await rig.exchanges(2)).map((exchange) => exchange.end?.outcome)).toEqual(['client_left', 'client_left']);
  });
});

describe('a provider that fails', () => {
  it('is not there: 502, also for an upload, whose connection then serves the next call', async () => {
    const provider = await startRawProvider(() => undefined);
    provider.close();
    const rig = await startRig({ providers: openAiAt(provider.port) });
    const client = await openClient(rig.port);
    opened.push(rig, { close: () => client.socket.destroy() });
    client.send(requestText('POST /v1/files', ['Content-Type: audio/wav', 'Content-Length: 3000000'], 'RIFF'));
    await client.until('provider_unreachable');
    client.send('x'.repeat(2_999_996) + chat);
    await until(() => client.text().split('provider_unreachable').length === 3);
    expect((await rig.exchanges(2)).map(outcomeOf)).toEqual([
      ['no_response', 502],
      ['no_response', 502],
    ]);
  });

  it('breaks off towards an HTTP/1.0 client: the connection is reset, not ended', async () => {
    const sockets: Socket[] = [];
    const { rig, client } = await scene(chat.replace('HTTP/1.1', 'HTTP/1.0'), (socket) => {
      sockets.push(socket);
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n');
    });
    let reset = false;
    client.socket.on('error', () => {
      reset = true;
    });
    await client.until('hello');
    sockets[0]?.resetAndDestroy();
    await client.closed();
    expect([reset, outcomeOf((await rig.exchanges(1))[0])]).toEqual([true, ['provider_broke', 200]]);
  });
});

describe('a spool that fails', () => {
  it('in the middle of a stream: everything still arrives, once and in order', async () => {
    const sockets: Socket[] = [];
    const { rig, client } = await scene(chat, (socket) => {
      sockets.push(socket);
      socket.write(`${stream}5\r\nhello\r\n`);
    });
    await client.until('hello');
    rig.spool.hold();
    sockets[0]?.write('6\r\n[DONE]\r\n');
    await until(() => rig.spool.waiting() > 0);
    const waiting = rig.spool.waiting();
    sockets[0]?.write('5\r\nafter\r\n');
    await until(() => rig.spool.waiting() > waiting);
    for (let released = 0; released < waiting; released += 1) rig.spool.releaseOne(false);
    sockets[0]?.write('0\r\n\r\n');
    await until(() => parseResponse(client.received())?.isComplete === true);
    expect(parseResponse(client.received())?.body.toString()).toBe('hello[DONE]after');
    rig.spool.release();
    client.send(requestText('GET /healthz'));
    await client.until('"ok"');
  });

  it('before the head: the reply says that it is not recorded', async () => {
    const { rig, client, provider } = await scene(chat);
    rig.spool.hold();
    await until(() => provider.received().includes('gpt-4o'));
    provider.sockets[0]?.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    // The words come in one turn or in several; each says that the write failed.
    await until(() => {
      while (rig.spool.waiting() > 0) rig.spool.releaseOne(false);
      return client.text().endsWith('ok');
    });
    expect(parseResponse(client.received())?.header('svc-recorded')).toBe('false');
  });
});
