import { createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { openAiAt, startRig } from '../testing/gateway-harness.ts';
import { call, listen, requestText, until } from '../testing/raw-http.ts';
import { closeUpstreams, okResponse, scene as upstreamScene, Seen, type Scene } from '../testing/upstream-harness.ts';

const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  await closeUpstreams();
  for (const { close } of opened.splice(0)) await close();
});

/** What a server does with a whole request. */
type Deed = (socket: Socket) => void;

const ok: Deed = (socket) => void socket.write(okResponse);
const fin: Deed = (socket) => void socket.end();
const rst: Deed = (socket) => void socket.resetAndDestroy();

interface Server {
  readonly origin: string;
  readonly port: number;
  /** The whole requests, with the number of their connection. */
  readonly requests: { readonly connection: number; readonly bytes: string }[];
  readonly stop: () => void;
}

/** @param deeds by connection and, there, by request; the last of each goes on for ever. */
async function serverOf(...deeds: readonly (readonly Deed[])[]): Promise<Server> {
  const requests: { connection: number; bytes: string }[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const connection = sockets.push(socket) - 1;
    const mine = deeds[Math.min(connection, deeds.length - 1)] ?? [];
    let held = '';
    let served = 0;
    socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        held += chunk.toString('latin1');
        const at = held.indexOf('\r\n\r\n');
        const length = Number(/content-length: (\d+)/i.exec(held)?.[1] ?? 0);
        const isChunked = /transfer-encoding/i.test(held);
        if (at === -1 || (isChunked ? !held.endsWith('0\r\n\r\n') : held.length < at + 4 + length)) return;
        requests.push({ connection, bytes: held });
        held = '';
        mine[Math.min(served, mine.length - 1)]?.(socket);
        served += 1;
      });
  });
  const port = await listen(server);
  const stop = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  opened.push({ close: stop });
  return { origin: `http://127.0.0.1:${port}`, port, requests, stop };
}

class Told extends Seen {
  readonly again: number[] = [];
  sentAgain(ms: number): void {
    this.again.push(ms);
  }
}

async function ended(seen: Told): Promise<Told> {
  await until(() => seen.isOver());
  return seen;
}

/** @returns the outcome of a second request on the connection of the first. */
async function second(
  server: Server,
  options: Parameters<typeof upstreamScene>[1] = {},
  request: Parameters<Scene['send']>[0] = {},
): Promise<Told> {
  const { send } = await upstreamScene(() => undefined, options);
  const seen = await ended(send({ origin: server.origin }, new Told()) as Told);
  expect(seen.body).toBe('ok');
  return ended(send({ origin: server.origin, body: Buffer.from('a body'), ...request }, new Told()) as Told);
}

