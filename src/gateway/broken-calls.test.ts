import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Exchange } from '../model/exchange.ts';
import type { Principal } from '../model/principal.ts';
import { openAiAt, organizationId, type Rig, type RigOptions, startRig } from './gateway-rig.ts';
import { makeUpstream } from './upstream.ts';
import { call, openClient, parseReply, type RawClient, type RawProvider, requestText, startRawProvider, until } from './wire-rig.ts';

const json = 'Content-Type: application/json';
const chat = requestText('POST /v1/chat/completions', [json], '{"model":"gpt-4o"}');
const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

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
const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();
const stream = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('a client that leaves', () => {
  it('in mid-stream: the provider is told, what was seen is on record', async () => {
    const { rig, provider, client } = await scene(chat, (socket) => socket.write(`${stream}5\r\nhello\r\n`));
    await client.until('hello');
    client.socket.destroy();
    await until(() => provider.sockets[0]?.closed === true);
    const [exchange] = await rig.exchanges(1);
    expect([...outcomeOf(exchange), textOf(exchange?.responseBody)]).toEqual(['client_left', 200, 'hello']);
  });

  it('before the head: the provider is told, the record has no head', async () => {
    const { rig, provider, client } = await scene(chat);
    await until(() => provider.received().includes('gpt-4o'));
    client.socket.destroy();
    await until(() => provider.sockets[0]?.closed === true);
    const [exchange] = await rig.exchanges(1);
    expect([...outcomeOf(exchange), textOf(exchange?.requestBody)]).toEqual(['client_left', undefined, '{"model":"gpt-4o"}']);
  });

  it('while its body is read for the model: on record as far as it came, no provider is called', async () => {
    const { rig, provider, client } = await scene(requestText('POST /v1/chat/completions', [json, 'Content-Length: 100'], '{"model":'));
    // The body's first bytes come with the head; that they were taken shows in nothing, so the connection just ends.
    client.socket.end();
    const [exchange] = await rig.exchanges(1);
    expect([...outcomeOf(exchange), textOf(exchange?.requestBody), provider.sockets.length]).toEqual([
      'client_left',
      undefined,
      '{"model":',
      0,
    ]);
  });

  it('in the middle of an upload that is on its way: the provider`s call is broken off', async () => {
    const { rig, provider, client } = await scene(
      requestText('POST /v1/files', ['Content-Type: audio/wav', 'Content-Length: 100'], 'RIFF'),
    );
    await until(() => provider.received().endsWith('RIFF'));
    client.socket.destroy();
    await until(() => provider.sockets[0]?.closed === true);
    const [exchange] = await rig.exchanges(1);
    expect([...outcomeOf(exchange), textOf(exchange?.requestBody)]).toEqual(['client_left', undefined, 'RIFF']);
  });

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
    // undici may have opened idle connections meanwhile.
    await until(() => provider.sockets.slice(0, 2).every(({ closed }) => closed));
    expect((await rig.exchanges(2)).map((exchange) => exchange.end?.outcome)).toEqual(['client_left', 'client_left']);
  });

  it('sending a chunk that is none, in the middle of an upload', async () => {
    const { rig, provider, client } = await scene(
      requestText('POST /v1/files', ['Content-Type: audio/wav', 'Transfer-Encoding: chunked'], '4\r\nRIFF\r\n'),
    );
    await until(() => provider.received().includes('RIFF'));
    client.send('this is no size\r\n');
    await client.closed();
    expect(outcomeOf((await rig.exchanges(1))[0])).toEqual(['client_left', undefined]);
  });
});

describe('a provider that fails', () => {
  const before: readonly [name: string, answer: (socket: Socket) => void][] = [
    ['resets before its head', (socket) => socket.resetAndDestroy()],
    ['closes before its head', (socket) => socket.end()],
    ['speaks no HTTP', (socket) => socket.end('SSH-2.0-nothing\r\n')],
    ['breaks off inside its head', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-')],
  ];
  for (const [name, answer] of before) {
    it(`${name}: 502 with an identifier, on record`, async () => {
      const { rig, client } = await scene(chat, answer);
      await client.until('}}');
      const reply = parseReply(client.received());
      const [exchange] = await rig.exchanges(1);
      expect([reply?.status, reply?.header('svc-id')]).toEqual([502, exchange?.open.requestId]);
      expect([...outcomeOf(exchange), textOf(exchange?.responseBody)]).toEqual(['no_response', 502, reply?.body.toString()]);
    });
  }

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

  it('does not answer in time: 504', async () => {
    const upstream = makeUpstream({
      connectTimeoutMs: 1000,
      headersTimeoutMs: 50,
      bodyTimeoutMs: 1000,
      connections: 1,
      idleTimeoutMs: 1000,
      headerMaxBytes: 16_384,
    });
    const { rig, client } = await scene(chat, undefined, { ports: { upstream } });
    await client.until('provider_timeout');
    expect(outcomeOf((await rig.exchanges(1))[0])).toEqual(['no_response', 504]);
  });

  const after: readonly [name: string, head: string, part: string, seen: string][] = [
    ['a body of known length', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n', 'hello', 'hello'],
    ['a chunked body', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '5\r\nhello\r\n', 'hello'],
    ['a stream after its [DONE]', stream, 'e\r\ndata: [DONE]\n\n\r\n', 'data: [DONE]\n\n'],
  ];
  for (const [name, head, part, seen] of after) {
    it(`breaks off ${name}: the client gets what came and a broken connection`, async () => {
      const { rig, client } = await scene(chat, (socket) => socket.write(head + part, () => socket.resetAndDestroy()));
      await client.closed();
      const reply = parseReply(client.received());
      const [exchange] = await rig.exchanges(1);
      expect([reply?.status, reply?.header('svc-id'), reply?.body.toString(), reply?.whole]).toEqual([
        200,
        exchange?.open.requestId,
        seen,
        false,
      ]);
      expect([...outcomeOf(exchange), textOf(exchange?.responseBody)]).toEqual(['provider_broke', 200, seen]);
    });
  }

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

  it('sends more than its Content-Length: the reply ends where it said', async () => {
    const { rig, client } = await scene(chat, (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhello'));
    await client.until('hel');
    const [exchange] = await rig.exchanges(1);
    expect([parseReply(client.received())?.body.toString(), textOf(exchange?.responseBody), exchange?.end?.outcome]).toEqual([
      'hel',
      'hel',
      'complete',
    ]);
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
    await until(() => parseReply(client.received())?.whole === true);
    expect(parseReply(client.received())?.body.toString()).toBe('hello[DONE]after');
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
    expect(parseReply(client.received())?.header('svc-recorded')).toBe('false');
  });
});
