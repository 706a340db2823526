import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { openAiAt, type Rig, startRig } from '../testing/gateway-harness.ts';
import { bodyOf, call, openClient, ourKey, parseResponse, type Provider, requestText, startProvider } from '../testing/raw-http.ts';

const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

async function started(): Promise<{ rig: Rig; provider: Provider }> {
  const provider = await startProvider((request, response) => {
    void bodyOf(request).then((body) => response.end(`got ${body.length}`));
  });
  const rig = await startRig({ providers: openAiAt(provider.port, '/v1') });
  opened.push(rig, provider);
  return { rig, provider };
}

const handshake = ['Connection: keep-alive, Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: MDEyMzQ1Njc='];

describe('a WebSocket is refused with 426, upon which its client turns to HTTP: no record, and nothing goes on', () => {
  const cases: readonly (readonly [name: string, request: string])[] = [
    ['at a path that may once be carried', requestText('GET /v1/responses?x=1', handshake)],
    ['at any other path', requestText('GET /nowhere', handshake)],
    [
      'below a provider',
      requestText('GET /gemini/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent', handshake),
    ],
    ['at an address that the caller names', requestText('GET /v1/realtime', [...handshake, 'Svc-Target-Url: https://example.com'])],
    ['at the front page', requestText('GET /', handshake)],
    ['at the health page', requestText('GET /healthz', handshake)],
    ['in other letters, in a list', requestText('GET /v1/realtime', ['Connection: upgrade', 'upgrade: h2c, WebSocket'])],
    ['without a key', `GET /v1/realtime HTTP/1.1\r\nHost: g\r\n${handshake.join('\r\n')}\r\n\r\n`],
    ['with a key of nobody', requestText('GET /v1/realtime', [...handshake, 'Authorization: Bearer sk-svc-us-nobody'])],
    ['with a body', requestText('GET /v1/realtime', handshake, 'a body')],
    ['with its first frame behind it', `${requestText('GET /v1/realtime', handshake)}\u0081\u0085\u0001\u0002\u0003\u0004hello`],
    ['with a call behind it', requestText('GET /v1/realtime', handshake) + requestText('GET /v1/files')],
  ];
  for (const [name, request] of cases) {
    it(name, async () => {
      const { rig, provider } = await started();
      const client = await openClient(rig.port);
      opened.push({ close: () => client.socket.destroy() });
      client.send(request);
      await client.closed();
      const response = parseResponse(client.received());
      expect([response?.status, response?.isComplete, response?.header('upgrade'), response?.header('connection')]).toEqual([
        426,
        true,
        'HTTP/1.1',
        'close',
      ]);
      expect(response?.header('svc-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(JSON.parse(String(response?.body))).toEqual({
        error: {
          message: 'This gateway carries no WebSockets; send the same call as an HTTP request.',
          type: 'gatelog_error',
          param: null,
          code: 'websocket_not_supported',
        },
      });
      expect(client.text().match(/HTTP\/1\.1 \d/g)).toHaveLength(1);
      expect([provider.requests, rig.spooled()]).toEqual([[], []]);
    });
  }

  it('a call before it on the same connection is answered first, and whole', async () => {
    const { rig } = await started();
    const client = await openClient(rig.port);
    opened.push({ close: () => client.socket.destroy() });
    client.send(requestText('POST /v1/files', [], 'four') + requestText('GET /v1/realtime', handshake));
    await client.closed();
    expect(client.text()).toMatch(/^HTTP\/1\.1 200 [\s\S]*got 4[\s\S]*HTTP\/1\.1 426 Upgrade Required/);
  });

  it('as the official client of WebSockets sees it', async () => {
    const { rig } = await started();
    const socket = new WebSocket(`ws://127.0.0.1:${rig.port}/v1/responses`, { headers: { authorization: `Bearer ${ourKey}` } });
    const refused = new Promise<number | undefined>((resolve) => {
      socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
    });
    socket.on('error', () => undefined);
    expect(await refused).toBe(426);
    socket.terminate();
  });
});

describe('what is no handshake goes on as a call', () => {
  it.each([
    ['another protocol', requestText('GET /v1/files', ['Connection: Upgrade', 'Upgrade: TLS/1.2']), 'got 0'],
    ['another name', requestText('GET /v1/files', ['Connection: Upgrade', 'Upgrade: websocket-next']), 'got 0'],
    ['another method, as misled proxies send it', requestText('POST /v1/files', handshake, 'four'), 'got 4'],
    ['an upgrade of HTTP/1.0', requestText('GET /v1/files', handshake).replace('HTTP/1.1', 'HTTP/1.0'), 'got 0'],
  ])('%s', async (_name, request, body) => {
    const { rig, provider } = await started();
    const response = await call(rig.port, request);
    expect([response.status, response.body.toString()]).toEqual([200, body]);
    expect(provider.requests[0]?.headers).not.toHaveProperty('upgrade');
    expect(await rig.exchanges(1)).toHaveLength(1);
  });
});