describe('a request whose reused connection ends before a byte of a response came', () => {
  it.each([
    ['closed', fin],
    ['reset', rst],
  ])('%s: is sent once more, byte for byte, on a new connection', async (_how, end) => {
    const server = await serverOf([ok, end], [ok]);
    const { body, again } = await second(server);
    expect([body, again.length]).toEqual(['ok', 1]);
    const [, one, other] = server.requests;
    expect([one?.connection, other?.connection, one?.bytes.endsWith('a body')]).toEqual([0, 1, true]);
    expect(other?.bytes).toBe(one?.bytes);
  });

  it.each(['GET', 'HEAD', 'DELETE', 'PUT', 'PATCH'])('so is a %s', async (method) => {
    const server = await serverOf([ok, fin], [(socket) => void socket.write('HTTP/1.1 204 No Content\r\n\r\n')]);
    const seen = await second(server, {}, { method, body: null });
    expect([seen.status, seen.again.length]).toEqual([204, 1]);
  });

  it('once only', async () => {
    const server = await serverOf([ok, fin], [fin]);
    const { error, again } = await second(server);
    expect([error?.code, again.length, server.requests.length]).toEqual(['provider_unreachable', 1, 3]);
  });

  it('and not on another idle connection, which its server may have closed too', async () => {
    const server = await serverOf([ok, fin], [ok, fin], [ok]);
    const { send } = await upstreamScene(() => undefined);
    const both = [send({ origin: server.origin }, new Told()), send({ origin: server.origin }, new Told())];
    await until(() => both.every((seen) => seen.isOver()));
    const seen = await ended(send({ origin: server.origin }, new Told()) as Told);
    expect([seen.body, server.requests.at(-1)?.connection]).toEqual(['ok', 2]);
  });

  it('a large body is given up when it needs no second sending any more', async () => {
    const server = await serverOf([ok, fin], [ok, ok]);
    let released = 0;
    const body = Buffer.alloc(300_000, 'x');
    const request = { body, sent: () => void (released += 1) };
    const seen = await second(server, {}, request);
    expect([seen.body, seen.again.length, server.requests.at(-1)?.bytes.endsWith(body.toString())]).toEqual(['ok', 1, true]);
    await until(() => released > 0);
    expect(released).toBe(1);
  });

  it('a large body that was taken is given up with the head of its response', async () => {
    const order: string[] = [];
    const server = await serverOf([ok]);
    const { send } = await upstreamScene(() => undefined);
    await ended(send({ origin: server.origin }, new Told()) as Told);
    const seen = new Told();
    seen.start = () => void order.push('head');
    const request = { origin: server.origin, body: Buffer.alloc(300_000), sent: () => void order.push('released') };
    await ended(send(request, seen) as Told);
    expect(order).toEqual(['released', 'head']);
  });

  it('within its place: with one connection allowed, another call waits for its turn and gets it', async () => {
    const server = await serverOf([ok, fin], [ok]);
    const { send, upstream } = await upstreamScene(() => undefined, { connections: 1 });
    await ended(send({ origin: server.origin }, new Told()) as Told);
    const calls = [send({ origin: server.origin }, new Told()), send({ origin: server.origin }, new Told())];
    await until(() => calls.every((seen) => seen.isOver()));
    expect(calls.map(({ body }) => body)).toEqual(['ok', 'ok']);
    expect(server.requests.map(({ connection }) => connection)).toEqual([0, 0, 1, 1]);
    expect(upstream.counts()).toEqual({ busy: 0, idle: 1, waiting: 0 });
  });

  it('and fails where there is no new one', async () => {
    const server: Server = await serverOf([ok, () => server.stop()]);
    const { error, again } = await second(server);
    expect([error?.code, again.length]).toEqual(['provider_unreachable', 1]);
  });
});

const piece =
  (bytes: string): Deed =>
  (socket) =>
    void socket.end(bytes);

const chat = (headers: readonly string[] = []): string =>
  requestText('POST /v1/chat/completions', ['Content-Type: application/json', ...headers], '{"model":"m"}');

describe('a request is not sent again', () => {
  it.each([
    ['when a byte of a response came', piece('H')],
    ['when an interim head came', piece('HTTP/1.1 103 Early Hints\r\n\r\n')],
    ['when its head came', piece('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n')],
    ['when what came is no HTTP', piece('nothing\r\n\r\n')],
  ])('%s', async (_when, deed) => {
    const server = await serverOf([ok, deed], [ok]);
    const { error, again } = await second(server);
    expect([error?.code, again.length, server.requests.length]).toEqual(['provider_unreachable', 0, 2]);
  });

  it('on a connection that had no call before: then the server itself fails', async () => {
    const server = await serverOf([fin], [ok]);
    const { send } = await upstreamScene(() => undefined);
    const seen = await ended(send({ origin: server.origin }, new Told()) as Told);
    expect([seen.error?.code, server.requests.length]).toEqual(['provider_unreachable', 1]);
  });

  it('when its body passed as it arrived', async () => {
    const server = await serverOf([ok, fin], [ok]);
    const { error, again } = await second(server, {}, { body: Readable.from([Buffer.from('streamed')]) });
    expect([error?.code, again.length, server.requests.length]).toEqual(['provider_unreachable', 0, 2]);
  });

  it('when the server had it for longer than it takes to notice a closed connection', async () => {
    let now = 0;
    const late: Deed = (socket) => {
      now += 1001;
      socket.end();
    };
    const server = await serverOf([ok, late], [ok]);
    const { error, again } = await second(server, { monotonic: () => now });
    expect([error?.code, again.length, server.requests.length]).toEqual(['provider_unreachable', 0, 2]);
  });

  it('when its caller leaves meanwhile, whose place is then free again', async () => {
    const leave: { now?: () => void } = {};
    const server = await serverOf([ok, fin], [ok]);
    const { send, upstream } = await upstreamScene(() => undefined, { connections: 1 });
    await ended(send({ origin: server.origin }, new Told()) as Told);
    const seen = new Told();
    seen.sentAgain = () => setImmediate(() => leave.now?.());
    leave.now = () => seen.call?.abort(new Error('the client has left'));
    send({ origin: server.origin }, seen);
    await until(() => seen.isOver() || upstream.counts().busy === 0);
    const next = await ended(send({ origin: server.origin }, new Told()) as Told);
    expect(next.body).toBe('ok');
    await until(() => upstream.counts().idle === 1);
    expect(upstream.counts()).toEqual({ busy: 0, idle: 1, waiting: 0 });
  });
});

