import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openAiAt, type Rig, type RigOptions, startRig } from '../testing/gateway-harness.ts';
import {
  bodyOf,
  call,
  openClient,
  parseResponse,
  type RawClient,
  requestText,
  soon,
  startProvider,
  startRawProvider,
  until,
} from '../testing/raw-http.ts';

const json = 'Content-Type: application/json';
const audio = 'Content-Type: audio/wav';
const chat = requestText('POST /v1/chat/completions', [json], '{}');
const mebi = 1024 * 1024;
const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

/** A provider that answers each call with the length of what it got. */
async function counting(options: RigOptions = {}): Promise<{ rig: Rig; client: RawClient; calls: () => number }> {
  const provider = await startProvider((request, response) => {
    void bodyOf(request).then(
      (body) => response.end(`got ${body.length}`),
      () => response.destroy(),
    );
  });
  const rig = await startRig({ providers: openAiAt(provider.port), ...options });
  const client = await openClient(rig.port);
  opened.push(rig, provider, { close: () => client.socket.destroy() });
  return { rig, client, calls: () => provider.requests.length };
}

function digest(bytes: Uint8Array | undefined): string {
  return createHash('sha256')
    .update(bytes ?? '')
    .digest('hex');
}

/** Waits until a number has not changed for a while: whatever feeds it waits for something else. */
async function standsStill(read: () => number): Promise<number> {
  let last = read();
  for (let same = 0; same < 40;) {
    await soon();
    same = read() === last ? same + 1 : 0;
    last = read();
  }
  return last;
}

describe('a body over the limit', () => {
  const limits = { requestMaxBytes: 1000, routeMaxBytes: 64 * 1024 };
  const long = 'x'.repeat(1_000_000);
  const inChunks = `${long.length.toString(16)}\r\n${long}\r\n0\r\n\r\n`;
  const cases: readonly [name: string, request: string, forwarded: number][] = [
    ['its length is declared', requestText('POST /v1/chat/completions', [json], long), 0],
    [
      'it comes in chunks and is read for its model',
      requestText('POST /v1/chat/completions', [json, 'Transfer-Encoding: chunked'], inChunks),
      0,
    ],
    ['it comes in chunks and goes by path', requestText('POST /v1/files', [audio, 'Transfer-Encoding: chunked'], inChunks), 0],
  ];
  for (const [name, request, forwarded] of cases) {
    it(`${name}: 413 on record, the rest is read away and the connection goes on`, async () => {
      const { rig, client, calls } = await counting({ limits });
      client.send(request);
      await client.until('body_too_large');
      const response = parseResponse(client.received());
      client.send(chat);
      await client.until('got 2');
      const [exchange] = await rig.exchanges(2);
      expect([response?.status, response?.header('svc-id')]).toEqual([413, exchange?.open.requestId]);
      expect([exchange?.end?.outcome, exchange?.responseHead?.status]).toEqual(['refused', 413]);
      expect(calls() - 1).toBe(forwarded);
    });
  }

  it('after half of it went out: the provider`s call is broken off', async () => {
    const provider = await startRawProvider(() => undefined);
    const rig = await startRig({ providers: openAiAt(provider.port), limits });
    const client = await openClient(rig.port);
    opened.push(rig, provider, { close: () => client.socket.destroy() });
    client.send(requestText('POST /v1/files', [audio, 'Transfer-Encoding: chunked'], `4\r\nRIFF\r\n`));
    await until(() => provider.received().includes('RIFF'));
    client.send(inChunks);
    await client.until('body_too_large');
    await until(() => provider.sockets[0]?.closed === true);
    expect((await rig.exchanges(1))[0]?.end).toMatchObject({ outcome: 'refused', requestBytes: 4 });
  });

  it('the echo provider needs it whole and says so', async () => {
    const rig = await startRig({ limits: { routeMaxBytes: 1000 } });
    opened.push(rig);
    const response = await call(rig.port, requestText('POST /echo/v1/chat/completions', [json], long));
    expect([response.status, (await rig.exchanges(1))[0]?.end?.outcome]).toEqual([413, 'refused']);
  });
});

describe('a refusal with an unread body', () => {
  for (const [name, head, status] of [
    ['unknown path', ['POST /nowhere', audio], 404],
    ['no such key', ['POST /v1/files', audio, 'Svc-Auth: Bearer sk-svc-us-unknown'], 401],
    ['no provider key', ['POST /v1/files', audio, 'Svc-Auth: Bearer sk-svc-us-0123456789abcdefghij'], 401],
    ['a directive that cannot be', ['POST /v1/files', audio, 'Svc-Fallbacks: {}'], 422],
    ['a target that may not be', ['POST /v1/files', audio, 'Svc-Target-Url: https://127.0.0.1'], 403],
    ['a transfer coding that is not ours', ['POST /v1/files', audio, 'Transfer-Encoding: gzip, chunked'], 501],
  ] as const) {
    it(`${name}: ${status}, then the same connection serves the next call`, async () => {
      const { client } = await counting();
      const [line, ...headers] = head;
      const chunked = headers.some((header) => header.startsWith('Transfer-Encoding'));
      client.send(requestText(line, chunked ? headers : [...headers, 'Content-Length: 500000'], chunked ? '4\r\nRIFF\r\n' : 'RIFF'));
      await client.until('gatelog_error');
      const response = parseResponse(client.received());
      expect([response?.status, response?.header('svc-id')]).toEqual([status, expect.any(String)]);
      expect(response?.header('www-authenticate')).toBe(status === 401 ? 'Bearer' : undefined);
      client.send((chunked ? '0\r\n\r\n' : 'x'.repeat(499_996)) + chat);
      await client.until('got 2');
    });
  }
});

