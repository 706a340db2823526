import { createServer, type AddressInfo, type LookupFunction, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { makeAllowList } from '../../egress/allow-list.ts';
import { makeTargetGuard } from '../../egress/target-guard.ts';
import type { AttemptOutcome } from '../../model/events/attempt.ts';
import { type JsonPost, Poster, type PosterOptions, problemOf } from './post.ts';
import { closeReceivers, guardAllowing, startReceiver } from './testing/receiver.ts';

afterEach(closeReceivers);

const now = Date.UTC(2026, 0, 1, 12, 0, 0);
const never = new AbortController().signal;
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

async function post(
  given: Partial<JsonPost> & { readonly address: string },
  options: Partial<PosterOptions> = {},
): Promise<AttemptOutcome> {
  return new Poster({ guard: guardAllowing('localhost'), now: () => now, ...options }).post({ body: '{"a":"ü"}', ...given }, never);
}

/** A server that is not one of HTTP. @param talk what it does with a connection. */
async function rawReceiver(talk: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    talk(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  return `http://localhost:${(server.address() as AddressInfo).port}/`;
}

describe('a post', () => {
  it('brings its JSON, its query and its headers, once', async () => {
    const receiver = await startReceiver(204);
    const outcome = await post({ address: `${receiver.origin}/hook?sig=a%2Fb`, headers: { 'Webhook-Id': 'msg_1' } });
    expect(outcome).toMatchObject({ kind: 'delivered', response: { status: 204 } });
    expect(receiver.posts).toEqual([
      {
        method: 'POST',
        path: '/hook?sig=a%2Fb',
        body: '{"a":"ü"}',
        headers: {
          host: `localhost:${receiver.port}`,
          connection: 'close',
          'user-agent': 'Gatelog',
          'webhook-id': 'msg_1',
          'content-type': 'application/json',
          'content-length': '10',
        },
      },
    ]);
  });

  it('over HTTPS reaches a receiver whose certificate is trusted, and no other', async () => {
    const receiver = await startReceiver(200, 'https');
    const address = `${receiver.origin}/`;
    expect(await post({ address }, receiver.ca === undefined ? {} : { ca: receiver.ca })).toMatchObject({ kind: 'delivered' });
    expect(await post({ address })).toEqual({
      kind: 'failed',
      reason: 'There is no connection to the receiver: self-signed certificate.',
      response: undefined,
      retryAfterMs: undefined,
    });
    expect(receiver.posts).toHaveLength(1);
  });

  const statuses: readonly [status: number, kind: AttemptOutcome['kind'], reason: RegExp | undefined][] = [
    [200, 'delivered', undefined],
    [202, 'delivered', undefined],
    [299, 'delivered', undefined],
    [301, 'failed', /^The receiver answered 301, a redirect, and redirects are not followed/],
    [304, 'failed', /redirect/],
    [400, 'failed', /^The receiver answered 400\.$/],
    [404, 'failed', /404/],
    [410, 'refused', /^The receiver answered 410: it wants no events any more\.$/],
    [429, 'failed', /429/],
    [500, 'failed', /500/],
    [599, 'failed', /599/],
  ];
  it.each(statuses)('answered %i is %s', async (status, kind, reason) => {
    const elsewhere = await startReceiver();
    const receiver = await startReceiver((response) => response.writeHead(status, { location: `${elsewhere.origin}/` }).end());
    const outcome = await post({ address: `${receiver.origin}/` });
    expect(outcome.kind).toBe(kind);
    expect(outcome.response?.status).toBe(status);
    expect(outcome.kind === 'refused' && outcome.disables).toBe(kind === 'refused');
    expect(outcome.kind === 'delivered' ? '' : outcome.reason).toMatch(reason ?? /^$/);
    expect([receiver.posts.length, elsewhere.connections()]).toEqual([1, 0]);
  });

  it.each([
    ['7', 7000],
    ['Thu, 01 Jan 2026 12:00:09 GMT', 9000],
    ['999999999', 86_400_000],
    ['soon', undefined],
  ])('that failed with Retry-After: %s asks for a wait of %s ms', async (value, retryAfterMs) => {
    const receiver = await startReceiver((response) => response.writeHead(503, { 'Retry-After': value }).end());
    expect(await post({ address: `${receiver.origin}/` })).toMatchObject({ kind: 'failed', retryAfterMs });
  });
});

describe('a receiver that sends without end', () => {
  const filler = 'x'.repeat(900);
  it.each([
    ['interim responses', 'HTTP/1.1 100 Continue\r\n\r\n', /^The receiver sent more than 16 interim responses/],
    ['interim responses with headers', `HTTP/1.1 103 Early Hints\r\nx-filler: ${filler}\r\n\r\n`, /more than 16 interim responses/],
    ['headers', `x-filler: ${filler}\r\n`, /Header overflow|Parse Error/],
    ['extensions of chunks', `1;filler=${filler}\r\nx\r\n`, undefined],
    ['trailers', `0\r\nx-filler: ${filler}\r\n`, undefined],
  ])('%s has ended the attempt long before its time', async (what, piece, reason) => {
    const begins = { headers: 'HTTP/1.1 200 OK\r\n', 'extensions of chunks': chunked, trailers: chunked } as Readonly<
      Record<string, string>
    >;
    let sent = 0;
    const address = await rawReceiver((socket) => {
      const pieces = Buffer.from(piece.repeat(64));
      const more = (): void => {
        while (!socket.destroyed && socket.write(pieces)) sent += pieces.length;
        sent += pieces.length;
      };
      socket.once('data', () => {
        socket.write(begins[what] ?? '');
        socket.on('drain', more);
        more();
      });
    });
    const outcome = await post({ address }, { timeoutMs: 600_000 });
    expect(outcome.kind).toBe(reason === undefined ? 'delivered' : 'failed');
    expect(outcome.kind === 'failed' ? outcome.reason : '').toMatch(reason ?? /^$/);
    // What the system's buffers hold was sent too.
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });

  it('a byte at a time has ended it after a thousand reads', async () => {
    const address = await rawReceiver((socket) => {
      socket.setNoDelay(true);
      const more = (): void => {
        if (!socket.destroyed) socket.write('x', () => setImmediate(more));
      };
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nx-filler: ', more));
    });
    const outcome = await post({ address }, { timeoutMs: 600_000 });
    expect(outcome).toMatchObject({ kind: 'failed', response: undefined });
  });
});

describe('what is kept of a response', () => {
  it('is its status line, its headers and its body', async () => {
    const receiver = await startReceiver((response) => {
      response.sendDate = false;
      response.writeHead(500, 'Broken', { 'X-Why': 'disk' }).end('no \0 space');
    });
    const { response } = await post({ address: `${receiver.origin}/` });
    expect(response?.head).toBe('HTTP/1.1 500 Broken\nX-Why: disk\nConnection: close\nTransfer-Encoding: chunked\n\nno \uFFFD space');
  });

  it('is at most 4 KiB, whole characters, of a body without end', async () => {
    let closed = false;
    const receiver = await startReceiver((response) => {
      response.on('close', () => (closed = true));
      response.writeHead(200, { 'X-Odd': 'x' });
      const write = (): void => {
        while (!response.destroyed && response.write('ü'.repeat(1000)));
      };
      response.on('drain', write);
      write();
    });
    const { response, kind } = await post({ address: `${receiver.origin}/` });
    expect(kind).toBe('delivered');
    expect(Buffer.byteLength(response?.head ?? '')).toBeGreaterThan(4093);
    expect(Buffer.byteLength(response?.head ?? '')).toBeLessThanOrEqual(4096);
    expect(response?.head).not.toContain('\uFFFD');
    await expect.poll(() => closed).toBe(true);
  });
});

describe('a receiver that does not answer properly', () => {
  it('has a host that no name server knows', () => {
    const error = Object.assign(new Error('queryA ENOTFOUND hooks.example.com'), { code: 'ENOTFOUND', hostname: 'hooks.example.com' });
    expect(problemOf(error)).toBe('The host hooks.example.com was not found.');
  });

  it('is given up at the time-out', async () => {
    const receiver = await startReceiver(() => undefined);
    expect(await post({ address: `${receiver.origin}/` }, { timeoutMs: 100 })).toMatchObject({
      kind: 'failed',
      reason: 'The receiver did not answer within 0.1 s.',
    });
  });

  it('has answered once its status is there, though its body never ends', async () => {
    const receiver = await startReceiver((response) => response.writeHead(200).write('{'));
    const outcome = await post({ address: `${receiver.origin}/` }, { timeoutMs: 500 });
    expect(outcome).toMatchObject({ kind: 'delivered', response: { head: expect.stringMatching(/\n\n\{$/) as string } });
  });

  const rubbish: readonly [what: string, talk: (socket: Socket) => void, reason: RegExp][] = [
    ['closes', (socket) => socket.destroy(), /^There is no connection to the receiver: (?:socket hang up|read ECONNRESET)\.$/],
    ['speaks something else', (socket) => socket.end('220 mail ready\r\n'), /^There is no connection to the receiver: Parse Error/],
    ['sends headers without end', (socket) => socket.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`), /Header overflow/],
    [
      'switches protocols',
      (socket) => socket.end('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
      /^There is no conn|closed/,
    ],
  ];
  it.each(rubbish)('%s', async (_what, talk, reason) => {
    const outcome = await post({ address: await rawReceiver((socket) => socket.once('data', () => talk(socket))) });
    expect(outcome).toMatchObject({ kind: 'failed', response: undefined, reason: expect.stringMatching(reason) as string });
  });

  it('is not there', async () => {
    const receiver = await startReceiver();
    closeReceivers();
    expect(await post({ address: `${receiver.origin}/` })).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('ECONNREFUSED') as string,
    });
  });
});

it('a post that is stopped says so, as nobody knows what the receiver has', async () => {
  const stop = new AbortController();
  const receiver = await startReceiver(() => stop.abort(new Error('the service stops')));
  const poster = new Poster({ guard: guardAllowing('localhost'), now: () => now });
  await expect(poster.post({ address: `${receiver.origin}/`, body: '{}' }, stop.signal)).rejects.toThrow('the service stops');
  await expect(poster.post({ address: `${receiver.origin}/`, body: '{}' }, stop.signal)).rejects.toThrow('the service stops');
  expect(receiver.posts).toHaveLength(1);
});

describe('an address that leads into this network is not contacted', () => {
  it('by its text: no attempt will reach it', async () => {
    const receiver = await startReceiver();
    const guard = guardAllowing('other.example');
    for (const address of [
      `${receiver.origin}/`,
      `https://127.0.0.1:${receiver.port}/`,
      `http://2130706433:${receiver.port}/?a=b`,
      'nonsense',
    ]) {
      expect(await post({ address }, { guard })).toMatchObject({ kind: 'refused', disables: false, response: undefined });
    }
    expect(receiver.connections()).toBe(0);
  });

  it('by its name, at each connect: a name may lead elsewhere later', async () => {
    const receiver = await startReceiver();
    const found = ['127.0.0.1', '::ffff:127.0.0.1', '64:ff9b::7f00:1', '100.64.0.1'];
    const rebinding: LookupFunction = (_hostname, _options, callback) => {
      const address = found.shift() ?? '127.0.0.1';
      callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
    };
    const guard = makeTargetGuard(makeAllowList([]), { listed: rebinding, unlisted: rebinding });
    while (found.length > 0) {
      expect(await post({ address: `https://rebinding.example:${receiver.port}/` }, { guard })).toMatchObject({
        kind: 'failed',
        reason: expect.stringMatching(/^The target is not on the public internet; .* GATELOG_TARGET_ALLOWLIST\.$/) as string,
      });
    }
    expect(receiver.connections()).toBe(0);
  });
});
