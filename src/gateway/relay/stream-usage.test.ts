import * as fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { openAiAt, type Rig, type RigOptions, startRig } from '../testing/gateway-harness.ts';
import { withIncludeUsage, supportsIncludeUsage, UsageChunkFilter } from './stream-usage.ts';
import { bodyOf, call, ourKey, requestText, startProvider } from '../testing/raw-http.ts';

describe('the question in the body', () => {
  const bodies: readonly [why: string, body: string, asked: string | undefined][] = [
    ['no options', '{ "stream" : true }', '{"stream_options":{"include_usage":true}, "stream" : true }'],
    ['white space before', ' \n{"stream":true}', ' \n{"stream_options":{"include_usage":true},"stream":true}'],
    ['empty options', '{"stream_options": { },"stream":true}', '{"stream_options": {"include_usage":true },"stream":true}'],
    [
      'other options',
      '{"stream_options":{ "x":[1,{"include_usage":2}]},"stream":true}',
      '{"stream_options":{"include_usage":true, "x":[1,{"include_usage":2}]},"stream":true}',
    ],
    [
      'an answer of no',
      '{"stream":true,"stream_options":{"a":1,"include_usage": false }}',
      '{"stream":true,"stream_options":{"a":1,"include_usage": true }}',
    ],
    ['null options', '{"stream":true,"stream_options":null}', '{"stream":true,"stream_options":{"include_usage":true}}'],
    [
      'the name below the top and in texts',
      String.raw`{"a":{"stream_options":null},"b":["stream_options"],"c":"\"stream_options\":1","stream":true}`,
      String.raw`{"stream_options":{"include_usage":true},"a":{"stream_options":null},"b":["stream_options"],"c":"\"stream_options\":1","stream":true}`,
    ],
    [
      'options twice: the last one counts',
      '{"stream_options":{"include_usage":true},"stream":true,"stream_options":{"include_usage":0}}',
      '{"stream_options":{"include_usage":true},"stream":true,"stream_options":{"include_usage":true}}',
    ],
    ['a byte order mark before', '\ufeff{"stream":true}', '\ufeff{"stream_options":{"include_usage":true},"stream":true}'],
    ['asked already', '{"stream":true,"stream_options":{"include_usage":true}}', undefined],
    ['no stream', '{"stream":false}', undefined],
    ['no word of a stream', '{}', undefined],
    ['options that are none', '{"stream":true,"stream_options":"x"}', undefined],
    ['a name with escapes', String.raw`{"stream":true,"stream\u005foptions":{}}`, undefined],
    ['no JSON', '{"stream":true', undefined],
    ['no object', '[true]', undefined],
    ['nothing', '', undefined],
  ];
  for (const [why, body, asked] of bodies) {
    it(why, () => {
      expect(withIncludeUsage(Buffer.from(body))?.toString()).toBe(asked);
    });

    it(`${why}, in a body that is not parsed for that, as it is large`, () => {
      const rest = ' '.repeat(100_000);
      expect(withIncludeUsage(Buffer.from(body + rest))?.toString()).toBe(asked === undefined ? undefined : asked + rest);
    });
  }

  it.each([
    ['options of many KiB', `{"stream":true,"stream_options":{"a":"${'x'.repeat(100_000)}"}}`],
    ['very many members', `{"stream":true${',"a":1'.repeat(100_000)}}`],
    ['something behind the object', `{"stream":true}${' '.repeat(100_000)}x`],
  ])('a large body is left as it is with %s', (_why, body) => {
    expect(withIncludeUsage(Buffer.from(body))).toBeUndefined();
  });

  it('whatever the body, the question is added and nothing else changes (seed 5)', () => {
    const key = fc.constantFrom('a', 'model', 'stream_options', 'include_usage', '"', '\\', '{', 'é');
    const options = fc.option(fc.dictionary(key, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }), { nil: null });
    const object = fc.dictionary(key, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 });
    fc.assert(
      fc.property(object, fc.option(options, { nil: undefined }), fc.constantFrom(undefined, 1, '\t'), (fields, given, space) => {
        const { stream_options: _dropped, ...others } = fields;
        const body = { ...others, stream: true, ...(given === undefined ? {} : { stream_options: given }) };
        const asked = withIncludeUsage(Buffer.from(JSON.stringify(body, null, space))) ?? Buffer.from(JSON.stringify(body));
        expect(JSON.parse(asked.toString())).toEqual({ ...body, stream_options: { ...given, include_usage: true } });
      }),
      { seed: 5, numRuns: 1000 },
    );
  });

  it('is for paths of completions', () => {
    expect(
      [
        '/v1/chat/completions',
        '/v1/completions?x=1',
        '/openai/deployments/d/chat/completions?api-version=1',
        '/v1/completions/',
        '/v1/responses',
        '/v1/messages',
        '/v1/chat/completions/id',
        '/v1/x?y=/completions',
      ].map(supportsIncludeUsage),
    ).toEqual([true, true, true, true, false, false, false, false]);
  });
});

