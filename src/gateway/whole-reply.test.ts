import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, type MockInstance, test, vi } from 'vitest';
import { writeWholeReplies } from './whole-reply.ts';
import { listen } from './wire-rig.ts';

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
    writeWholeReplies(socket);
  });
  const client = connect(await listen(server), '127.0.0.1');
  client.end('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  let text = '';
  for await (const chunk of client) text += (chunk as Buffer).toString('latin1');
  const [spy] = spies;
  const writes = { single: spy?.single.mock.calls.length ?? 0, gathered: spy?.gathered.mock.calls.length ?? 0 };
  return [text.slice(text.indexOf('\r\n\r\n') + 4), writes];
}

test('a reply whose text is whole goes out in one write, every byte of it', async () => {
  const body = Array.from({ length: 256 }, (_, unit) => String.fromCharCode(unit)).join('');
  expect(await exchange((response) => response.end(body, 'latin1'))).toEqual([body, { single: 1, gathered: 0 }]);
});

test('a reply of several pieces goes out as Node has it', async () => {
  const [text, writes] = await exchange((response) => {
    response.write('first');
    response.end('second');
  });
  expect(text).toBe('5\r\nfirst\r\n6\r\nsecond\r\n0\r\n\r\n');
  expect(writes).toEqual({ single: 0, gathered: 1 });
  expect((await exchange((response) => response.end(Buffer.from('bytes'))))[0]).toBe('bytes');
});

test('two pieces of which the second is not empty both go out', async () => {
  const [text, writes] = await exchange((response) => {
    response.writeHead(200, { 'content-length': 4 });
    response.write('ab');
    response.write('cd');
    setImmediate(() => response.end());
  });
  expect(text).toBe('abcd');
  expect(writes.gathered).toBe(1);
});

test('a reply without a body goes out too', async () => {
  expect((await exchange((response) => response.end()))[0]).toBe('');
});

function ask(index: number, connection: string): string {
  return `GET /${index} HTTP/1.1\r\nhost: a\r\nconnection: ${connection}\r\n\r\n`;
}

test('replies that wait for a slow client come whole and in their order', async () => {
  const bodies = ['a', 'b', 'c'].map((letter) => letter.repeat(3_000_000));
  const server = createServer((request, response) => response.end(bodies[Number(request.url?.slice(1))], 'latin1'));
  server.on('connection', writeWholeReplies);
  const client = connect(await listen(server), '127.0.0.1');
  client.pause();
  client.write(ask(0, 'keep-alive') + ask(1, 'keep-alive') + ask(2, 'close'));
  await once(server, 'request');
  let text = '';
  for await (const chunk of client) text += (chunk as Buffer).toString('latin1');
  const [before, ...replies] = text.split(/HTTP\/1\.1 200 OK\r\n[\s\S]*?\r\n\r\n/);
  expect(before).toBe('');
  // Compared one by one: a difference of megabytes is nothing to print.
  expect(replies.map((reply, index) => reply === bodies[index])).toEqual([true, true, true]);
});