describe('the record of a call that was sent twice has two attempts', () => {
  const answered = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
  const good: Deed = (socket) => void socket.write(answered);
  const bad: Deed = (socket) => void socket.write(answered.replace('200 OK', '500 Oh'));
  const unreachable = { provider: 'openai', status: 0, ms: expect.any(Number) as number, error: 'provider_unreachable' };
  const with200 = { provider: 'openai', status: 200, ms: expect.any(Number) as number };

  const retrying = ['Svc-Retry-Enabled: true', 'Svc-Retry-Min-Timeout: 1', 'Svc-Retry-Num: 1'];
  const failed = { ...with200, status: 500 };
  it.each([
    ['below a provider', 'POST /openai/v1/x', []],
    ['at an address that the caller names', 'POST /v1/chat/completions', ['Svc-Target-Url: ']],
    ['with a body of another type', 'POST /openai/v1/audio', ['Content-Type: audio/wav']],
    ['without a body', 'GET /v1/files', []],
  ])('%s', async (_where, line, headers) => {
    const server = await serverOf([good, fin], [good]);
    const rig = await startRig({ providers: openAiAt(server.port), allowed: ['127.0.0.1'] });
    opened.unshift(rig);
    const named = headers.map((header) => (header === 'Svc-Target-Url: ' ? header + server.origin : header));
    const text = requestText(line, named, line.startsWith('GET') ? '' : '{"model":"m"}');
    const statuses = [(await call(rig.port, text)).status, (await call(rig.port, text)).status];
    expect([statuses, (await rig.exchanges(2))[1]?.end?.attempts]).toEqual([
      [200, 200],
      [unreachable, with200].map((each) => ({ ...each, provider: expect.any(String) as string })),
    ]);
  });

  it.each([
    { how: 'plain', headers: [], next: [good], attempts: [unreachable, with200] },
    { how: 'with the cache', headers: ['Svc-Cache-Enabled: true'], next: [good], attempts: [unreachable, with200] },
    { how: 'with retries', headers: retrying, next: [good], attempts: [unreachable, with200] },
    { how: 'with retries that follow', headers: retrying, next: [bad, good], attempts: [unreachable, failed, with200] },
    { how: 'in vain', headers: [], next: [fin], attempts: [unreachable, unreachable] },
  ])('$how', async ({ headers, next, attempts }) => {
    const server = await serverOf([good, fin], next);
    const rig = await startRig({ providers: openAiAt(server.port) });
    opened.unshift(rig);
    expect((await call(rig.port, chat())).status).toBe(200);
    const response = await call(rig.port, chat(headers));
    expect([response.status, response.header('svc-attempts')]).toEqual([next.includes(fin) ? 502 : 200, String(attempts.length)]);
    const exchanges = await rig.exchanges(2);
    expect(exchanges.map(({ end }) => end?.attempts)).toEqual([undefined, attempts]);
  });
});

it('an idle connection ends before most servers would close it', async () => {
  const server = await serverOf([ok]);
  let now = 0;
  const { send } = await upstreamScene(() => undefined, { idleTimeoutMs: 4000, monotonic: () => now });
  await ended(send({ origin: server.origin }, new Told()) as Told);
  now += 3999;
  await ended(send({ origin: server.origin }, new Told()) as Told);
  now += 4000;
  await ended(send({ origin: server.origin }, new Told()) as Told);
  const [one, two, three] = server.requests.map(({ connection }) => connection);
  expect([two === one, three === one]).toEqual([true, false]);
});