const event = (data: string, end = '\n\n'): string => `data: ${data}${end}`;
const content = event('{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":null}');
const usage = event('{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}');
const done = event('[DONE]');

/** What passes of a stream that comes in these pieces. */
function filtered(pieces: readonly string[]): string {
  const filter = new UsageChunkFilter();
  const passed = pieces.map((piece) => filter.pass(Buffer.from(piece)).toString('latin1'));
  return passed.join('') + filter.rest().toString('latin1');
}

describe('the usage in the stream', () => {
  const streams: readonly [why: string, stream: string, passed: string][] = [
    ['usage alone', content + usage + done, content + done],
    ['usage beside a choice', event('{"choices":[{"index":0}],"usage":{"total_tokens":3}}') + done, ''],
    ['a first chunk without choices, as Azure sends it', event('{"choices":[],"usage":null,"prompt_filter_results":[]}') + content, ''],
    ['carriage returns', `${content}${usage}`.replaceAll('\n', '\r\n') + done, content.replaceAll('\n', '\r\n') + done],
    ['lone carriage returns', `${usage}${content}`.replaceAll('\n', '\r'), content.replaceAll('\n', '\r')],
    ['several lines of data', `id: 1\ndata: {"choices":[],\ndata: "usage":{}}\n\n${done}`, done],
    ['no end of the last event', content + usage.trimEnd(), content],
    ['a broken event at the end', content + usage.slice(0, 40), ''],
    ['comments and blank lines', `: ping\n\n\n\n${content}`, ''],
    ['no JSON', event('"usage"') + event('{"usage"'), ''],
    ['something else', 'hello\n\nworld', ''],
  ];
  for (const [why, stream, passed] of streams) {
    it(`${why}, in whatever pieces it comes`, () => {
      const expected = passed === '' ? stream : passed;
      expect(filtered([stream])).toBe(expected);
      expect(filtered(stream.split(''))).toBe(expected);
      for (let at = 0; at <= stream.length; at += 1) expect(filtered([stream.slice(0, at), stream.slice(at)])).toBe(expected);
    });
  }

  it('an event that is whole does not wait for the next one', () => {
    const filter = new UsageChunkFilter();
    expect(filter.pass(Buffer.from(content + content.slice(0, 9))).toString()).toBe(content);
    expect(filter.pass(Buffer.from(content.slice(9))).toString()).toBe(content);
  });

  it('JSON passes as it comes, whatever it is called', () => {
    const filter = new UsageChunkFilter();
    const pieces = ['\n', '{"choices":[],', '"usage":{}}', '\n\n'];
    expect(pieces.map((piece) => filter.pass(Buffer.from(piece)).toString()).join('') + filter.rest().toString()).toBe(pieces.join(''));
    const lines = new UsageChunkFilter();
    expect(lines.pass(Buffer.from('{"done":false}\n')).toString()).toBe('{"done":false}\n');
  });

  it('an event without an end passes once it is over a mebibyte', () => {
    const filter = new UsageChunkFilter();
    const piece = Buffer.alloc(400_000, 'x');
    expect([1, 2, 3, 4].map(() => filter.pass(piece).length)).toEqual([0, 0, 1_200_000, 400_000]);
    expect(filter.rest().length).toBe(0);
  });
});

const json = 'Content-Type: application/json';
const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

interface Asked {
  readonly rig: Rig;
  readonly bodies: string[];
  readonly encodings: (string | undefined)[];
}

