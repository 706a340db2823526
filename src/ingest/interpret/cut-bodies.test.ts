import { describe, expect, test } from 'vitest';
import { withoutLongRuns } from '../../model/json/long-runs.ts';
import { encodeAmazonEvents } from '../../providers/amazon/testing/encode-events.ts';
import { interpret, type InterpretSketch, json, stream } from '../testing/exchange-builder.ts';

const chunk = (content: string): string => `data: ${JSON.stringify({ model: 'gpt-4o', choices: [{ index: 0, delta: { content } }] })}\n\n`;
const usageChunk = `data: ${JSON.stringify({ model: 'gpt-4o', choices: [], usage: { prompt_tokens: 7, completion_tokens: 64_000 } })}\n\ndata: [DONE]\n\n`;
const field = (name: string, value: string): string => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const openAi = { provider: 'openai', path: '/v1/chat/completions' };

describe('of a reply that is longer than what is recorded', () => {
  test('a stream has the usage of its end, and the text that was recorded', () => {
    const record = interpret({
      open: openAi,
      headers: stream,
      response: `${chunk('The harb')}data: {"mod`,
      responseTail: `r"}\n\n${usageChunk}`,
      end: { responseCut: true },
    });
    expect(record).toMatchObject({
      model: 'gpt-4o',
      completionText: 'The harb',
      responseBodyCut: true,
      usage: { promptTokens: 7, completionTokens: 64_000, estimated: false },
      costSource: 'price-book',
    });
  });

  test('a usage that stands across the cut is read too', () => {
    const whole = chunk('The harb') + usageChunk;
    for (let cut = chunk('The harb').length; cut < whole.length; cut += 1) {
      const record = interpret({
        open: openAi,
        headers: stream,
        response: whole.slice(0, cut),
        responseTail: whole.slice(cut),
        end: { responseCut: true, responseBytes: whole.length },
      });
      expect([cut, record.usage.completionTokens]).toEqual([cut, 64_000]);
    }
  });

  test('of Anthropic has the input of its beginning and the output of its end', () => {
    const start = {
      type: 'message_start',
      message: { id: 'm', model: 'claude-sonnet-4-5', usage: { input_tokens: 11, output_tokens: 1 } },
    };
    const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 900 } };
    const record = interpret({
      open: { provider: 'anthropic', path: '/v1/messages' },
      headers: stream,
      response: `event: message_start\ndata: ${JSON.stringify(start)}\n\n`,
      responseTail: `lost"}}\n\nevent: message_delta\ndata: ${JSON.stringify(end)}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n`,
      end: { responseCut: true },
    });
    expect(record).toMatchObject({ model: 'claude-sonnet-4-5', usage: { promptTokens: 11, completionTokens: 900, estimated: false } });
  });

  test('a picture is billed by the usage behind it', () => {
    const record = interpret({
      open: { provider: 'openai', path: '/v1/images/generations' },
      request: '{"model":"gpt-image-1","prompt":"a ferry"}',
      headers: json,
      response: '{"created":1,"data":[{"b64_json":"aaaa',
      responseTail:
        'aaa"}],"background":"opaque","usage":{"input_tokens":50,"output_tokens":6240,"input_tokens_details":{"text_tokens":50}}}',
      end: { responseCut: true },
    });
    expect(record).toMatchObject({ usage: { promptTokens: 50, completionTokens: 6240 }, costSource: 'price-book' });
  });

  test('pictures of a response are billed at their own price', () => {
    const record = interpret({
      open: { provider: 'openai', path: '/v1/responses' },
      request: '{"model":"gpt-4o","input":"a ferry"}',
      headers: json,
      response: '{"id":"r","object":"response","model":"gpt-4o","output":[{"result":"aaaa',
      responseTail:
        'aa"}],"tool_usage":{"image_gen":{"input_tokens":5,"output_tokens":4160,"total_tokens":4165,"output_tokens_details":{"image_tokens":4160}}},' +
        '"tools":[{"type":"image_generation","model":"gpt-image-1"}],"usage":{"input_tokens":100,"output_tokens":50,"total_tokens":150}}',
      end: { responseCut: true },
    });
    expect(record).toMatchObject({ usage: { promptTokens: 105, completionTokens: 4210 }, costSource: 'price-book' });
    expect(record.priceReference).toContain(' + openai/gpt-image-1');
  });

  test('a usage that is not of the outermost object is none', () => {
    const responseTail = 'a","inner":{"usage":{"input_tokens":1,"output_tokens":2}}}]}';
    const record = interpret({
      open: { provider: 'openai', path: '/v1/images/generations' },
      response: '{"data":[{"b',
      responseTail,
      end: { responseCut: true },
    });
    expect(record.usage).toMatchObject({ promptTokens: null, completionTokens: null });
  });

  test('of a compressed body the end is not read', () => {
    const headers = { ...stream, 'content-encoding': 'gzip' };
    expect(
      interpret({ open: openAi, headers, response: 'x', responseTail: usageChunk, end: { responseCut: true } }).usage.completionTokens,
    ).toBeNull();
  });
});

