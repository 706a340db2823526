import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeServer, listening } from '../../platform/http/server.ts';
import { type ApiRig, keyOf, openApiRig } from '../testing/api-harness.ts';
import { serveApi } from '../listen.ts';

let rig: ApiRig;
let server: ReturnType<typeof serveApi>;
let base: string;

beforeAll(async () => {
  rig = await openApiRig();
  server = serveApi(rig.api, { host: '127.0.0.1', port: 0, keepAliveTimeoutMs: 75_000, clientStallMs: 300_000 });
  base = await listening(server);
});

afterAll(async () => {
  await closeServer(server, 0);
  await rig.close();
});

const query = '/v1/request/query-clickhouse';
const posted = (body: string): RequestInit => ({ method: 'POST', body, headers: { 'content-type': 'application/json' } });

describe('no browser guesses the type of what the API answers', () => {
  const cases: readonly (readonly [what: string, path: string, init: RequestInit, status: number])[] = [
    ['records', query, posted('{"filter":"all"}'), 200],
    ['a body of texts by strangers', '/v1/request/count/query', posted('{"filter":"all"}'), 200],
    ['an export', '/v1/export', posted('{"format":"csv"}'), 200],
    ['its head alone', '/v1/models', { method: 'HEAD' }, 200],
    ['a filter that is refused', query, posted('{"filter":{"<script>":1}}'), 422],
    ['a body that is refused', query, posted('{'), 400],
    ['a path that is none', '/v1/<script>', {}, 404],
    ['another method', query, { method: 'PUT' }, 405],
    ['a call without a key', query, { ...posted('{}'), headers: { authorization: 'none' } }, 401],
    ['the document of the API', '/openapi.json', {}, 200],
    ['health', '/healthz', {}, 200],
    ['figures', '/metrics', {}, 200],
    ['tools', '/mcp', posted('{'), 406],
  ];
  it.each(cases)('%s', async (_what, path, init, status) => {
    const headers = new Headers(init.headers);
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${keyOf('rw')}`);
    const response = await fetch(base + path, { ...init, headers });
    await response.arrayBuffer();
    expect([response.status, response.headers.get('x-content-type-options')]).toEqual([status, 'nosniff']);
    // Nor is it run where it is taken for a page.
    expect(response.headers.get('content-security-policy')).toBe('sandbox');
  });
});

/** The whole answer to these bytes. */
async function answerTo(lines: readonly string[]): Promise<string> {
  const socket = connect({ port: Number(new URL(base).port), host: '127.0.0.1' });
  socket.end(`${[...lines, 'Connection: close', ''].join('\r\n')}\r\n`);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

it('nor of what is refused before the API sees it', async () => {
  const answer = await answerTo(['GET /healthz HTTP/1.1', 'Host: a', 'Host: b']);
  expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*x-content-type-options: nosniff/i);
});

it('an offer of another protocol is ignored: the call is answered as any other', async () => {
  for (const protocol of ['websocket', 'h2c']) {
    const answer = await answerTo(['GET /healthz HTTP/1.1', 'Host: a', 'Connection: Upgrade', `Upgrade: ${protocol}`]);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  }
});
