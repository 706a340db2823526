import { afterEach, describe, expect, it } from 'vitest';
import { hashKey } from '../auth/api-key.ts';
import { openAiAt, type Rig, type RigOptions, startRig } from './testing/gateway-harness.ts';
import { bodyOf, call, openClient, ourKey, parseResponse, type Provider, requestText, startProvider } from './testing/raw-http.ts';

const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

async function started(options: RigOptions = {}): Promise<{ rig: Rig; provider: Provider }> {
  const provider = await startProvider((request, response) => {
    void bodyOf(request).then((body) => response.end(`got ${body.length}`));
  });
  const rig = await startRig({ providers: openAiAt(provider.port, '/base/v1'), ...options });
  opened.push(rig, provider);
  return { rig, provider };
}

describe('what never becomes a call', () => {
  const host = 'Host: gateway';
  const cases: readonly (readonly [name: string, request: string, status: number, code: string])[] = [
    ['no HTTP', 'hello\r\n\r\n', 400, 'malformed_request'],
    ['a head over the limit', `GET / HTTP/1.1\r\n${host}\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['no Host', 'GET /v1/files HTTP/1.1\r\n\r\n', 400, 'malformed_request'],
    ['two lengths', `POST /v1/x HTTP/1.1\r\n${host}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 400, 'malformed_request'],
    [
      'a length and chunks',
      `POST /v1/x HTTP/1.1\r\n${host}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      'malformed_request',
    ],
    ['CONNECT', `CONNECT evil:443 HTTP/1.1\r\n${host}\r\n\r\n`, 501, 'not_implemented'],
    ...['TRACE', 'PROPFIND', 'PURGE', 'LINK', 'SUBSCRIBE'].map((method): readonly [string, string, number, string] => [
      method,
      requestText(`${method} /v1/files`),
      405,
      'method_not_allowed',
    ]),
    ['no key', `GET /v1/files HTTP/1.1\r\n${host}\r\n\r\n`, 401, 'missing_key'],
    ['a key of nobody', requestText('GET /v1/files', ['Authorization: Bearer sk-svc-us-nobody']), 401, 'invalid_key'],
  ];
  for (const [name, request, status, code] of cases) {
    it(`${name}: ${status}, with an identifier, in OpenAI's shape, not on record`, async () => {
      const { rig, provider } = await started({ headerMaxBytes: 16_384 });
      const response = await call(rig.port, request);
      expect([response.status, response.header('svc-id')]).toEqual([status, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
      expect(response.body.toString()).toMatch(
        new RegExp(`^{"error":{"message":"[^"]+.*","type":"gatelog_error","param":null,"code":"${code}"}}\\n$`),
      );
      expect(response.header('allow')).toBe(status === 405 ? 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' : undefined);
      expect([provider.requests, rig.spooled()]).toEqual([[], []]);
    });
  }

  it.each([
    ['Helicone-Auth: Bearer sk-svc-us-nobody', true],
    ['helicone-auth: nothing', true],
    ['Svc-Auth: Bearer sk-svc-us-nobody', false],
  ])('%s: 401, with the identifier under the name that the caller knows', async (auth, aliased) => {
    const { rig } = await started();
    const response = await call(rig.port, requestText('GET /v1/files', [auth]));
    expect([response.status, response.header('helicone-id')]).toEqual([401, aliased ? response.header('svc-id') : undefined]);
  });

  it('keys are looked up only where they read like ours, and not without end', async () => {
    const asked: string[] = [];
    const verifyKey = (keyHash: string): undefined => {
      asked.push(keyHash);
    };
    const { rig } = await started({ ports: { verifyKey } });
    const many = Array.from({ length: 16 }, (_none, index) => `Bearer sk-svc-us-${index}`).join(', ');
    await call(rig.port, requestText('GET /v1/files', ['Authorization: Bearer sk-proj-foreign', 'x-api-key: sk-ant-foreign']));
    await call(rig.port, requestText('GET /v1/files', [`Authorization: ${many}`]));
    expect(asked).toEqual(['sk-svc-us-0', 'sk-svc-us-1', 'sk-svc-us-2', 'sk-svc-us-3'].map(hashKey));
  });

  it('a failing look-up is an error of ours, not a key that is wrong', async () => {
    const { rig } = await started({ ports: { verifyKey: () => Promise.reject(new Error('disk on fire')) } });
    const response = await call(rig.port, requestText('GET /v1/files'));
    expect([response.status, response.body.toString().includes('fire')]).toEqual([500, false]);
    expect(rig.observed).toMatchObject([{ kind: 'call_failed', reason: 'disk on fire' }]);
  });
});

describe('what becomes one all the same', () => {
  it('an offer to go on in HTTP/2, which is ignored', async () => {
    const { rig, provider } = await started();
    const client = await openClient(rig.port);
    opened.push({ close: () => client.socket.destroy() });
    const upgrade = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
    client.send(requestText('GET /v1/files', upgrade));
    await client.until('got 0');
    client.send(requestText('POST /v1/files', [...upgrade, 'Content-Type: audio/wav'], 'RIFF'));
    await client.until('got 4');
    expect(provider.requests.map(({ headers }) => [headers.upgrade, headers['http2-settings']])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it('a head with more lines than Node would look through by itself', async () => {
    const { rig } = await started();
    const many = Array.from({ length: 2500 }, (_none, index) => `X-${index}: v`);
    // The body's length stands behind them.
    const body = '{"messages":[{"role":"user","content":"hi"}]}';
    const response = await call(rig.port, requestText('POST /echo/v1/chat/completions', many, body));
    expect([response.status, (await rig.exchanges(1))[0]?.end?.requestBytes]).toEqual([200, body.length]);
  });

  const targets: readonly [sent: string, passed: string][] = [
    ['/v1/files', '/base/v1/files'],
    ['/v1/a//b;c=d?x=1&y=/../z', '/base/v1/a//b;c=d?x=1&y=/../z'],
    ['/v1/files/a%2Fb%20c.d..e', '/base/v1/files/a%2Fb%20c.d..e'],
    ['/v1/a|b"c<d>`{}', '/base/v1/a|b"c<d>`{}'],
    ['/openai//evil.example/v1', '/base/v1//evil.example/v1'],
    ['/openai/v1/files', '/base/v1/files'],
    ['/openai/v1?x', '/base/v1?x'],
    ['/openai', '/base/v1/'],
    ['/openai/@evil.example/', '/base/v1/@evil.example/'],
    ['/v1/x#frag', '/base/v1/x'],
    ['http://evil.example/v1/files?a=1', '/base/v1/files?a=1'],
    ['https://user:pw@evil.example:81/openai/v1/x', '/base/v1/x'],
  ];
  for (const [sent, passed] of targets) {
    it(`target ${sent}: the provider gets ${passed}`, async () => {
      const { rig, provider } = await started();
      const response = await call(rig.port, requestText(`GET ${sent}`));
      expect([response.status, provider.requests[0]?.url]).toEqual([200, passed]);
    });
  }

  const refused: readonly [target: string, status: number][] = [
    ['//evil.example/v1/x', 404],
    ['http://evil.example', 404],
    ['http:///v1/x', 404],
    ['*', 404],
    ['/v1', 404],
    ['/V1/models', 404],
    ['/constructor/x', 404],
    ['/openai/../secret', 400],
    ['/v1/../../secret', 400],
    ['/v1/./x', 400],
    ['/v1/x/..', 400],
    ['/v1/%2e%2E/secret', 400],
    ['/v1/.%2e%2fsecret', 400],
    ['/v1/x%2f..%2f..%2fsecret', 400],
    [String.raw`/v1/\..\secret`, 400],
    ['/v1/..;/secret', 400],
  ];
  for (const [target, status] of refused) {
    it(`target ${target}: ${status} on record, no provider is called`, async () => {
      const { rig, provider } = await started();
      const method = target === '*' ? 'OPTIONS' : 'GET';
      const response = await call(rig.port, requestText(`${method} ${target}`));
      const [exchange] = await rig.exchanges(1);
      expect([response.status, provider.requests.length]).toEqual([status, 0]);
      expect([exchange?.open.requestId, exchange?.open.targetUrl]).toEqual([response.header('svc-id'), '']);
    });
  }
});

it('health needs no key and no record', async () => {
  const { rig } = await started();
  const client = await openClient(rig.port);
  client.send('GET /healthz HTTP/1.1\r\nHost: g\r\n\r\n');
  await client.until('"ok"');
  expect(parseResponse(client.received())?.status).toBe(200);
  client.socket.destroy();
  const ready = await call(rig.port, `GET /readyz HTTP/1.1\r\nHost: g\r\nSvc-Auth: Bearer ${ourKey}\r\n\r\n`);
  expect([ready.status, JSON.parse(ready.body.toString()), rig.spooled()]).toEqual([200, { status: 'ok', degraded: [] }, []]);
});
