import { Zstd } from '@hpcc-js/wasm-zstd';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { encodeAmazonChunks, encodeAmazonEvents } from '../../providers/amazon/testing/encode-events.ts';
import { readServerSentEvents } from '../../providers/format/sse.ts';
import { openAiAt, type Rig, startRig } from '../testing/gateway-harness.ts';
import { call, ourKey, requestText, startProvider } from '../testing/raw-http.ts';
import { ReplyBeginning, type Seen } from './reply-beginning.ts';

const recordings = new URL('../../providers/', import.meta.url);

function eventsOf(recording: string): readonly string[] {
  return readFileSync(new URL(recording, recordings), 'utf8').split(/(?<=\r?\n\r?\n)/);
}

/** The chunk with which something is seen, and what. */
function firstSeen(chunks: readonly (string | Uint8Array)[], coding?: string): readonly [number, Seen] {
  const beginning = new ReplyBeginning(coding);
  for (const [index, chunk] of chunks.entries()) {
    const seen = beginning.see(Buffer.from(chunk));
    if (seen !== 'nothing') return [index, seen];
  }
  return [chunks.length, beginning.end()];
}

const zstd = await Zstd.load();
const zstdSync = (bytes: Buffer): Buffer => Buffer.from(zstd.compress(bytes));

/** A frame of zstd that says the window is 8 MiB, each text in a block of its own. */
function zstdBlocks(texts: readonly string[]): Buffer {
  const blocks = texts.map((text, index) => {
    const head = Buffer.alloc(3);
    head.writeUIntLE((text.length << 3) | (index === texts.length - 1 ? 1 : 0), 0, 3);
    return Buffer.concat([head, Buffer.from(text)]);
  });
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x68]), ...blocks]);
}

function afterPings(count: number): Buffer {
  return zstdBlocks([...Array.from({ length: count }, () => ': ping\n'), chatLine('H')]);
}

/** Packed bytes that more may follow. */
function flushed(text: string): Buffer {
  return gzipSync(text, { finishFlush: constants.Z_SYNC_FLUSH });
}

/** A line of Ollama's. */
function chatLine(content: string): string {
  return `${JSON.stringify({ model: 'm', message: { role: 'assistant', content }, done: false })}\n`;
}

