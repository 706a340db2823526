import { Zstd } from '@hpcc-js/wasm-zstd';
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { encodeAmazonEvents } from '../../providers/amazon/testing/encode-events.ts';
import { type Answer, attemptsOf, chat, closeAll, fallbacks, retrying, scene, toAnthropic } from '../testing/scripted-provider.ts';
import { call, openClient, until } from '../testing/raw-http.ts';

afterEach(closeAll);

const overloaded = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';
const role = 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n';
const content = 'data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n';
const done = 'data: [DONE]\n\n';
const errorChunk = 'data: {"error":{"code":502,"message":"The provider disconnected"}}\n\n';
const good = '{"answer":1,"model":"answering-model"}';
const events = { 'Content-Type': 'text/event-stream' };

/** A reply of status 200 in pieces, each written after the one before has left. */
function pieces(parts: readonly (string | Uint8Array)[], headers: Readonly<Record<string, string>> = events): Answer {
  return (_request, response) => {
    response.writeHead(200, headers);
    const next = (index: number): void => {
      const part = parts[index];
      if (part === undefined) response.end();
      else response.write(part, () => setImmediate(next, index + 1));
    };
    next(0);
  };
}

/** Writes this and ends its connection. */
function breaksAfter(text: string): Answer {
  return (_request, response) => {
    response.writeHead(200, events);
    response.flushHeaders();
    if (text === '') response.socket?.end();
    else response.write(text, () => response.socket?.end());
  };
}

/** Writes the first text at once; the rest when told. */
function slow(first: string): { readonly answer: Answer; readonly rest: (text: string) => void } {
  let held: ServerResponse | undefined;
  return {
    answer: (_request, response) => {
      held = response;
      response.writeHead(200, events);
      response.write(first);
    },
    rest: (text) => held?.end(text),
  };
}

const json = { 'Content-Type': 'application/json' };
const packed = (coding: string): Readonly<Record<string, string>> => ({ ...events, 'Content-Encoding': coding });

const zstd = await Zstd.load();
const zstdSync = (text: string | Buffer): Buffer => Buffer.from(zstd.compress(Buffer.from(text)));
const longError = '{\n  "error": {\n    "code": 503\n  }\n}\n';

