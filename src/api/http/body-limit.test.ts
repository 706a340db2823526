import { once } from 'node:events';
import { request, type Server } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeServer, listening } from '../../platform/http/server.ts';
import { type ApiRig, bodyMaxBytes, keyOf, openApiRig, propertyPath } from '../testing/api-harness.ts';
import { serveApi } from '../listen.ts';

let rig: ApiRig;
let server: Server;
let url: string;
beforeAll(async () => {
  rig = await openApiRig();
  server = serveApi(rig.api, { host: '127.0.0.1', port: 0, keepAliveTimeoutMs: 75_000, clientStallMs: 300_000 });
  url = await listening(server);
});
afterAll(async () => {
  await closeServer(server, 1000);
  await rig.close();
});

type Framing = 'of a declared length' | 'in chunks';

/** Sends a body over HTTP. @returns the status. */
async function statusOf(body: string, framing: Framing): Promise<number | undefined> {
  const headers = {
    authorization: `Bearer ${keyOf('rw')}`,
    'content-type': 'application/json',
    ...(framing === 'in chunks' ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body.length) }),
  };
  return new Promise((resolve, reject) => {
    const call = request(`${url}${propertyPath(rig.stored)}`, { method: 'PUT', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on('error', reject);
    call.end(body);
  });
}

/** A body of so many bytes that changes one property. */
function bodyOf(bytes: number): string {
  const text = JSON.stringify({ a: 'b' });
  return text + ' '.repeat(bytes - text.length);
}

describe.each<Framing>(['of a declared length', 'in chunks'])('over the wire, a body %s', (framing) => {
  test.each([
    [bodyMaxBytes, 200],
    [bodyMaxBytes + 1, 413],
  ])('of %d bytes is answered %d', async (bytes, status) => {
    expect(await statusOf(bodyOf(bytes), framing)).toBe(status);
  });
});

describe('a body of a caller who is not known, in chunks that do not end, is answered without being read, and its connection is closed', () => {
  test.each([
    ['without a key', 'PUT', propertyPath('019aa630-0000-7000-8000-000000000000'), 401],
    ['with an unknown key', 'POST', '/v1/request/query-clickhouse', 401],
    ['at an endpoint that needs none', 'POST', '/healthz', 405],
    ['at an endpoint that needs none and takes it', 'GET', '/healthz', 200],
    ['where there is no endpoint', 'POST', '/v1/nothing', 404],
  ])('%s: %s %s', async (name, method, path, status) => {
    const key = name === 'with an unknown key' ? 'Authorization: Bearer sk-svc-us-unknown\r\n' : '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: a\r\n${key}Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n`);
    const [response] = (await once(socket, 'data')) as [Buffer];
    expect(response.toString()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    if (method === 'GET') socket.destroy();
    await once(socket, 'close');
  });
});

test.each([
  ['without a key', null, propertyPath('019aa630-0000-7000-8000-000000000000'), 401],
  ['where there is no endpoint', undefined, '/v1/nothing', 404],
])('a body over the limit is not what is refused first %s', async (_, key, path, status) => {
  const response = await rig.call('PUT', path, { text: bodyOf(bodyMaxBytes + 1), ...(key === undefined ? {} : { key }) });
  expect(response.status).toBe(status);
});