describe('the first content of a stream is', () => {
  const firstContents: readonly [recording: string, content: string][] = [
    ['openai/__fixtures__/chat-response.sse', '"content":"The har"'],
    ['openai/__fixtures__/chat-stream-audio.sse', '"audio":{'],
    ['openai/__fixtures__/chat-stream-azure.sse', '"content":"'],
    ['openai/__fixtures__/chat-stream-openrouter.sse', '"'],
    ['openai/__fixtures__/chat-stream-reasoning.sse', '"reasoning_content":"'],
    ['openai/__fixtures__/chat-stream-refusal.sse', '"refusal":"'],
    ['openai/__fixtures__/chat-stream-tools.sse', '"arguments":"{'],
    ['openai/__fixtures__/chat-stream-magistral.sse', '"thinking"'],
    ['openai/__fixtures__/completions-response.sse', '"text":"'],
    ['openai/__fixtures__/images-response.sse', '"b64_json":"iVBORw=="'],
    ['openai/__fixtures__/responses-response.sse', 'response.reasoning_summary_text.delta'],
    ['openai/__fixtures__/responses-stream-broken.sse', 'response.function_call_arguments.delta'],
    ['openai/__fixtures__/responses-stream-incomplete.sse', 'response.output_text.delta'],
    ['openai/__fixtures__/speech-response.sse', '"audio":"'],
    ['openai/__fixtures__/transcriptions-response.sse', 'transcript.text.delta'],
    ['openai/__fixtures__/transcriptions-stream-mistral.sse', '"text":"The harbour'],
    ['anthropic/__fixtures__/messages-response.sse', '"text":"The harbour opens"'],
    ['anthropic/__fixtures__/messages-stream-tools.sse', '"thinking":"'],
    ['google/__fixtures__/generate-response.sse', '"text": "Tides '],
    ['google/__fixtures__/generate-list.txt', '"text": "Tides '],
    ['google/__fixtures__/interactions-response.sse', '"text":"The day '],
    ['cohere/__fixtures__/chat-response.sse', '"text":"The harbour opens"'],
    ['cohere/__fixtures__/chat-stream-tools.sse', '"thinking":"Two ports,"'],
  ];
  it.each(firstContents)('in %s %s', (recording, content) => {
    const events = eventsOf(recording);
    const [index, seen] = firstSeen(events);
    expect(seen).toBe('content');
    expect(events[index]).toContain(content);
    // In pieces of one byte it comes with the end of its line.
    const bytes = Buffer.from(events.join(''));
    const [at] = firstSeen([...bytes].map((byte) => Uint8Array.of(byte)));
    expect(bytes.toString('utf8', 0, at + 1)).toContain(content);
    expect(events.slice(0, index).join('').length).toBeLessThan(bytes.toString('utf8', 0, at + 1).length);
  });

  it.each([
    ['events', 'converse-response.sse', encodeAmazonEvents, 1],
    ['chunks', 'invoke-response.sse', encodeAmazonChunks, 1],
  ] as const)("in Amazon's %s the text of a delta", (_kind, recording, encode, first) => {
    const events = eventsOf(`amazon/__fixtures__/${recording}`).map((event) => encode(readServerSentEvents([Buffer.from(event)])));
    expect(firstSeen(events)).toEqual([first, 'content']);
  });

  it('in lines of JSON the first text that is not empty', () => {
    expect(firstSeen([chatLine(''), chatLine('H')])).toEqual([1, 'content']);
    expect(firstSeen(['{"model":"m","response":""}\n', '{"model":"m","response":"H"}\n'])).toEqual([1, 'content']);
  });

  it('found behind an event that repeats a long request, and in one that is a picture of megabytes', () => {
    const created = `event: response.created\ndata: {"type":"response.created","response":{"text":"long","instructions":"${'x'.repeat(300_000)}"}}\n\n`;
    const picture = `event: image_generation.partial_image\ndata: {"type":"image_generation.partial_image","b64_json":"${'A'.repeat(2_500_000)}`;
    expect(firstSeen([created, ': a comment\n\n', picture])).toEqual([2, 'content']);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['deflate', deflateRawSync],
    ['zstd', zstdSync],
    ['gzip, br', (bytes: Buffer) => brotliCompressSync(gzipSync(bytes))],
    ['Zstd,identity,x-gzip', (bytes: Buffer) => gzipSync(zstdSync(bytes))],
    ['identity, identity', (bytes: Buffer) => bytes],
  ] as const)('found in %s', (coding, pack) => {
    const packed = pack(Buffer.from(eventsOf('openai/__fixtures__/chat-response.sse').join('')));
    expect(firstSeen([packed.subarray(0, 12), packed.subarray(12)], coding)).toEqual([1, 'content']);
  });

  it('found in zstd block by block, and not sought behind the 64th', () => {
    expect([3, 63, 64].map((pings) => firstSeen([afterPings(pings)], 'zstd')[1])).toEqual(['content', 'content', 'nothing']);
    const some = afterPings(3);
    const cut = some.indexOf('{');
    expect(firstSeen([some.subarray(0, cut), some.subarray(cut)], 'zstd')).toEqual([1, 'content']);
  });

  it('a picture that comes alone', () => {
    const [role, picture] = [
      { role: 'assistant', content: '' },
      { images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==' } }] },
    ];
    const events = [role, picture].map((delta) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
    expect(firstSeen(events)).toEqual([1, 'content']);
  });

  it('not sought for ever: packed bytes that come one by one are unpacked 64 times, and a file is looked at for 16 MiB', () => {
    const packed = gzipSync(Buffer.from(`: ${randomBytes(400).toString('hex')}\n${chatLine('H')}`));
    expect(
      firstSeen(
        [...packed].map((byte) => Uint8Array.of(byte)),
        'gzip',
      )[1],
    ).toBe('nothing');
    expect(firstSeen([packed.subarray(0, 300), packed.subarray(300)], 'gzip')[1]).toBe('content');
    const file = Buffer.alloc(1024 * 1024, 'no member\n');
    expect(firstSeen([...Array.from({ length: 15 }, () => file), chatLine('H')])[1]).toBe('content');
    expect(firstSeen([...Array.from({ length: 17 }, () => file), chatLine('H')])[1]).toBe('nothing');
  });

  it('not sought for ever: what unpacks to much is unpacked for 2 MiB', () => {
    const soon = flushed(`: ${'x'.repeat(100_000)}\n${chatLine('H')}`);
    const seenAfter = (pieces: number): Seen => {
      const at = soon.length - 20;
      const early = Array.from({ length: pieces }, (_, index) => soon.subarray(at - pieces + index, at - pieces + index + 1));
      return firstSeen([soon.subarray(0, at - pieces), ...early, soon.subarray(at)], 'gzip')[1];
    };
    expect([seenAfter(5), seenAfter(40)]).toEqual(['content', 'nothing']);
    const overlong = flushed('x'.repeat(600_000));
    expect(firstSeen([overlong, flushed(`\n${chatLine('H')}`)], 'gzip')[1]).toBe('nothing');
  });

  it('whatever ends the lines', () => {
    for (const end of ['\r\n', '\r', '\n']) {
      const text = `: ping\nevent: content_block_delta\ndata: {"delta":{"type":"text_delta","text":""}}\n\nevent: message_delta\ndata: {"text":"x"}\n\n`;
      const last = 'event: content_block_delta\ndata: {"delta":{"type":"text_delta","text":"H"}}\n\n';
      expect(firstSeen([text.replaceAll('\n', end), last.replaceAll('\n', end)])).toEqual([1, 'content']);
    }
  });
});

it('no recorded stream of an answer is without content', () => {
  const providers = ['openai', 'anthropic', 'google', 'cohere', 'amazon'];
  const streams = providers.flatMap((provider) =>
    readdirSync(new URL(`${provider}/__fixtures__/`, recordings))
      .filter((name) => name.endsWith('.sse'))
      .map((name) => `${provider}/__fixtures__/${name}`),
  );
  expect(streams.length).toBeGreaterThan(30);
  expect(streams.filter((name) => firstSeen(eventsOf(name))[1] !== 'content')).toEqual([]);
});

describe('the record of a stream', () => {
  let rig: Rig | undefined;
  afterEach(async () => rig?.close());
  const sent = requestText(
    'POST /v1/chat/completions',
    ['Content-Type: application/json', `Svc-Auth: Bearer ${ourKey}`, 'Authorization: Bearer k'],
    '{}',
  );

  it('has the time to its first content beside that to its first byte', async () => {
    const provider = await startProvider((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(': ping\n\ndata: {"choices":[{"delta":{"role":"assistant","content":""}}]}\n\n');
      setTimeout(() => response.end('data: {"choices":[{"delta":{"content":"H"}}]}\n\ndata: [DONE]\n\n'), 60);
    });
    rig = await startRig({ providers: openAiAt(provider.port) });
    await call(rig.port, sent);
    const [exchange] = await rig.exchanges(1);
    const { firstByteMs = 0, firstTokenMs } = exchange?.end ?? {};
    expect(firstTokenMs ?? 0).toBeGreaterThan(firstByteMs);
    await provider.close();
  });

  it('that brings no content has none', async () => {
    const provider = await startProvider((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.end('event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n');
    });
    rig = await startRig({ providers: openAiAt(provider.port) });
    await call(rig.port, sent);
    const [exchange] = await rig.exchanges(1);
    expect(exchange?.end?.firstTokenMs).toBeNull();
    await provider.close();
  });
});
