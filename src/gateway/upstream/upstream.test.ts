import type { LookupFunction, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { closeUpstreams, okResponse, scene } from '../testing/upstream-harness.ts';
import { soon, until } from '../testing/raw-http.ts';

afterEach(closeUpstreams);

const longBody = 'x'.repeat(65_536 - 'HTTP/1.1 200 OK\r\nContent-Length: 65495\r\n\r\n'.length);
/** Answers every request, each of which comes in one piece. */
function answers(socket: Socket): void {
  socket.write(okResponse);
  socket.on('data', () => socket.write(okResponse));
}

/** Nobody listens at the first. */
const twoAddresses: LookupFunction = (_name, _options, callback) =>
  callback(null, [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ]);

describe('connections to a provider', () => {
  it('are used again, the one used last first', async () => {
    const { provider, send, upstream } = await scene(answers);
    const both = [send(), send()];
    await until(() => both.every((seen) => seen.isComplete));
    for (let turn = 0; turn < 5; turn += 1) {
      const seen = send();
      await until(() => seen.isOver());
      expect(seen).toMatchObject({ status: 200, body: 'ok', isComplete: true });
    }
    expect([provider.sockets.length, upstream.counts()]).toEqual([2, { busy: 0, idle: 2, waiting: 0 }]);
  });

  it('are no more than allowed: further calls wait, and go out in their order', async () => {
    const { provider, send, upstream } = await scene(() => undefined, { connections: 1 });
    const calls = ['/1', '/2', '/3'].map((path) => send({ path }));
    await until(() => provider.received().includes('/1'));
    expect(upstream.counts()).toEqual({ busy: 1, idle: 0, waiting: 2 });
    for (const [index, path] of ['/1', '/2', '/3'].entries()) {
      await until(() => provider.received().includes(`${path} HTTP`));
      provider.sockets[0]?.write(okResponse);
      await until(() => calls[index]?.isComplete === true);
    }
    expect(provider.sockets.length).toBe(1);
  });

  it('a call for which none becomes free in time ends with a time-out that says so; younger ones and the one that runs go on', async () => {
    let now = 0;
    const options = { connections: 1, headersTimeoutMs: 100, monotonic: () => now };
    const { provider, send, upstream } = await scene((socket) => socket.write(okResponse.slice(0, -1)), options);
    const first = send();
    await until(() => first.body === 'o');
    const second = send();
    now = 60;
    const third = send();
    now = 100;
    await until(() => second.isOver());
    expect([second.error?.code, second.error?.message]).toEqual([
      'provider_timeout',
      expect.stringContaining('All connections to the provider (GATELOG_PROVIDER_CONNECTIONS: 1) were busy'),
    ]);
    expect([third.isOver(), first.isOver(), upstream.counts()]).toEqual([false, false, { busy: 1, idle: 0, waiting: 1 }]);
    provider.sockets[0]?.write('k');
    await until(() => first.isComplete && provider.received().split('POST').length === 3);
    provider.sockets[0]?.write(okResponse);
    await until(() => third.isComplete);
  });

  it('a call that is broken off while it waits never goes out, and its body is read away', async () => {
    const { provider, send, upstream } = await scene(() => undefined, { connections: 1 });
    const first = send();
    await until(() => provider.sockets[0] !== undefined && provider.received().includes('\r\n\r\n'));
    const body = Readable.from([Buffer.from('x')]);
    const second = send({ path: '/second', body });
    const third = send({ path: '/third' });
    second.call?.abort(new Error('the client has left'));
    expect([second.error?.code, body.destroyed, upstream.counts().waiting]).toEqual(['provider_unreachable', true, 1]);
    provider.sockets[0]?.write(okResponse);
    await until(() => first.isComplete && provider.received().includes('/third'));
    expect(provider.received()).not.toContain('/second');
    provider.sockets[0]?.write(okResponse);
    await until(() => third.isComplete);
  });

  it('when none can be had every call that waits is told', async () => {
    const { provider, send } = await scene(answers);
    provider.close();
    const calls = [send(), send(), send()];
    await until(() => calls.every((seen) => seen.isOver()));
    expect(calls.map(({ error }) => error?.code)).toEqual(Array.from({ length: 3 }, () => 'provider_unreachable'));
  });

  it('are tried at every address that a name has', async () => {
    const { provider, send } = await scene(answers);
    const seen = send({ origin: `http://provider.example:${provider.port}`, lookUp: twoAddresses });
    await until(() => seen.isOver());
    expect([seen.body, provider.received().includes(`host: provider.example:${provider.port}\r\n`)]).toEqual(['ok', true]);
  });

  it('that were idle for long enough are closed', async () => {
    const { provider, send, upstream } = await scene(answers, { idleTimeoutMs: 50 });
    const seen = send();
    await until(() => seen.isComplete);
    await until(() => provider.sockets[0]?.closed === true);
    expect(upstream.counts().idle).toBe(0);
  });

  it('are given up before the provider closes them, where it says when', async () => {
    let now = 0;
    const keeping = okResponse.replace('\r\n\r\n', '\r\nKeep-Alive: timeout=5, max=9\r\n\r\n');
    const { provider, send } = await scene(
      (socket) => {
        socket.write(keeping);
        socket.on('data', () => socket.write(keeping));
      },
      { monotonic: () => now },
    );
    for (const [sentAt, connections] of [
      [0, 1],
      [3999, 1],
      [7998, 1],
      [11_998, 2],
    ] as const) {
      now = sentAt;
      const seen = send();
      await until(() => seen.isOver());
      expect([seen.body, provider.sockets.length]).toEqual(['ok', connections]);
    }
  });

  it.each([
    ['says so', okResponse.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')],
    ['sends more than it was asked for', `${okResponse}HTTP/1.1 200 OK\r\n`],
    ['speaks HTTP/1.0', okResponse.replace('1.1', '1.0')],
  ])('are not used again where the provider %s', async (_name, response) => {
    const { provider, send } = await scene((socket) => socket.write(response));
    for (const count of [1, 2]) {
      const seen = send();
      await until(() => seen.isOver());
      expect([seen.body, provider.sockets.length]).toEqual(['ok', count]);
    }
  });

  it.each([
    ['a GET with a body', { method: 'GET', body: Buffer.from('POST /smuggled HTTP/1.1\r\n\r\n') }, 2],
    ['a DELETE with a body', { method: 'DELETE', body: Buffer.from('x') }, 2],
    ['a HEAD', { method: 'HEAD' }, 2],
    ['a GET', { method: 'GET' }, 1],
    ['a PATCH with a body', { method: 'PATCH', body: Buffer.from('x') }, 1],
  ])('after %s: used again only where all servers agree on what comes behind it', async (_name, request, connections) => {
    const { provider, send } = await scene(answers);
    const first = send(request);
    await until(() => first.isOver());
    const second = send();
    await until(() => second.isOver());
    expect([second.body, provider.sockets.length]).toEqual(['ok', connections]);
  });

  it('what comes behind a reply, in a packet of its own, is not the reply to a call that waits', async () => {
    const surplus = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong';
    const { provider, send } = await scene(
      (socket) => {
        if (provider.sockets.length > 1) {
          socket.write(okResponse);
          return;
        }
        // As long as all that is read of a connection at once, so that what follows is read by itself.
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${String(longBody.length)}\r\n\r\n${longBody}${surplus}`);
      },
      { connections: 1 },
    );
    const calls = [send(), send()];
    await until(() => calls.every((seen) => seen.isOver()));
    expect(calls.map(({ body }) => (body === longBody ? 'long' : body))).toEqual(['long', 'ok']);
  });

  it('a provider that closes behind its reply, without saying so, fails no call that waits', async () => {
    const { provider, send } = await scene((socket) => socket.end(okResponse), { connections: 1 });
    const calls = [send(), send(), send()];
    await until(() => calls.every((seen) => seen.isOver()));
    expect([calls.map(({ body }) => body), provider.sockets.length]).toEqual([['ok', 'ok', 'ok'], 3]);
  });

  it('none is opened for a call that a free one can take', async () => {
    const { provider, send } = await scene((socket) => {
      if (provider.sockets.length < 3) answers(socket);
    });
    const both = [send(), send()];
    await until(() => both.every((seen) => seen.isComplete));
    const further = [send(), send(), send({ path: '/silent' })];
    await until(() => provider.sockets.length === 3 && further.slice(0, 2).every((seen) => seen.isComplete));
    const last = [send(), send()];
    further[2]?.call?.abort(new Error('the client has left'));
    await until(() => last.every((seen) => seen.isOver()));
    expect([last.map(({ body }) => body), provider.sockets.length]).toEqual([['ok', 'ok'], 3]);
  });

  it('to a host that does not exist are told of by its name, and with what to do', async () => {
    const { send } = await scene(answers);
    const seen = send({ origin: 'http://nowhere.invalid' });
    await until(() => seen.error !== undefined);
    expect(seen.error?.message).toMatch(/host "nowhere\.invalid".* \((?:ENOTFOUND|EAI_AGAIN)\).*(?:Fix the address|fix its DNS)/);
  });

  it('once they are closed no call waits for them', async () => {
    const { upstream, send } = await scene(answers);
    const seen = send();
    await until(() => seen.isComplete);
    await upstream.close();
    expect(send().error?.code).toBe('provider_unreachable');
    expect(send({ origin: 'http://127.0.0.1:1' }).error?.code).toBe('provider_unreachable');
  });

  it('are closed where the provider speaks without being asked', async () => {
    const { provider, send } = await scene(answers);
    const seen = send();
    await until(() => seen.isComplete);
    provider.sockets[0]?.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong');
    await until(() => provider.sockets[0]?.closed === true);
    const further = send();
    await until(() => further.isComplete);
    expect(further.body).toBe('ok');
  });
});

describe('a request', () => {
  it('goes out with its lines as they came, its length, and the host that is called', async () => {
    const { provider, send } = await scene(answers);
    const seen = send({
      method: 'PUT',
      path: '/v1/x?y=%20',
      lines: ['X-Note', 'caf\xe9', 'x-note', ''],
      credentials: ['Authorization', 'Bearer k'],
      body: Buffer.from('h\xe9', 'latin1'),
    });
    await until(() => seen.isComplete);
    expect(provider.received()).toBe(
      [
        'PUT /v1/x?y=%20 HTTP/1.1\r\n',
        `host: 127.0.0.1:${provider.port}\r\nconnection: keep-alive\r\n`,
        'X-Note: caf\xe9\r\nx-note: \r\nAuthorization: Bearer k\r\ncontent-length: 2\r\n\r\nh\xe9',
      ].join(''),
    );
  });

  it.each([
    ['a path', { path: '/a b' }],
    ['a path with a line end', { path: '/a\r\nX: 1' }],
    ['a method', { method: 'GET /' }],
    ['a name', { lines: ['X Y', '1'] }],
    ['a value', { lines: ['X', '1\r\nContent-Length: 5'] }],
    ['a credential', { credentials: ['Authorization', 'Bearer \u20ac'] }],
  ])('with %s that HTTP/1.1 does not allow is refused, and nothing goes out', async (_name, request) => {
    const { provider, send } = await scene(answers);
    expect(send(request).error?.code).toBe('malformed_request');
    await soon();
    expect(provider.sockets.length).toBe(0);
  });

  it.each([
    ['shorter', ['abc']],
    ['longer', ['abc', 'def']],
  ])('whose body is %s than announced is broken off', async (_name, pieces) => {
    const { provider, send } = await scene(() => undefined);
    const seen = send({ body: Readable.from(pieces.map((piece) => Buffer.from(piece))), contentLength: 5 });
    await until(() => seen.isOver());
    expect(seen.error?.code).toBe('provider_unreachable');
    await until(() => provider.sockets[0]?.closed === true);
    expect(provider.received()).toContain('content-length: 5');
  });

  it('that is answered before its body is sent: the reply is whole, the rest is not wanted', async () => {
    const { provider, send } = await scene(answers);
    const body = new Readable({ read: () => undefined });
    body.push('begun');
    const seen = send({ body });
    await until(() => seen.isOver());
    expect([seen.body, body.destroyed]).toEqual(['ok', true]);
    await until(() => provider.sockets[0]?.closed === true);
  });

  it('whose provider is silent ends with a time-out; one whose own body is slow does not', async () => {
    const { send } = await scene(() => undefined, { headersTimeoutMs: 100 });
    const slow = new Readable({ read: () => undefined });
    slow.push('begun');
    const uploading = send({ body: slow });
    const waiting = send();
    await until(() => waiting.isOver());
    expect([waiting.error?.code, uploading.isOver()]).toEqual(['provider_timeout', false]);
    slow.push(null);
    await until(() => uploading.isOver());
    expect(uploading.error?.code).toBe('provider_timeout');
  });

  it('whose reply stops in the middle ends with a time-out, unless its reader is the one who waits', async () => {
    const { send } = await scene((socket) => socket.write(okResponse.slice(0, -1)), { bodyTimeoutMs: 100 });
    const [held, read] = [send(), send()];
    await until(() => held.body === 'o');
    held.call?.pause();
    await until(() => read.isOver());
    expect([read.error?.code, held.isOver()]).toEqual(['provider_timeout', false]);
    held.call?.resume();
    await until(() => held.isOver());
    expect(held.error?.code).toBe('provider_timeout');
  });
});