/** A provider that streams, with a usage chunk when it is asked, compressed when it may. */
async function streaming(options: RigOptions = {}, head: Readonly<Record<string, string>> = {}): Promise<Asked> {
  const bodies: string[] = [];
  const encodings: (string | undefined)[] = [];
  const provider = await startProvider((request, response) => {
    void bodyOf(request).then((bytes) => {
      const body = bytes.toString();
      bodies.push(body);
      const accepted = request.headers['accept-encoding'];
      encodings.push(typeof accepted === 'string' ? accepted : undefined);
      const stream = Buffer.from(content + (body.includes('"include_usage":true') ? usage : '') + done);
      const packed = accepted === 'gzip' ? gzipSync(stream) : stream;
      response.writeHead(200, {
        'Content-Type': 'text/event-stream',
        ...head,
        ...(accepted === 'gzip' ? { 'Content-Encoding': 'gzip' } : {}),
        ...(head['Content-Length'] === undefined ? {} : { 'Content-Length': packed.length }),
      });
      response.end(packed);
    });
  });
  const rig = await startRig({ ...options, providers: { ...openAiAt(provider.port), ...options.providers } });
  opened.push(rig, provider);
  return { rig, bodies, encodings };
}

const ask = (body: string, headers: readonly string[] = ['Svc-Stream-Usage: true']): string =>
  requestText('POST /v1/chat/completions', [json, ...headers], body);

describe('Svc-Stream-Usage', () => {
  it('asks for the usage, records it, and keeps it from a client that did not ask', async () => {
    const { rig, bodies } = await streaming();
    const response = await call(rig.port, ask('{"model":"openai/m","stream":true}'));
    expect([response.status, response.body.toString(), response.header('svc-warning')]).toEqual([200, content + done, undefined]);
    expect(bodies).toEqual(['{"stream_options":{"include_usage":true},"model":"m","stream":true}']);
    const [exchange] = await rig.exchanges(1);
    expect(Buffer.from(exchange?.responseBody ?? []).toString()).toBe(content + usage + done);
    // The record has the request as the caller sent it.
    expect(Buffer.from(exchange?.requestBody ?? []).toString()).toBe('{"model":"openai/m","stream":true}');
  });

  it('a client that asked itself gets the usage, byte for byte', async () => {
    const { rig, bodies } = await streaming();
    const body = '{"stream":true,"stream_options":{"include_usage":true}}';
    expect((await call(rig.port, ask(body))).body.toString()).toBe(content + usage + done);
    expect(bodies).toEqual([body]);
  });

  it.each([
    ['without the header', []],
    ['false', ['Svc-Stream-Usage: false']],
  ])('%s nothing changes', async (_name, headers) => {
    const { rig, bodies, encodings } = await streaming();
    const response = await call(rig.port, ask('{"stream":true}', [...headers, 'Accept-Encoding: br']));
    expect([response.body.toString(), bodies, encodings]).toEqual([content + done, ['{"stream":true}'], ['br']]);
  });

  it.each(['application/json', 'text/plain'])('keeps it from a client also where the stream is called %s', async (type) => {
    const { rig } = await streaming({}, { 'Content-Type': type });
    expect((await call(rig.port, ask('{"stream":true}'))).body.toString()).toBe(content + done);
  });

  it('a stream with a length loses it, and one that would be compressed is not', async () => {
    const { rig, encodings } = await streaming({}, { 'Content-Length': 'yes' });
    const response = await call(rig.port, ask('{"stream":true}', ['Svc-Stream-Usage: true', 'Accept-Encoding: gzip']));
    expect([response.body.toString(), response.header('content-length'), response.header('content-encoding')]).toEqual([
      content + done,
      undefined,
      undefined,
    ]);
    expect(encodings).toEqual(['identity']);
  });

  it('works under a provider`s path, at a target, with the alias, and for echo', async () => {
    const { rig, bodies } = await streaming();
    const path = requestText('POST /openai/v1/chat/completions', [json, 'Helicone-Stream-Usage: true'], '{"stream":true}');
    expect((await call(rig.port, path)).body.toString()).toBe(content + done);
    expect(bodies[0]).toContain('include_usage');
    const body = '{"model":"echo/x","stream":true,"messages":[{"role":"user","content":"hi"}]}';
    const echo = await call(rig.port, ask(body, ['Svc-Stream-Usage: true', `Authorization: Bearer ${ourKey}`]));
    expect([echo.body.includes('[DONE]'), echo.body.includes('"prompt_tokens"')]).toEqual([true, false]);
    const exchange = (await rig.exchanges(2))[1];
    expect(Buffer.from(exchange?.responseBody ?? []).toString()).toContain('"prompt_tokens":1');
  });

  it('is asked of a fallback of a provider that is never asked, and kept from the client', async () => {
    const down = await startProvider((_request, response) => response.writeHead(500).end());
    opened.push(down);
    const { rig, bodies } = await streaming({
      providers: { mistral: { baseUrl: `http://127.0.0.1:${down.port}/v1` } },
      ports: { providerKeys: { find: () => 'stored-key', providersOf: () => new Set() } },
    });
    const reply = await call(rig.port, ask('{"model":"mistral/m, openai/n","stream":true}'));
    expect([reply.status, reply.body.toString()]).toEqual([200, content + done]);
    expect(bodies).toEqual(['{"stream_options":{"include_usage":true},"model":"n","stream":true}']);
  });

  it('a body that is not read whole goes as it is, with a warning', async () => {
    const { rig, bodies } = await streaming({ limits: { routeMaxBytes: 64 } });
    const body = `{"stream":true,"x":"${'y'.repeat(100)}"}`;
    const reply = await call(rig.port, ask(body));
    expect([reply.body.toString(), bodies]).toEqual([content + done, [body]]);
    expect(reply.header('svc-warning')).toContain('Svc-Stream-Usage was not applied');
  });

  it('another word is 422', async () => {
    const { rig, bodies } = await streaming();
    const reply = await call(rig.port, ask('{"stream":true}', ['Svc-Stream-Usage: yes']));
    expect([reply.status, reply.body.toString(), bodies]).toEqual([
      422,
      expect.stringContaining('Svc-Stream-Usage takes true or false; got \\"yes\\".'),
      [],
    ]);
  });

  it('a provider that breaks off: what came of an event goes to the client, and the connection breaks', async () => {
    const provider = await startProvider((request, response) => {
      request.resume();
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(content + content.slice(0, 12), () => setImmediate(() => response.destroy()));
    });
    const rig = await startRig({ providers: openAiAt(provider.port) });
    opened.push(rig, provider);
    const reply = await call(rig.port, ask('{"stream":true}'));
    expect([reply.isComplete, reply.body.toString()]).toEqual([false, content + content.slice(0, 12)]);
    const [exchange] = await rig.exchanges(1);
    expect(exchange?.end?.outcome).toBe('provider_broke');
  });
});

