import { afterEach, describe, expect, it } from 'vitest';
import { openAiAt, type Rig, startRig } from '../testing/gateway-harness.ts';
import { bodyOf, call, ourKey, type Provider, type RawResponse, requestText, startProvider } from '../testing/raw-http.ts';

const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

/** A provider that has a word of its own on pages of other origins. */
async function started(corsOrigins: readonly string[]): Promise<{ rig: Rig; provider: Provider }> {
  const provider = await startProvider((request, response) => {
    void bodyOf(request).then(() => {
      const own = {
        'access-control-allow-origin': '*',
        'Access-Control-Expose-Headers': 'X-Request-ID',
        vary: 'accept',
        'x-request-id': 'r',
      };
      response.writeHead(200, own).end('{}');
    });
  });
  const rig = await startRig({ providers: openAiAt(provider.port), corsOrigins });
  opened.push(rig, provider);
  return { rig, provider };
}

const page = 'https://app.example.com';
const preflight = (origin: string): string =>
  [
    'OPTIONS /v1/chat/completions HTTP/1.1',
    'Host: g',
    `Origin: ${origin}`,
    'Access-Control-Request-Method: POST',
    'Access-Control-Request-Headers: authorization,svc-property-team',
    '\r\n',
  ].join('\r\n');
const corsLines = ({ lines }: RawResponse): readonly string[] =>
  lines.filter((line) => /^(?:access-control-|vary)/i.test(line)).map((line) => line.toLowerCase());

describe('pages of an origin that the deployment allows', () => {
  it('may ask first, without a key or a record', async () => {
    const { rig, provider } = await started(['https://other.example', page]);
    const response = await call(rig.port, preflight(page));
    expect([response.status, response.header('svc-id')?.length]).toEqual([204, 36]);
    expect(corsLines(response).toSorted()).toEqual([
      'access-control-allow-headers: authorization,svc-property-team',
      `access-control-allow-methods: get, head, post, put, patch, delete`,
      `access-control-allow-origin: ${page}`,
      'access-control-expose-headers: *',
      'access-control-max-age: 7200',
      'vary: access-control-request-headers',
      'vary: origin',
    ]);
    expect([provider.requests, rig.spooled()]).toEqual([[], []]);
  });

  it.each([
    ['a reply', requestText('POST /v1/chat/completions', [`Origin: ${page}`], '{}'), 200, ['vary: accept']],
    ['a refusal', requestText('GET /v1/x', [`Origin: ${page}`, 'Svc-Auth: Bearer sk-svc-us-nobody']), 401, []],
    ['an error', requestText('GET /nowhere', [`Origin: ${page}`]), 404, []],
    ['health', `GET /readyz HTTP/1.1\r\nHost: g\r\nOrigin: ${page}\r\n\r\n`, 200, []],
  ])('may read %s with all of its lines', async (_what, request, status, others) => {
    const { rig } = await started([page]);
    const response = await call(rig.port, request);
    expect([response.status, corsLines(response)]).toEqual([
      status,
      [...others, 'vary: origin', `access-control-allow-origin: ${page}`, 'access-control-expose-headers: *'],
    ]);
  });

  it('are all where * is allowed', async () => {
    const { rig } = await started(['*']);
    expect(corsLines(await call(rig.port, preflight('null')))).toContain('access-control-allow-origin: *');
    const response = await call(rig.port, requestText('GET /v1/files', [`Origin: ${page}`]));
    expect(corsLines(response)).toEqual(['vary: accept', 'access-control-allow-origin: *', 'access-control-expose-headers: *']);
  });
});

describe('other pages', () => {
  it('are told nothing, neither by us nor by the provider', async () => {
    const { rig } = await started([page]);
    const asked = await call(rig.port, preflight('https://app.example.com.evil'));
    expect([asked.status, corsLines(asked)]).toEqual([401, ['vary: origin']]);
    const response = await call(rig.port, requestText('GET /v1/files', ['Origin: https://evil.example']));
    expect([response.status, corsLines(response), response.header('x-request-id')]).toEqual([200, ['vary: accept', 'vary: origin'], 'r']);
    expect(corsLines(await call(rig.port, requestText('GET /v1/files')))).toEqual(['vary: accept', 'vary: origin']);
  });

  it('without the setting a preflight is a call like any other, and the provider`s lines pass', async () => {
    const { rig } = await started([]);
    expect((await call(rig.port, preflight(page))).status).toBe(401);
    const ours = ['OPTIONS /v1/files HTTP/1.1', 'Host: g', `Authorization: Bearer ${ourKey}, Bearer theirs`, '\r\n'].join('\r\n');
    expect(corsLines(await call(rig.port, ours))).toEqual([
      'access-control-allow-origin: *',
      'access-control-expose-headers: x-request-id',
      'vary: accept',
    ]);
  });
});