/** A response of which the gateway records the given bytes, and the last of the rest without its long strings. */
function cutAt(bytes: number, response: string | Buffer, sketch: InterpretSketch) {
  const all = Buffer.from(response);
  const rest = withoutLongRuns(all.subarray(bytes));
  const follows = rest.length <= 65_536 ? { responseTailFollows: true as const } : {};
  const end = { responseCut: true as const, responseBytes: all.length, ...follows };
  return interpret({ ...sketch, response: all.subarray(0, bytes), responseTail: rest.subarray(-65_536), end });
}

const sse = (events: readonly { readonly type: string }[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
const line = (rest: object): string => `${JSON.stringify({ model: 'm', message: { content: 'word' }, done: false, ...rest })}\n`;
const picture = 'iVBORw0KGgo'.repeat(50_000);
const chunkOf = (rest: object): string =>
  JSON.stringify({ candidates: [{ content: { parts: [{ inlineData: { data: picture } }] } }], ...rest });

describe('of a reply with pictures of megabytes', () => {
  const item = { type: 'image_generation_call', id: 'ig', status: 'completed', result: picture };
  const tools = {
    tools: [{ type: 'image_generation', model: 'gpt-image-1' }],
    tool_usage: { image_gen: { input_tokens: 20, output_tokens: 6000, total_tokens: 6020 } },
  };
  const counted = { usage: { input_tokens: 300, output_tokens: 40, total_tokens: 340 } };
  const partial = { type: 'response.image_generation_call.partial_image', output_index: 0, partial_image_b64: picture };
  const answer = { id: 'r', object: 'response', status: 'completed', model: 'gpt-4o' };
  const open = { provider: 'openai', path: '/v1/responses' };
  const request = '{"model":"gpt-4o","input":"a ferry"}';
  const billed = { usage: { promptTokens: 320, completionTokens: 6040, estimated: false }, costSource: 'price-book' };

  test.each([
    ['behind them', { ...answer, output: [item], ...tools, ...counted }],
    ['before them', { ...answer, ...counted, ...tools, output: [item] }],
  ])('the usage of a stream is read %s, wherever the recorded part ends', (_place, response) => {
    const all = sse([
      { type: 'response.created' },
      partial,
      partial,
      partial,
      { type: 'response.output_item.done', output_index: 0, item } as never,
      { type: 'response.completed', response } as never,
    ]);
    for (const bytes of [100, 600_000, 2_000_000, all.length - 700_000, all.length - 400_000, all.length - 20]) {
      expect(cutAt(bytes, all, { open, request, headers: stream })).toMatchObject(billed);
      expect(cutAt(bytes, all, { open, request, headers: {} })).toMatchObject(billed);
    }
  });

  test.each([
    ['behind them', { ...answer, output: [item, item], ...tools, ...counted }],
    ['before them', { ...answer, ...counted, ...tools, output: [item, item] }],
  ])('the usage of a body is read %s, wherever the recorded part ends', (_place, response) => {
    const all = JSON.stringify(response);
    for (const bytes of [600, 300_000, 800_000, all.length - 300, all.length - 20]) {
      expect(cutAt(bytes, all, { open, request, headers: json })).toMatchObject(billed);
    }
  });

  test('the usage of a stream of pictures is that of its last event', () => {
    const events = [
      { type: 'image_generation.partial_image', b64_json: picture },
      { type: 'image_generation.completed', b64_json: picture, usage: { input_tokens: 23, output_tokens: 8300, total_tokens: 8323 } },
    ];
    const sketch = { open: { provider: 'openai', path: '/v1/images/generations' }, request: '{"model":"gpt-image-1"}', headers: stream };
    for (const bytes of [100, 600_000, 1_000_000]) {
      expect(cutAt(bytes, sse(events), sketch)).toMatchObject({ usage: { promptTokens: 23, completionTokens: 8300 } });
    }
  });

  test('the usage of Gemini is read in a stream, a list and a body', () => {
    const last = chunkOf({
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 1290, totalTokenCount: 1299 },
      modelVersion: 'gemini-2.5-flash-image',
    });
    const path = '/v1beta/models/gemini-2.5-flash-image:streamGenerateContent';
    const usage = { promptTokens: 9, completionTokens: 1290 };
    for (const [response, headers] of [
      [`data: ${chunkOf({})}\n\ndata: ${last}\n\n`, stream],
      [`[${chunkOf({})}\n,\n${last}\n]`, json],
      [last, json],
    ] as const) {
      expect(cutAt(300_000, response, { open: { provider: 'gemini', path }, headers })).toMatchObject({ usage });
    }
  });
});

describe('of a reply whose last event is longer than what is kept of the end', () => {
  /** Strings that are not shortened. */
  const code = 'if (name === "harbour") return "a ferry";\n'.repeat(6000);
  const tools = Array.from({ length: 900 }, (_, index) => ({
    type: 'function',
    name: `tool_${index}`,
    parameters: {
      type: 'object',
      properties: { usage: { type: 'string' }, service_tier: { type: 'string', description: 'A word. '.repeat(20) } },
    },
  }));
  const counted = { usage: { input_tokens: 300, output_tokens: 64_000, total_tokens: 64_300 }, user: null, metadata: {} };
  const answer = { id: 'r', object: 'response', status: 'completed', model: 'gpt-4o' };
  const output = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: code }] }];
  const billed = { model: 'gpt-4o', usage: { promptTokens: 300, completionTokens: 64_000, estimated: false } };
  const open = { provider: 'openai', path: '/v1/responses' };
  const request = '{"model":"gpt-4o","input":"a ferry"}';

  test.each([
    ['an answer with quotation marks', { ...answer, output, service_tier: 'priority', tools: [], ...counted }, 'priority'],
    ['an answer and tools', { ...answer, output, tools, service_tier: 'priority', ...counted }, 'priority'],
    ['tools behind its tier', { ...answer, output, service_tier: 'priority', tools, ...counted }, ''],
  ])('by %s, the usage is read wherever the recorded part ends', (_what, response, serviceTier) => {
    const completed = { type: 'response.completed', response };
    for (const last of [completed, { ...completed, sequence_number: 7 }]) {
      const all = sse([
        { type: 'response.created', response: answer } as never,
        { type: 'response.output_text.delta', delta: code } as never,
        last,
      ]);
      for (const bytes of [300, 200_000, 300_000, all.length - 70_000, all.length - 20]) {
        const record = cutAt(bytes, all, { open, request, headers: stream });
        expect(record).toMatchObject(billed);
        expect(['priority', serviceTier]).toContain(record.serviceTier);
      }
    }
  });

  test('the usage of a chunk of Gemini is read', () => {
    const last = {
      candidates: [{ content: { parts: [{ text: code }] } }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 64_000 },
    };
    const all = `data: ${JSON.stringify({ candidates: [] })}\n\ndata: ${JSON.stringify({ ...last, modelVersion: 'gemini-2.5-flash' })}\r\n\r\n`;
    const path = '/v1beta/models/gemini-2.5-flash:streamGenerateContent';
    for (const bytes of [30, 100_000, all.length - 40]) {
      const record = cutAt(bytes, all, { open: { provider: 'gemini', path }, headers: stream });
      expect(record).toMatchObject({ usage: { promptTokens: 9, completionTokens: 64_000 } });
    }
  });

  test('counts deeper in it are none', () => {
    const response = { ...answer, output, inner: [{ usage: counted.usage }], metadata: {} };
    const all = sse([{ type: 'response.created', response: answer } as never, { type: 'response.completed', response } as never]);
    expect(cutAt(200, all, { open, request, headers: stream }).usage).toMatchObject({ promptTokens: null });
  });

  test('the tier of a body that stands before its tools is read', () => {
    const all = JSON.stringify({ ...answer, service_tier: 'priority', output, tools: [], ...counted });
    expect(cutAt(200, all, { open, request, headers: json })).toMatchObject({ ...billed, serviceTier: 'priority' });
    expect(
      cutAt(200, JSON.stringify({ ...answer, output, service_tier: 'priority', tools: [], ...counted }), { open, request, headers: json }),
    ).toMatchObject({
      ...billed,
      serviceTier: 'priority',
    });
  });
});