describe('a reply of status 200 that begins with an error goes on to the fallback', () => {
  const failing: readonly (readonly [name: string, answer: Answer])[] = [
    ['Anthropic`s event', pieces([`event: error\ndata: ${overloaded}\n\n`])],
    ['the event cut in two', pieces(['event: er', `ror\ndata: ${overloaded}\n\n`])],
    ['an error chunk', pieces([errorChunk, done])],
    ['after a comment and the role', pieces([': waiting\n\n', role, errorChunk])],
    [
      '`response.failed`',
      pieces(['data: {"type":"response.created","response":{"error":null}}\n\n', 'data: {"type":"response.failed"}\n\n']),
    ],
    ['a choice that failed', pieces(['data: {"choices":[{"delta":{"content":""},"finish_reason":"error"}]}\n\n'])],
    ['JSON', pieces([overloaded], json)],
    ['an error that is true, with a message beside it', pieces(['{"error":true,"message":"Busy"}'], json)],
    ['JSON over several lines', pieces(['{\n  "error": {\n', '    "code": 503,\n    "message": "Busy"\n  }\n}\n'], json)],
    ['a list of one error', pieces(['[{\n  "error": {\n    "code": 503\n  }\n}\n]'], json)],
    ['a line of JSON', pieces(['{"error":"model runner has stopped"}\n'], { 'Content-Type': 'application/x-ndjson' })],
    ['without a content type', pieces([errorChunk], {})],
    [
      'an Amazon exception',
      pieces([encodeAmazonEvents([{ event: 'error', data: '{"type":"throttlingException"}' }])], {
        'Content-Type': 'application/vnd.amazon.eventstream',
      }),
    ],
    ['in gzip', pieces([gzipSync(role + errorChunk)], packed('gzip'))],
    ['in deflate', pieces([deflateSync(errorChunk)], packed('deflate'))],
    ['in br', pieces([brotliCompressSync(overloaded)], { ...json, 'Content-Encoding': 'br' })],
    ['in deflate without its header', pieces([deflateRawSync(errorChunk)], packed('deflate'))],
    ['in zstd', pieces([zstdSync(role + errorChunk)], packed('zstd'))],
    ['in two codings', pieces([brotliCompressSync(gzipSync(errorChunk))], packed('gzip, br'))],
    ['over several lines, in two codings', pieces([gzipSync(zstdSync(longError))], { ...json, 'Content-Encoding': 'zstd, gzip' })],
    ['over several lines, in deflate without its header', pieces([deflateRawSync(longError)], { ...json, 'Content-Encoding': 'deflate' })],
    ['a choice with an error', pieces(['data: {"choices":[{"delta":{"content":""},"error":{"code":502}}]}\n\n'])],
  ];
  it.each(failing)('%s', async (_name, answer) => {
    const { rig } = await scene({ first: [answer] });
    const response = await call(rig.port, chat([toAnthropic]));
    expect([response.body.toString(), response.header('svc-attempts'), response.header('svc-fallback-index')]).toEqual([good, '2', '1']);
    const [exchange] = await rig.exchanges(1);
    expect(attemptsOf(exchange)).toEqual([
      ['openai', 200, 'reply_error'],
      ['anthropic', 200],
    ]);
    expect([exchange?.open.provider, exchange?.responseBody.toString()]).toEqual(['anthropic', good]);
  });

  it('also to the next of a list of models in the body', async () => {
    const { rig } = await scene({ first: [pieces([role, errorChunk])] });
    const response = await call(rig.port, chat([], '{"model":"gpt-4o,anthropic/claude"}'));
    expect([response.body.toString(), response.header('svc-fallback-index')]).toEqual([good, '1']);
  });

  it('after the retries, where they are asked for', async () => {
    const { rig, first } = await scene({ first: [pieces([errorChunk])] });
    const response = await call(rig.port, chat([...retrying(2), toAnthropic]));
    expect([response.header('svc-attempts'), first.requests.length]).toEqual(['4', 3]);
  });

  it('one that breaks off before any content does too', async () => {
    for (const text of ['', role]) {
      const { rig } = await scene({ first: [breaksAfter(text)] });
      expect((await call(rig.port, chat([toAnthropic]))).body.toString()).toBe(good);
      expect(attemptsOf((await rig.exchanges(1))[0])).toEqual([
        ['openai', 200, 'provider_broke'],
        ['anthropic', 200],
      ]);
    }
  });

  it('the last destination`s reply is passed on as it came', async () => {
    const { rig } = await scene({ first: [pieces([errorChunk])], second: [pieces([role, errorChunk])] });
    const response = await call(rig.port, chat([toAnthropic]));
    expect([response.status, response.body.toString(), response.header('svc-fallback-index')]).toEqual([200, role + errorChunk, '1']);
  });
});

