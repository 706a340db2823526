import { afterEach, describe, expect, it } from 'vitest';
import { openAiAt, type Rig, type RigOptions, startRig } from './testing/gateway-harness.ts';
import { openClient, parseResponse, type RawClient, requestText, startProvider, startRawProvider, until } from './testing/raw-http.ts';

const mebi = 1024 * 1024;
const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

async function started(provider: { port: number; close: () => unknown }, options: RigOptions): Promise<{ rig: Rig; client: RawClient }> {
  const rig = await startRig({ providers: openAiAt(provider.port), ...options });
  const client = await openClient(rig.port);
  opened.push(rig, provider, { close: () => client.socket.destroy() });
  return { rig, client };
}

describe('a client that takes nothing of its reply', () => {
  it('is broken off after a time, recorded as one who left, and its provider need not go on', async () => {
    const provider = await startRawProvider((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${64 * mebi}\r\n\r\n`);
      socket.write(Buffer.alloc(64 * mebi));
    });
    const { rig, client } = await started(provider, { limits: { clientStallMs: 300 } });
    client.socket.pause();
    client.send(requestText('GET /v1/files'));
    const [exchange] = await rig.exchanges(1);
    expect([exchange?.end?.outcome, exchange?.responseHead?.status]).toEqual(['client_left', 200]);
    expect(exchange?.end?.responseBytes).toBeLessThan(64 * mebi);
    await until(() => provider.sockets[0]?.destroyed === true || provider.sockets[0]?.closed === true);
  });

  it('is broken off too when all of a reply is handed over: the calls behind it are recorded as left', async () => {
    const small = Buffer.alloc(32 * 1024);
    const calls = 400;
    /** More than any buffer on the way holds. */
    const answered = 380;
    const provider = await startProvider((request, response) => {
      if (Number(request.url?.split('/').at(-1)) >= answered) return;
      response.setHeader('Content-Length', small.length);
      response.end(small);
    });
    const { rig, client } = await started(provider, { limits: { clientStallMs: 300 } });
    client.socket.pause();
    client.send(Array.from({ length: calls }, (_, index) => requestText(`GET /v1/files/${index}`)).join(''));
    await until(() => rig.spooled().some(({ end }) => end?.outcome === 'client_left'));
    client.socket.resume();
    await client.closed();
    expect(client.size()).toBeLessThan(calls * small.length);
  });

  it.each([
    ['health', requestText('GET /readyz', [])],
    ['a refusal off record', requestText('GET /v1/files', ['Authorization: Bearer sk-svc-us-unknown'])],
    ['a refusal on record', requestText('GET /v1/files', ['Svc-RateLimit-Policy: nonsense'])],
  ])('is broken off too when it is our own answer: %s', async (_, ask) => {
    const provider = await startProvider((_request, response) => response.end('{}'));
    const { client } = await started(provider, { limits: { clientStallMs: 300 } });
    const closed = new Promise((resolve) => client.socket.once('close', resolve));
    client.socket.pause();
    // More than any buffer on the way holds.
    for (let sent = 0; sent < 60; sent += 1) client.send(ask.repeat(1000));
    await closed;
    expect(client.socket.destroyed).toBe(true);
  });
});

describe('no client is broken off', () => {
  it('because its provider is silent after it had to wait for the client', async () => {
    const clientStallMs = 1000;
    const provider = await startProvider((_request, response) => {
      response.write(Buffer.alloc(16 * mebi), () => setTimeout(() => response.end('end'), clientStallMs * 2.5));
    });
    const { rig, client } = await started(provider, { limits: { clientStallMs } });
    client.send(requestText('GET /v1/files'));
    const [exchange] = await rig.exchanges(1);
    expect(exchange?.end).toMatchObject({ outcome: 'complete', responseBytes: 16 * mebi + 3 });
  });
});

describe('a client that takes too long to send its request', () => {
  const requestTimeoutMs = 400;

  it('is answered 408 while its head is missing', async () => {
    const provider = await startProvider((_request, response) => response.end('{}'));
    const { client, rig } = await started(provider, { requestTimeoutMs });
    client.send('POST /v1/files HTTP/1.1\r\nHost: g\r\nX-Slow: ');
    await client.closed();
    const reply = parseResponse(client.received());
    expect([reply?.status, reply?.header('svc-id'), rig.spooled()]).toEqual([408, expect.stringMatching(/^[0-9a-f-]{36}$/), []]);
    expect(reply?.body.toString()).toContain('"code":"request_timeout"');
  });

  it('is recorded as one who left while its body is missing', async () => {
    const provider = await startProvider((request) => void request.resume());
    const { client, rig } = await started(provider, { requestTimeoutMs });
    client.send(requestText('POST /v1/files', ['Content-Type: audio/wav', 'Content-Length: 1000']));
    client.send('some of it');
    await client.closed();
    const [exchange] = await rig.exchanges(1);
    expect([exchange?.end?.outcome, exchange?.requestBody.length]).toEqual(['client_left', 10]);
  });
});