it.each([
  ['one line', (index: number) => (index === 0 ? 'data: ' : 'abcdefgh')],
  ['many lines', () => 'data: x\r\n'],
])('the work for an event of nearly 1 MiB in small pieces is bounded by its bytes, of %s', (_what, pieceAt) => {
  const filter = new UsageChunkFilter();
  const pieces = Array.from({ length: 100_000 }, (_, index) => pieceAt(index));
  expect(pieces.filter((piece) => filter.pass(Buffer.from(piece)).length > 0)).toEqual([]);
  const whole = filter.pass(Buffer.from('\r\n\r\n')).toString();
  expect(whole + filter.rest().toString()).toBe(`${pieces.join('')}\r\n\r\n`);
  expect(filter.processedBytes).toBeLessThan(8 * whole.length);
});

describe('a stream that was made to take long to look through', () => {
  it.each([
    ['line feeds', '\n'],
    ['carriage returns and line feeds', '\r\n'],
    ['events of nothing', 'data:{}\n\n'],
    ['events with a usage of null, as OpenAI sends them', content],
    ['events that are not whole', 'data:"usage"\n\n'],
  ])('%s pass as they came, without a copy or a piece for each', (_what, unit) => {
    const chunk = Buffer.from(unit.repeat(10_000));
    const passed = new UsageChunkFilter().pass(chunk);
    expect([passed.buffer === chunk.buffer, passed.byteOffset, passed.length]).toEqual([true, chunk.byteOffset, chunk.length]);
  });

  it('one usage is kept from the client among very many other events', () => {
    const many = content.repeat(10_000);
    expect(filtered([many + usage + many])).toBe(many + many);
    expect(filtered([many, usage, many])).toBe(many + many);
  });

  it('of very many events that say usage alone a hundred are looked at, and the rest pass', () => {
    const filter = new UsageChunkFilter();
    const chunk = Buffer.from(usage.repeat(50));
    const passed = Array.from({ length: 4 }, () => filter.pass(chunk).length);
    expect(passed).toEqual([0, 0, chunk.length - usage.length, chunk.length]);
  });

  it('an event of many KiB is none of usage alone, and is not parsed', () => {
    const large = event(`{"choices":[],"usage":{"a":"${'x'.repeat(20_000)}"}}`);
    expect(filtered([large + usage + done])).toBe(large + done);
  });
});