describe('a reply is passed on byte for byte', () => {
  const passing: readonly (readonly [name: string, parts: readonly (string | Uint8Array)[], headers: Readonly<Record<string, string>>])[] =
    [
      ['that has content', [role, content, done], events],
      ['that has content in gzip', [gzipSync(role + content + done)], packed('gzip')],
      ['that has content in zstd', [zstdSync(role + content + done)], packed('zstd')],
      ['with an error after content', [content, errorChunk], events],
      ['with an error beside an answer', ['{"error":{"code":1},"choices":[{"message":{"content":"Hi"}}]}'], json],
      ['that only quotes an error', ['data: {"choices":[{"delta":{"role":"\\"error\\""}}]}\n\n', done], events],
      // https://github.com/BerriAI/litellm/issues/18407: Apertis sends the last form with each good answer.
      ...['""', '{}', '[]', 'false', '0', '{"message":"","type":"","param":"","code":null}'].flatMap(
        (error): (typeof passing)[number][] => [
          [`whose error is ${error}`, [`{"error":${error},"output":[]}`], json],
          [
            `with a piece whose error is ${error}`,
            [`data: {"error":${error},"choices":[{"delta":{"content":""}}]}\n\n`, content, done],
            events,
          ],
        ],
      ),
      ['whose error is null', ['{"id":"resp_1","error":null,"output":[]}'], json],
      ['without content', ['{"object":"list","data":[]}'], json],
      ['without a body', [], events],
      ['of sound', [Uint8Array.of(0xff, 0xfb, 1, 2, 3)], { 'Content-Type': 'audio/mpeg' }],
      ['in a coding that is not read', [Uint8Array.of(1, 2, 3)], packed('unknown')],
    ];
  it.each(passing)('%s', async (_name, parts, headers) => {
    const { rig, second } = await scene({ first: [pieces(parts, headers)] });
    const response = await call(rig.port, chat([toAnthropic]));
    const sent = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
    expect([response.body.equals(sent), response.header('svc-fallback-index'), second.requests.length]).toEqual([true, '0', 0]);
    const [exchange] = await rig.exchanges(1);
    expect([Buffer.compare(exchange?.responseBody ?? sent, sent), exchange?.end?.attempts]).toEqual([0, undefined]);
  });

  it('where no fallback takes over from 502', async () => {
    for (const header of [fallbacks({ provider: 'anthropic', on: [429] }), retrying(3).join('\r\n')]) {
      const { answer, rest } = slow(role);
      const { rig, first } = await scene({ first: [answer] });
      const client = await openClient(rig.port);
      client.send(chat([header]));
      await client.until('"role":"assistant"');
      rest(errorChunk);
      await client.until('The provider disconnected');
      expect(first.requests.length).toBe(1);
      client.socket.destroy();
    }
  });

  it('when its first content takes longer than two seconds', async () => {
    const { answer, rest } = slow(role);
    const { rig, second } = await scene({ first: [answer] });
    const client = await openClient(rig.port);
    client.send(chat([toAnthropic]));
    await client.until('"role":"assistant"');
    rest(errorChunk);
    await client.until('The provider disconnected');
    const [exchange] = await rig.exchanges(1);
    expect([second.requests.length, exchange?.responseBody.toString(), exchange?.end?.attempts]).toEqual([0, role + errorChunk, undefined]);
    expect(exchange?.end?.firstByteMs).toBeLessThan(exchange?.responseHead?.elapsedMs ?? 0);
    client.socket.destroy();
  });

  it('when its head alone has come for two seconds', async () => {
    const { rig } = await scene({
      first: [
        (_request, response) => {
          response.writeHead(200, events);
          response.flushHeaders();
        },
      ],
    });
    const client = await openClient(rig.port);
    client.send(chat([toAnthropic]));
    await client.until('svc-fallback-index: 0');
    expect(client.text()).not.toContain('data:');
    client.socket.destroy();
  });

  it('when its beginning is larger than 64 KiB', async () => {
    const { answer, rest } = slow(`: ${'x'.repeat(70_000)}\n\n`);
    const { rig, second } = await scene({ first: [answer] });
    const client = await openClient(rig.port);
    client.send(chat([toAnthropic]));
    await client.until('xxxx');
    rest(errorChunk);
    await client.until('The provider disconnected');
    expect(second.requests.length).toBe(0);
    client.socket.destroy();
  });
});

it('what is held when the client leaves is on record', async () => {
  let isWritten = false;
  const begins: Answer = (_request, response) => {
    response.writeHead(200, events);
    response.write(role, () => {
      isWritten = true;
    });
  };
  const { rig } = await scene({ first: [begins, 200] });
  const client = await openClient(rig.port);
  client.send(chat([toAnthropic]));
  await until(() => isWritten);
  // What comes behind those bytes has been read.
  await call(rig.port, chat([]));
  client.socket.destroy();
  const left = (await rig.exchanges(2)).find(({ end }) => end?.outcome === 'client_left');
  expect([left?.responseHead?.status, left?.responseBody.toString()]).toEqual([200, role]);
});
