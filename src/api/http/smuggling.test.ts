import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytesOf, refusedRequests } from '../../gateway/testing/ambiguous-requests.ts';
import { closeServer, listening } from '../../platform/http/server.ts';
import { type ApiRig, keyOf, openApiRig } from '../testing/api-harness.ts';
import { serveApi } from '../listen.ts';

let rig: ApiRig;
let server: ReturnType<typeof serveApi>;
let port: number;

beforeAll(async () => {
  rig = await openApiRig();
  server = serveApi(rig.api, { host: '127.0.0.1', port: 0, keepAliveTimeoutMs: 75_000, clientStallMs: 300_000 });
  port = Number(new URL(await listening(server)).port);
});

afterAll(async () => {
  await closeServer(server, 0);
  await rig.close();
});

const keys = [`Authorization: Bearer ${keyOf('rw')}`, 'Content-Type: application/json'];
const body = '{"filter":"all"}';
const line = 'POST /v1/request/count/query HTTP/1.1';

/** The statuses of all replies to these bytes, once the server has closed the connection. */
async function statusesOf(bytes: string): Promise<readonly number[]> {
  const text = await new Promise<string>((resolve) => {
    let received = '';
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(Buffer.from(bytes, 'latin1')));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
  });
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

describe('a request that can be read in two ways gets one refusal from the API, or a closed connection', () => {
  for (const request of refusedRequests) {
    it(request.name, async () => {
      const asked = request.lines?.some((sent) => /^(connection|content-length|transfer-encoding)/i.test(sent)) === true;
      const lines = [...(request.lines ?? []), ...(asked ? [] : [`Content-Length: ${body.length}`]), 'Connection: close'];
      const statuses = await statusesOf(bytesOf({ ...request, lines, rest: request.rest ?? body }, line, keys));
      expect(statuses.filter((status) => status < 400)).toEqual([]);
      expect(statuses.length).toBeLessThanOrEqual(1);
    });
  }

  it('the same call without any of it is answered', async () => {
    expect(
      await statusesOf(bytesOf({ name: '', lines: [`Content-Length: ${body.length}`, 'Connection: close'], rest: body }, line, keys)),
    ).toEqual([200]);
  });
});
