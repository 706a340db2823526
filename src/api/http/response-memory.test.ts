import { afterEach, expect, test } from 'vitest';
import { Hono } from 'hono';
import { GatelogError } from '../../model/errors.ts';
import { openClient, parseResponse, requestText, until } from '../../gateway/testing/raw-http.ts';
import { closeServer, listening } from '../../platform/http/server.ts';
import { ResponseMemory, CallMemory } from './response-memory.ts';
import { sendJson } from './send-json.ts';
import { serveApi } from '../listen.ts';

const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

const mebi = 1024 * 1024;
/** More than any buffer on the way holds. */
const page = { data: 'x'.repeat(16 * mebi) };

/** An API whose pages are those of the organisation that the path names. */
async function scene(memory: ResponseMemory): Promise<{ port: number }> {
  const api = new Hono();
  api.get('/:owner/never', () => new Promise<Response>(() => undefined));
  api.get('/:owner/:size', async (context) => {
    const call = new CallMemory(memory, context.req.raw.signal).ownedBy(context.req.param('owner'));
    try {
      return await call.during(context, () => sendJson(context, context.req.param('size') === 'page' ? page : { data: 'small' }));
    } catch (error) {
      return sendJson(context, { code: error instanceof GatelogError ? error.code : String(error) }, 503);
    }
  });
  const server = serveApi(api, { host: '127.0.0.1', port: 0, keepAliveTimeoutMs: 75_000, clientStallMs: 60_000 });
  opened.push({ close: () => closeServer(server, 0) });
  return { port: Number(new URL(await listening(server)).port) };
}

async function ask(port: number, path: string, taking: boolean) {
  const client = await openClient(port);
  opened.unshift({ close: () => client.socket.destroy() });
  if (!taking) client.socket.pause();
  client.send(requestText(`GET ${path}`));
  return client;
}

test('answers that their clients do not take count until they do or leave, and are in the way of nobody else', async () => {
  const memory = new ResponseMemory({ maxBytes: 64 * mebi, maxWaitMs: 50 });
  const { port } = await scene(memory);
  const untaken = await ask(port, '/a/page', false);
  await until(() => memory.answers.used > 16 * mebi);
  const refused = await ask(port, '/a/page', true);
  await until(() => refused.text().includes('service_busy'));
  const small = await ask(port, '/a/small', true);
  await until(() => small.text().includes('small'));
  const other = await ask(port, '/b/page', true);
  await until(() => other.size() > 16 * mebi);
  await until(() => memory.answers.used < 32 * mebi);
  untaken.socket.destroy();
  await until(() => memory.answers.used === 0);
  const again = await ask(port, '/a/page', true);
  await until(() => again.size() > 16 * mebi);
  await until(() => memory.answers.used === 0);
  expect(parseResponse(again.received())).toMatchObject({ status: 200, isComplete: true });
});

test('an answer behind another one of its connection counts until the connection ends', async () => {
  const memory = new ResponseMemory({ maxBytes: 64 * mebi, maxWaitMs: 50 });
  const { port } = await scene(memory);
  const client = await ask(port, '/a/never', true);
  client.send(requestText('GET /b/page'));
  await until(() => memory.answers.used > 16 * mebi);
  client.socket.destroy();
  await until(() => memory.answers.used === 0);
  expect(memory.answers.used).toBe(0);
});

test('a call that fails, or whose caller has left, gives back all that it took', async () => {
  const memory = new ResponseMemory({ maxBytes: 64 * mebi, maxWaitMs: 50 });
  const app = new Hono();
  app.get('/', async (context) => {
    const call = new CallMemory(memory, context.req.raw.signal).ownedBy('a');
    return call.during(context, async () => {
      await call.takeRows(1000);
      await call.takeAnswer(mebi);
      await call.takeAnswer(2 * mebi);
      expect([memory.rows.used, memory.answers.used]).toEqual([1000 * 4096, 3 * 2 * mebi]);
      throw new Error('not today');
    });
  });
  app.onError((error, context) => sendJson(context, { error: error.message }, 500));
  expect((await app.request('/')).status).toBe(500);
  expect([memory.rows.used, memory.answers.used]).toEqual([0, 0]);
});

test('rows of small pages, and small answers, are not counted', async () => {
  const memory = new ResponseMemory({ maxBytes: 64 * mebi, maxWaitMs: 50 });
  const call = new CallMemory(memory, new AbortController().signal).ownedBy('a');
  await call.takeRows(16);
  expect(memory.rows.used).toBe(0);
  await call.takeRows(17);
  expect(memory.rows.used).toBe(17 * 4096);
});

test('an answer of more than the share of an organisation is there while others take theirs slowly, one such at a time, and in the way of nobody', async () => {
  const memory = new ResponseMemory({ maxBytes: 64 * mebi, maxWaitMs: 5000 });
  const callOf = (owner: string): CallMemory => new CallMemory(memory, new AbortController().signal).ownedBy(owner);
  const [slow, large, second, small] = ['slow', 'large', 'second', 'small'].map(callOf) as [CallMemory, CallMemory, CallMemory, CallMemory];
  await slow.takeAnswer(mebi);
  await large.takeAnswer(100 * mebi);
  expect(memory.answers.used).toBe(3 * mebi + 24 * mebi);
  let isSecond = false;
  const waiting = second.takeAnswer(100 * mebi).then(() => (isSecond = true));
  await small.takeAnswer(mebi);
  expect(isSecond).toBe(false);
  large.keepAnswer(mebi);
  slow.keepAnswer(0);
  await waiting;
  expect(memory.answers.used).toBe(3 * mebi + 24 * mebi + 3 * mebi);
});