describe('Expect: 100-continue', () => {
  it('is answered once the head is accepted', async () => {
    const { client } = await counting();
    client.send(requestText('POST /v1/files', [audio, 'Expect: 100-continue', 'Content-Length: 4']));
    await client.until('HTTP/1.1 100 Continue\r\n\r\n');
    client.send('RIFF');
    await client.until('got 4');
    expect(client.text().split('100 Continue')).toHaveLength(2);
  });

  it('is not answered when the head is refused', async () => {
    const { client } = await counting({ limits: { requestMaxBytes: 1000 } });
    client.send(requestText('POST /v1/files', [audio, 'Expect: 100-continue', 'Content-Length: 4000']));
    await client.until('body_too_large');
    await client.closed();
    expect(client.text()).toMatch(/^HTTP\/1.1 413 /);
  });

  it('an expectation that nobody knows is ignored', async () => {
    const { client } = await counting();
    client.send(requestText('POST /v1/files', [audio, 'Expect: tea'], 'RIFF'));
    await client.until('got 4');
    expect(parseResponse(client.received())?.status).toBe(200);
  });
});

describe('a provider that answers before the upload is over', () => {
  it('its answer arrives, the rest of the upload is read away, the connection goes on', async () => {
    const { rig, client, provider } = await raw((socket) => {
      socket.write('HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno');
    });
    client.send(requestText('POST /v1/files', [audio, 'Content-Length: 3000000'], 'RIFF'));
    await client.until('\r\n\r\nno');
    client.send('x'.repeat(2_999_996));
    client.send(chat);
    await until(() => provider.sockets.length === 2);
    const [exchange] = await rig.exchanges(1);
    expect([exchange?.end?.outcome, exchange?.responseHead?.status, Buffer.from(exchange?.requestBody ?? []).toString()]).toEqual([
      'complete',
      401,
      'RIFF',
    ]);
  });
});

async function raw(
  onRequest: (socket: Socket) => void,
): Promise<{ rig: Rig; client: RawClient; provider: Awaited<ReturnType<typeof startRawProvider>> }> {
  const provider = await startRawProvider(onRequest);
  const rig = await startRig({ providers: openAiAt(provider.port), limits: { recordMaxBytes: 256 * mebi } });
  const client = await openClient(rig.port);
  opened.push(rig, provider, { close: () => client.socket.destroy() });
  return { rig, client, provider };
}

describe('back-pressure', () => {
  const large = Buffer.alloc(24 * mebi, 'abcdefghijklmnop');

  it('a client that does not read stops the provider; once it reads it gets every byte', async () => {
    const { rig, client, provider } = await raw((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${large.length}\r\n\r\n`);
      socket.write(large);
    });
    client.socket.pause();
    client.send(chat);
    await until(() => provider.sockets.length === 1);
    const recorded = await standsStill(() => rig.spool.writer.bytes());
    expect(recorded).toBeLessThan(large.length / 2);
    client.socket.resume();
    await until(() => client.size() > large.length);
    const [exchange] = await rig.exchanges(1);
    const response = parseResponse(client.received());
    expect([digest(response?.body), digest(exchange?.responseBody)]).toEqual([digest(large), digest(large)]);
  });

  it('a provider that does not read stops the client; once it reads it gets every byte', async () => {
    const { rig, client, provider } = await raw((socket) => {
      socket.pause();
      socket.on('data', () => {
        if (socket.bytesRead > large.length) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      });
    });
    client.send(requestText('POST /v1/files', [audio, `Content-Length: ${large.length}`]));
    client.send(large);
    await until(() => provider.sockets.length === 1);
    const recorded = await standsStill(() => rig.spool.writer.bytes());
    expect(recorded).toBeLessThan(large.length / 2);
    provider.sockets[0]?.resume();
    await client.until('\r\n\r\nok');
  });

  it('a provider that stops reading and answers: the rest is read away and the connection goes on', async () => {
    const { rig, client, provider } = await raw((socket) => socket.pause());
    client.send(requestText('POST /v1/files', [audio, `Content-Length: ${large.length}`]));
    client.send(large);
    await until(() => provider.sockets.length === 1);
    await standsStill(() => rig.spool.writer.bytes());
    provider.sockets[0]?.write('HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nno');
    await client.until('\r\n\r\nno');
    client.send(chat);
    await until(() => provider.received(1).includes('{}'));
    expect((await rig.exchanges(1))[0]?.end?.outcome).toBe('complete');
  });

  it('a spool that does not keep up stops both directions', async () => {
    const { rig, client } = await raw((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${large.length}\r\n\r\n`);
      socket.write(large);
    });
    rig.spool.hold();
    client.send(chat);
    await until(() => rig.spool.writer.bytes() > mebi);
    const down = await standsStill(() => rig.spool.writer.bytes());
    expect(down).toBeLessThan(4 * mebi);
    rig.spool.release();
    await until(() => client.size() > large.length);
    rig.spool.hold();
    const before = rig.spool.writer.bytes();
    const up = await openClient(rig.port);
    opened.push({ close: () => up.socket.destroy() });
    up.send(requestText('POST /v1/files', [audio, 'Transfer-Encoding: chunked'], ''));
    up.send(`${large.length.toString(16)}\r\n`);
    up.send(large);
    await until(() => rig.spool.writer.bytes() > before + mebi);
    expect((await standsStill(() => rig.spool.writer.bytes())) - before).toBeLessThan(4 * mebi);
  });
});