describe('of a reply in lines or messages', () => {
  test('the last line is read', () => {
    const all = line({}).repeat(3000) + line({ done: true, prompt_eval_count: 9, eval_count: 3000 });
    const record = cutAt(10_000, all, { open: { provider: 'ollama', path: '/api/chat' }, headers: json });
    expect(record.usage).toMatchObject({ promptTokens: 9, completionTokens: 3000, estimated: false });
  });

  test('the last messages of Amazon are read', () => {
    const delta = { event: 'contentBlockDelta', data: JSON.stringify({ contentBlockIndex: 0, delta: { text: 'word' } }) };
    const end = [
      { event: 'messageStop', data: '{"stopReason":"end_turn"}' },
      { event: 'metadata', data: '{"usage":{"inputTokens":9,"outputTokens":3000,"totalTokens":3009}}' },
    ];
    const all = encodeAmazonEvents([...Array.from({ length: 3000 }, () => delta), ...end]);
    const sketch = {
      open: { provider: 'bedrock', path: '/model/amazon.nova-lite-v1:0/converse-stream' },
      headers: { 'content-type': 'application/vnd.amazon.eventstream' },
    };
    const record = cutAt(10_000, all, sketch);
    expect(record.usage).toMatchObject({ promptTokens: 9, completionTokens: 3000, estimated: false });
  });
});

