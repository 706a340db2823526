import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openAiAt, type Rig, startRig } from './testing/gateway-harness.ts';
import {
  bodyOf,
  openClient,
  parseResponse,
  type RawClient,
  type RawResponse,
  requestText,
  soon,
  startProvider,
  startRawProvider,
  until,
} from './testing/raw-http.ts';

const json = 'Content-Type: application/json';
const chat = requestText('POST /v1/chat/completions', [json], '{"model":"gpt-4o"}');
const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

/** A provider whose reply the test writes, a gateway, and a client that has sent its request; the provider has it. */
async function started(
  request = chat,
): Promise<{ rig: Rig; client: RawClient; provider: Socket; write: (text: string | Buffer) => Promise<void> }> {
  const sockets: Socket[] = [];
  const provider = await startRawProvider((socket) => sockets.push(socket));
  const rig = await startRig({ providers: openAiAt(provider.port) });
  const client = await openClient(rig.port);
  opened.push(rig, provider, { close: () => client.socket.destroy() });
  client.send(request);
  await until(() => sockets.length === 1);
  const [socket] = sockets;
  if (socket === undefined) throw new Error('no call came');
  const write = async (text: string | Buffer): Promise<void> => {
    await new Promise((resolve) => {
      socket.write(text, resolve);
    });
  };
  return { rig, client, provider: socket, write };
}

/** Waits until the gateway waits for the spool, then gives everything else the time to go wrong. */
async function held(rig: Rig, callbacks = 1): Promise<void> {
  await until(() => rig.spool.waiting() >= callbacks);
  for (let round = 0; round < 5; round += 1) await soon();
}

const head = (lines: string): string => `HTTP/1.1 200 OK\r\n${lines}\r\n\r\n`;
const chunkOf = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const bodyText = (client: RawClient): string => parseResponse(client.received())?.body.toString() ?? '(no head)';

