import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer, Socket as Plain, type Socket, type Server as TcpServer } from 'node:net';
import { afterEach, expect, type MockInstance, test, vi } from 'vitest';
import { coalesceWritev, writeCoalesced } from './coalesce-writes.ts';
import { listen, soon, until } from '../../gateway/testing/raw-http.ts';

const open: (Server | TcpServer)[] = [];

/** A server that is closed once its test is over. */
async function opened<Kind extends Server | TcpServer>(server: Kind): Promise<[Kind, number]> {
  open.push(server);
  return [server, await listen(server)];
}

afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

interface Writes {
  readonly single: number;
  readonly gathered: number;
}

/** The body that a client gets, and by which of the socket's two ways all of the reply went out. */
async function exchange(answer: (response: ServerResponse) => void): Promise<[string, Writes]> {
  const spies: Record<keyof Writes, MockInstance>[] = [];
  const server = createServer((_request, response) => answer(response));
  server.on('connection', (socket: Socket) => {
    spies.push({ single: vi.spyOn(socket, '_write'), gathered: vi.spyOn(socket, '_writev') });
    coalesceWritev(socket);
  });
  const [, port] = await opened(server);
  const client = connect(port, '127.0.0.1');
  client.end('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  let text = '';
  for await (const chunk of client) text += (chunk as Buffer).toString('latin1');
  const [spy] = spies;
  const writes = { single: spy?.single.mock.calls.length ?? 0, gathered: spy?.gathered.mock.calls.length ?? 0 };
  return [text.slice(text.indexOf('\r\n\r\n') + 4), writes];
}

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

test('a head and its body go out in one write, every byte of it, be it text or bytes', async () => {
  const inOne = { single: 1, gathered: 0 };
  const body = everyByte.toString('latin1');
  expect(await exchange((response) => response.end(body, 'latin1'))).toEqual([body, inOne]);
  expect(await exchange((response) => response.end(everyByte))).toEqual([body, inOne]);
  // The client reads Latin-1, a character for each byte.
  expect(await exchange((response) => response.end('ä'.repeat(200)))).toEqual(['Ã¤'.repeat(200), inOne]);
});

test('the pieces of a chunk go out in one write', async () => {
  const [text, writes] = await exchange((response) => {
    response.write('first');
    response.write(Buffer.from('second'));
    response.end('third');
  });
  expect(text).toBe('5\r\nfirst\r\n6\r\nsecond\r\n5\r\nthird\r\n0\r\n\r\n');
  expect(writes).toEqual({ single: 1, gathered: 0 });
});

test.each([15_000, 16_300, 16_384, 17_000, 100_000])(
  'a body of %d bytes goes out whole, in one write with its head where both are small',
  async (bytes) => {
    const body = everyByte.toString('latin1').repeat(400).slice(0, bytes);
    for (const given of [body, Buffer.from(body, 'latin1')]) {
      const [text, writes] = await exchange((response) => response.end(given, 'latin1'));
      expect(text === body).toBe(true);
      expect(writes.single === 1 && writes.gathered === 0).toBe(bytes < 16_000);
    }
  },
);

test('a reply without a body goes out too', async () => {
  expect((await exchange((response) => response.end()))[0]).toBe('');
});

function ask(index: number, connection: string): string {
  return `GET /${index} HTTP/1.1\r\nhost: a\r\nconnection: ${connection}\r\n\r\n`;
}

test.each([
  ['large', 3, 3_000_000],
  ['small', 2000, 10_000],
])('%s replies that wait for a slow client come whole and in their order', async (_size, count, bytes) => {
  const bodies = Array.from({ length: count }, (_, index) =>
    String(index)
      .padStart(8, '0')
      .repeat(bytes / 8),
  );
  const server = createServer((request, response) => response.end(bodies[Number(request.url?.slice(1))], 'latin1'));
  server.on('connection', coalesceWritev);
  const [, port] = await opened(server);
  const client = connect(port, '127.0.0.1');
  client.pause();
  client.write(bodies.map((_, index) => ask(index, index === count - 1 ? 'close' : 'keep-alive')).join(''));
  await once(server, 'request');
  let text = '';
  for await (const chunk of client) text += (chunk as Buffer).toString('latin1');
  const [before, ...responses] = text.split(/HTTP\/1\.1 200 OK\r\n[\s\S]*?\r\n\r\n/);
  expect(before).toBe('');
  // Compared one by one: a difference of megabytes is nothing to print.
  expect(responses).toHaveLength(count);
  expect(responses.findIndex((response, index) => response !== bodies[index])).toBe(-1);
});

test('what a slow client has yet to take stays as it is while others are answered', async () => {
  const body = 'a'.repeat(10_000);
  const answering: Socket[] = [];
  const server = createServer((request, response) => response.end(Buffer.from(request.url === '/other' ? 'b'.repeat(12_000) : body)));
  server.on('connection', coalesceWritev);
  server.on('connection', (socket) => answering.push(socket));
  const [, port] = await opened(server);
  const slow = connect(port, '127.0.0.1').pause();
  await once(slow, 'connect');
  let asked = 0;
  // One at a time, until the system takes no more of them.
  while (asked < 10_000 && (answering[0]?.writableLength ?? 0) === 0) {
    const before = answering[0]?.bytesWritten ?? 0;
    slow.write(ask(asked, 'keep-alive'));
    asked += 1;
    await until(() => answering[0] !== undefined && answering[0].bytesWritten > before);
  }
  expect(answering[0]?.writableLength).toBeGreaterThan(0);
  for (let count = 0; count < 3; count += 1) await (await fetch(`http://127.0.0.1:${port}/other`)).text();
  slow.write(ask(asked, 'close'));
  let text = '';
  for await (const chunk of slow) text += (chunk as Buffer).toString('latin1');
  const responses = text.split(/HTTP\/1\.1 200 OK\r\n[\s\S]*?\r\n\r\n/).slice(1);
  expect(responses).toHaveLength(asked + 1);
  expect(responses.findIndex((response) => response !== body)).toBe(-1);
});

/** What a server gets of requests that are written one after the other, while it reads only as they are all written. */
async function received(requests: readonly (readonly [head: string, body: Buffer])[]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let taken: Socket | undefined;
  const server = createTcpServer((socket) => {
    taken = socket.pause();
  });
  const [, port] = await opened(server);
  const client = connect(port, '127.0.0.1');
  await once(client, 'connect');
  for (const [head, body] of requests) {
    if (writeCoalesced(client, head, body)) continue;
    client.write(head, 'latin1');
    client.write(body);
  }
  client.end();
  await until(() => taken !== undefined);
  for await (const chunk of taken ?? []) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

test('requests go out whole and in their order, also where the system takes them later', async () => {
  const requests = Array.from({ length: 2000 }, (_, index) => {
    const body = Buffer.alloc(index % 2 === 0 ? 9000 : index * 10, String(index));
    return [`POST /${index} \u00e4\u00ff\r\n\r\n`, body] as const;
  });
  const sent = Buffer.concat(requests.flatMap(([head, body]) => [Buffer.from(head, 'latin1'), body]));
  expect((await received(requests)).equals(sent)).toBe(true);
});

test('a request that is not small is left to its caller, the largest small one is not', async () => {
  const body = everyByte.subarray(0, 84);
  expect(writeCoalesced(new Plain(), 'x'.repeat(16_301), body)).toBe(false);
  const got = await received([['x'.repeat(16_300), body]]);
  expect(got.equals(Buffer.concat([Buffer.from('x'.repeat(16_300)), body]))).toBe(true);
});

/** A connection to a server that keeps what it gets, in a state that Node writes nothing in at once. */
async function writtenLater(prepare: (client: Socket) => void, release: (client: Socket) => void, whenOpen: boolean): Promise<string> {
  let got = '';
  const server = createTcpServer((socket) => socket.on('data', (chunk: Buffer) => (got += chunk.toString('latin1'))));
  const [, port] = await opened(server);
  const client = connect(port, '127.0.0.1');
  if (whenOpen) await once(client, 'connect');
  prepare(client);
  for (const text of ['first ', 'second ', 'third']) writeCoalesced(client, text, Buffer.from('body '));
  release(client);
  client.end();
  await once(client, 'close');
  return got;
}

const nothing = (): void => undefined;
const cork = (client: Socket): void => client.cork();
const uncork = (client: Socket): void => client.uncork();

test('what waits because a connection is not there yet, or is corked, goes out as it was', async () => {
  const whole = 'first body second body thirdbody ';
  expect([await writtenLater(nothing, nothing, false), await writtenLater(cork, uncork, true)]).toEqual([whole, whole]);
});

test('to a connection that is closed nothing is written, and nobody is told anything new', async () => {
  const told: unknown[] = [];
  const closed = new Plain().on('error', (error) => told.push(error)).destroy();
  expect(writeCoalesced(closed, 'a', Buffer.from('b'))).toBe(true);
  await until(() => closed.closed);
  expect(told).toEqual([]);
});

test('whoever writes to a connection that the other side has reset is told, and so is the connection', async () => {
  const [, port] = await opened(createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy())));
  const told: unknown[] = [];
  // It reads nothing, so that only a write finds out.
  const client = connect(port, '127.0.0.1')
    .pause()
    .on('error', (error) => told.push(error));
  coalesceWritev(client);
  await once(client, 'connect');
  const written: unknown[] = [];
  for (let round = 0; round < 500 && !client.destroyed; round += 1) {
    client.cork();
    for (const piece of ['a', 'b']) client.write(piece, (error) => written.push(error));
    client.uncork();
    await soon();
  }
  expect([told.length, told[0]]).toEqual([1, expect.any(Error)]);
  expect([written[0], written.at(-1)]).toEqual([null, told[0]]);
});