const cutRequest = (request: string, requestTail: string) =>
  interpret({ open: openAi, request, requestTail, response: '{}', headers: json, end: { requestCut: true, status: 500 } });

describe('of a JSON request that is longer than what is recorded', () => {
  test('model and user are those before the cut', () => {
    const before = '{"metadata":{"model":"no"},"model":"gpt-4o","n":[{"user":"no"}],"user":"ann \\"x\\"","messages":[{"content":"aaa';
    expect(cutRequest(before, 'a,"user":"no"}]}')).toMatchObject({ requestModel: 'gpt-4o', userId: 'ann "x"' });
  });

  test('or behind it', () => {
    expect(cutRequest('{"messages":[{"content":"aaa', 'aaa","model":"no"}],"user":"ann","model":"gpt-4o"}')).toMatchObject({
      requestModel: 'gpt-4o',
      userId: 'ann',
    });
  });

  test('or nowhere', () => {
    expect(cutRequest('{"messages":[{"content":"\\"model\\":\\"no\\"aaa', 'aaa"}]}')).toMatchObject({ requestModel: '', userId: '' });
  });
});

test('a form whose file is longer than what is recorded has the fields behind it', () => {
  const record = interpret({
    open: { provider: 'openai', path: '/v1/audio/transcriptions' },
    requestHeaders: { 'content-type': 'multipart/form-data; boundary=b' },
    request: `${field('prompt', 'Ferries.')}--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\n\r\nsound`,
    requestTail: `more sound\r\n${field('model', 'whisper-1')}--b--\r\n`,
    response: '{"text":"Ahoy","usage":{"type":"duration","seconds":1500}}',
    end: { requestCut: true },
  });
  expect(record).toMatchObject({
    requestModel: 'whisper-1',
    promptText: 'Ferries.',
    usage: { audioSeconds: 1500 },
    costSource: 'price-book',
  });
});
