import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import { openClient, parseResponse, type RawClient, requestText, until } from '../../gateway/testing/raw-http.ts';
import { closeServer, listening } from '../../platform/http/server.ts';
import { sendJson } from './send-json.ts';
import { serveApi } from '../listen.ts';

const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

/** Soon over, for those who take nothing. */
const shortStallMs = 600;
/** More than a pause can become on a busy machine: client and server share a thread here. */
const longStallMs = 6000;
const mebi = 1024 * 1024;
/** More than any buffer on the way holds. */
const pageBytes = 48 * mebi;

const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** An API with a page, the same as a stream, a small answer, and an answer that is there after twice the time for a stalled client. */
async function scene(clientStallMs = shortStallMs): Promise<{ server: ReturnType<typeof serveApi>; client: RawClient; accepted: Socket }> {
  const page = { data: 'x'.repeat(pageBytes) };
  const api = new Hono();
  api.get('/page', (context) => sendJson(context, page));
  api.get('/stream', () => new Response(new Blob([JSON.stringify(page)]).stream()));
  api.get('/small', (context) => sendJson(context, { data: 'small' }));
  api.get('/slow', async (context) => {
    await wait(clientStallMs * 2);
    return sendJson(context, { data: 'late' });
  });
  const server = serveApi(api, { host: '127.0.0.1', port: 0, keepAliveTimeoutMs: 75_000, clientStallMs });
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = await openClient(Number(new URL(await listening(server)).port));
  opened.push({ close: () => client.socket.destroy() }, { close: () => closeServer(server, 0) });
  return { server, client, accepted: (await accepted)[0] };
}

describe('an answer of the API', () => {
  it.each(['/page', '/stream'])('of which its client takes nothing is broken off (%s)', async (path) => {
    const { client, accepted } = await scene();
    client.socket.pause();
    client.send(requestText(`GET ${path}`));
    await until(() => accepted.closed);
    client.socket.resume();
    await client.closed();
    expect(client.size()).toBeGreaterThan(0);
    expect(client.size()).toBeLessThan(pageBytes);
  });

  it('that its client takes slowly comes whole', async () => {
    const { client } = await scene(longStallMs);
    client.send(requestText('GET /page'));
    const pauses = 15;
    for (let taken = 1; taken <= pauses; taken += 1) {
      await until(() => client.size() >= (taken * pageBytes) / (pauses + 1) || client.isClosed());
      client.socket.pause();
      // All of them are longer than the limit, none is near it.
      await wait(longStallMs / 10);
      client.socket.resume();
    }
    await until(() => client.size() > pageBytes || client.isClosed());
    expect(parseResponse(client.received())).toMatchObject({ status: 200, isComplete: true });
  });

  it('that is still to be computed is waited for, also behind one that was taken', async () => {
    const { client } = await scene();
    client.send(requestText('GET /small') + requestText('GET /slow'));
    await until(() => client.text().includes('late') || client.isClosed());
    client.send(requestText('GET /slow'));
    await until(() => client.text().split('late').length === 3 || client.isClosed());
    expect([client.text().match(/small|late/g), client.isClosed()]).toEqual([['small', 'late', 'late'], false]);
  });
});

it('a request that is not there after five minutes, or its head after one, is ended by Node', async () => {
  const { server } = await scene();
  expect([server.requestTimeout, server.headersTimeout]).toEqual([300_000, 60_000]);
});