describe('a reply is not whole for its client before its record is in the spool', () => {
  it('body of known length: all but the last chunk goes ahead', async () => {
    const { rig, client, write } = await started();
    await write(`${head('Content-Length: 10')}hello`);
    await client.until('hello');
    rig.spool.hold();
    await write('world');
    await held(rig);
    expect(bodyText(client)).toBe('hello');
    rig.spool.release();
    await client.until('helloworld');
    expect(rig.spooled()[0]?.end?.outcome).toBe('complete');
  });

  it('body of known length in one piece: not even its head', async () => {
    const { rig, client, write } = await started();
    rig.spool.hold();
    await write(`${head('Content-Length: 5')}hello`);
    await held(rig);
    expect(client.text()).toBe('');
    rig.spool.release();
    await client.until('hello');
  });

  it('chunked body: everything but the terminal chunk', async () => {
    const { rig, client, write } = await started();
    await write(`${head('Transfer-Encoding: chunked')}5\r\nhello\r\n`);
    await client.until('hello');
    rig.spool.hold();
    await write('5\r\nworld\r\n0\r\n\r\n');
    await held(rig);
    expect([bodyText(client), parseResponse(client.received())?.isComplete]).toEqual(['helloworld', false]);
    rig.spool.release();
    await until(() => parseResponse(client.received())?.isComplete === true);
  });

  it('body to the end of the connection: everything but the terminal chunk', async () => {
    const { rig, client, provider, write } = await started();
    await write(`${head('Connection: close')}hello`);
    await client.until('hello');
    rig.spool.hold();
    provider.end();
    await held(rig);
    expect([bodyText(client), parseResponse(client.received())?.isComplete]).toEqual(['hello', false]);
    rig.spool.release();
    await until(() => parseResponse(client.received())?.isComplete === true);
  });

  for (const ending of [
    'data: [DONE]',
    '{"type":"message_stop"}',
    '{"type":"message-end"}',
    'event: response.completed',
    '{"type":"image_generation.completed"}',
    '{"type":"transcript.text.done"}',
    'event: error',
    'data: {"error":{}}',
  ]) {
    it(`stream: the chunk with ${ending}, though the provider's stream goes on`, async () => {
      const { rig, client, write } = await started();
      await write(head('Content-Type: text/event-stream\r\nTransfer-Encoding: chunked'));
      await client.until('\r\n\r\n');
      await write('6\r\ndata: \r\n');
      await client.until('data: ');
      rig.spool.hold();
      await write(`${ending.length.toString(16)}\r\n${ending}\r\n`);
      await held(rig);
      expect(bodyText(client)).toBe('data: ');
      rig.spool.release();
      await client.until(ending);
      expect(Buffer.from(rig.spooled()[0]?.responseBody ?? []).toString()).toBe(`data: ${ending}`);
    });
  }

  for (const type of [undefined, 'application/json', 'text/plain', 'application/x-unknown']) {
    const lines = `${type === undefined ? '' : `Content-Type: ${type}\r\n`}Transfer-Encoding: chunked`;
    it.each([
      ['events', 'data: {}\n\n', 'data: [DONE]\n\n'],
      ['events behind a byte order mark and blank lines', '\ufeff\r\n\n: ping\n\n', 'event: error\ndata: {}\n\n'],
      ['lines', '{"done":false}\n{"do', 'ne":true}\n'],
      ['binary messages', '\u0000\u0000\u0000Q', 'rest'],
    ])(`stream of %s whose content type is ${type}: its end`, async (_kind, first, last) => {
      const { rig, client, write } = await started();
      await write(head(lines) + chunkOf(first));
      await until(() => bodyText(client) === first);
      rig.spool.hold();
      await write(chunkOf(last));
      await held(rig);
      expect(bodyText(client)).toBe(first);
      rig.spool.release();
      await until(() => bodyText(client) === first + last);
    });
  }

  it('JSON that comes in several chunks: not one of them waits', async () => {
    const { rig, client, write } = await started();
    await write(`${head('Content-Type: application/json\r\nTransfer-Encoding: chunked')}5\r\n{"a":\r\n`);
    await client.until('{"a":');
    rig.spool.hold();
    await write('8\r\n"[DONE]"\r\n');
    await client.until('[DONE]');
    expect(bodyText(client)).toBe('{"a":"[DONE]"');
  });

  it('stream: an ending that is split over two chunks is held from where it is one', async () => {
    const { rig, client, write } = await started();
    const kind = 'Content-Type: Text/Event-Stream\r\nContent-Encoding: Identity\r\nTransfer-Encoding: chunked';
    await write(`${head(kind)}9\r\ndata: [DO\r\n`);
    await client.until('[DO');
    rig.spool.hold();
    await write('3\r\nNE]\r\n');
    await held(rig);
    expect(bodyText(client)).toBe('data: [DO');
  });

  it.each([
    ['compressed', 'text/event-stream\r\nContent-Encoding: br'],
    ['compressed, under another content type', 'application/json\r\nContent-Encoding: br'],
    ['of lines', 'Application/X-NDJSON; charset=utf-8'],
    ['of binary messages', 'application/vnd.amazon.eventstream'],
  ])('stream %s, whose end cannot be seen: every chunk', async (_name, type) => {
    const { rig, client, write } = await started();
    await write(head(`Content-Type: ${type}\r\nTransfer-Encoding: chunked`));
    await client.until('\r\n\r\n');
    rig.spool.hold();
    await write('3\r\nabc\r\n');
    await held(rig);
    await write('3\r\ndef\r\n');
    await held(rig, 2);
    expect(bodyText(client)).toBe('');
    rig.spool.release();
    await until(() => bodyText(client) === 'abcdef');
  });

  for (const [name, request, response] of [
    ['HEAD', requestText('HEAD /v1/files'), head('Content-Length: 5')],
    ['204', chat, 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['304', chat, 'HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n'],
    ['an empty body', chat, head('Content-Length: 0')],
  ] as const) {
    it(`reply without a body (${name}): its head`, async () => {
      const { rig, client, write } = await started(request);
      await until(() => rig.spooled().length === 1);
      rig.spool.hold();
      await write(response);
      await held(rig);
      expect(client.text()).toBe('');
      rig.spool.release();
      await client.until('\r\n\r\n');
      expect(rig.spooled()[0]?.end?.outcome).toBe('complete');
    });
  }

  it('our own error: its head', async () => {
    const { rig, client, provider } = await started();
    await until(() => rig.spooled().length === 1);
    rig.spool.hold();
    provider.destroy();
    await held(rig);
    expect(client.text()).toBe('');
    rig.spool.release();
    await client.until('provider_unreachable');
    expect(rig.spooled()[0]?.end?.outcome).toBe('no_response');
  });

  it('an identifier is told only once the spool knows the exchange', async () => {
    const { rig, client, write } = await started();
    rig.spool.hold();
    const second = await openClient(rig.port);
    opened.push({ close: () => second.socket.destroy() });
    second.send(requestText('POST /echo/v1/chat/completions', [json], '{"messages":[{"role":"user","content":"a b"}],"stream":true}'));
    await held(rig);
    expect(second.text()).toBe('');
    rig.spool.release();
    await second.until('[DONE]');
    await write(head('Content-Length: 0'));
    await client.until('svc-id');
  });

  it('without room in the spool nothing is held', async () => {
    const rig = await startRig({ ports: { hasSpoolSpace: () => false } });
    opened.push(rig);
    rig.spool.hold();
    const client = await openClient(rig.port);
    client.send(requestText('POST /echo/v1/chat/completions', [json], '{"messages":[{"role":"user","content":"a b"}]}'));
    await client.until('"usage"');
    expect(rig.spool.waiting()).toBe(0);
    client.socket.destroy();
  });
});

it('a call that runs while the spool gets too full goes on whole; its record is cut there, and stays so', async () => {
  let takes = true;
  const provider = await startRawProvider(() => undefined);
  const rig = await startRig({ providers: openAiAt(provider.port), ports: { takesSpoolParts: () => takes } });
  opened.push(rig, { close: () => provider.close() });
  const client = await openClient(rig.port);
  client.send(requestText('POST /v1/chat/completions', [json], '{"model":"m"}'));
  const parts = ['a', 'b', 'c'].map((letter) => letter.repeat(10_000));
  await until(() => provider.received().includes('"m"'));
  provider.sockets[0]?.write('HTTP/1.1 200 OK\r\nContent-Length: 30000\r\n\r\n');
  for (const [index, part] of parts.entries()) {
    takes = index !== 1;
    provider.sockets[0]?.write(part);
    await until(() => index === 2 || client.text().includes(part));
  }
  await client.until(parts.join(''));
  const [exchange] = await rig.exchanges(1);
  expect([exchange?.responseBody.toString(), exchange?.end?.responseCut, exchange?.end?.responseBytes]).toEqual([parts[0], true, 30_000]);
  expect([exchange?.end?.outcome, exchange?.end?.requestCut]).toEqual(['complete', undefined]);
  client.socket.destroy();
});

describe('bytes stay as they are, however they are cut', () => {
  const responses: { chunks: readonly Buffer[]; headers: Record<string, string> }[] = [];
  let rig: Rig;
  let provider: Awaited<ReturnType<typeof startProvider>>;
  let uploads: Buffer[] = [];

  beforeAll(async () => {
    provider = await startProvider((request, response) => {
      void bodyOf(request).then((body) => {
        uploads.push(body);
        return answer(response);
      });
    });
    rig = await startRig({ providers: openAiAt(provider.port), limits: { routeMaxBytes: 2000 } });
  });
  afterAll(async () => {
    await rig.close();
    await provider.close();
  });

  async function answer(response: ServerResponse): Promise<void> {
    const reply = responses.shift();
    response.writeHead(200, reply?.headers);
    for (const chunk of reply?.chunks ?? []) {
      await new Promise((resolve) => {
        response.write(chunk, resolve);
      });
    }
    response.end();
  }

  const events = fc.array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => `data: ${JSON.stringify({ text })}\n\n`),
      fc.constantFrom('data: [DONE]\n\n', 'event: message_stop\r\n\r\n', ': ping\n\n', 'data: [DO', 'NE]'),
    ),
    { maxLength: 12 },
  );
  const cuts = fc.array(fc.nat(4000), { maxLength: 12 });
  const coding = fc.constantFrom('identity', 'gzip', 'br');
  const seed = 20_261_121;

  async function exchange(body: Buffer, parts: readonly Buffer[], slow: boolean): Promise<RawResponse> {
    const client = await openClient(rig.port);
    const releases = slow ? setInterval(() => (rig.spool.waiting() > 0 ? rig.spool.release() : rig.spool.hold()), 1) : undefined;
    client.send(requestText('POST /v1/responses', [json, 'Transfer-Encoding: chunked']));
    for (const part of parts) {
      await new Promise((resolve) => {
        client.socket.write(Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]), resolve);
      });
    }
    client.send('0\r\n\r\n');
    await until(() => parseResponse(client.received())?.isComplete === true);
    clearInterval(releases);
    rig.spool.release();
    client.socket.destroy();
    const reply = parseResponse(client.received());
    if (reply === undefined) throw new Error(`no reply to ${body.length} bytes`);
    return reply;
  }

  for (const slow of [false, true]) {
    it(`any stream and any upload, ${slow ? 'with a slow spool' : 'with a quick one'} (seed ${seed})`, async () => {
      let calls = rig.spooled().length;
      await fc.assert(
        fc.asyncProperty(events, fc.tuple(cuts, cuts), coding, fc.boolean(), async (...[texts, [downCuts, upCuts], encoding, asStream]) => {
          const plain = Buffer.from(texts.join(''));
          const bytes = encoding === 'gzip' ? gzipSync(plain) : encoding === 'br' ? brotliCompressSync(plain) : plain;
          uploads = [];
          responses.push({
            chunks: cutAt(bytes, downCuts),
            headers: { 'content-type': asStream ? 'text/event-stream' : 'application/json', 'content-encoding': encoding },
          });
          const upload = Buffer.from(JSON.stringify({ input: 'ü'.repeat(plain.length) }));
          const reply = await exchange(upload, cutAt(upload, upCuts), slow);
          calls += 1;
          const recorded = (await rig.exchanges(calls)).at(-1);
          expect(reply.body.equals(bytes)).toBe(true);
          expect(uploads[0]?.equals(upload)).toBe(true);
          expect(Buffer.from(recorded?.responseBody ?? []).equals(bytes)).toBe(true);
          expect(Buffer.from(recorded?.requestBody ?? []).equals(upload)).toBe(true);
          expect(recorded?.end).toMatchObject({ outcome: 'complete', requestBytes: upload.length, responseBytes: bytes.length });
        }),
        { seed, numRuns: 30 },
      );
    });
  }
});

/** Bytes in pieces, none of them empty. */
function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set([0, ...cuts.map((cut) => (bytes.length === 0 ? 0 : cut % bytes.length))])].toSorted(
    (left, right) => left - right,
  );
  return places.map((place, index) => bytes.subarray(place, places[index + 1] ?? bytes.length)).filter((part) => part.length > 0);
}
