import { request, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeServer, listening } from '../platform/http-server.ts';
import { type ApiRig, bodyMaxBytes, keyOf, openApiRig, propertyPath } from './api-rig.ts';
import { serveApi } from './listen.ts';

let rig: ApiRig;
let server: Server;
let url: string;
beforeAll(async () => {
  rig = await openApiRig();
  server = serveApi(rig.api, '127.0.0.1', 0);
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
