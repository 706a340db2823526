import { describe, expect, it } from 'vitest';
import { GatelogError } from '../../model/errors.ts';
import { logPaths } from '../../model/vocabulary/log-paths.ts';
import { type ReadLog, readLog } from './read-log.ts';

const now = Date.UTC(2026, 3, 5, 12);
const startedAt = now - 5000;
const split = (ms: number) => ({ seconds: Math.floor(ms / 1000), milliseconds: ms % 1000 });
const timing = { startTime: split(startedAt), endTime: split(startedAt + 250), timeToFirstToken: 90 };

const chatRequest = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] };
const chatResponse = { id: 'c', object: 'chat.completion', model: 'gpt-4o-mini', choices: [], usage: { prompt_tokens: 3 } };

interface Sketch {
  readonly url?: unknown;
  readonly json?: unknown;
  readonly meta?: unknown;
  readonly response?: object;
  readonly timing?: unknown;
  readonly more?: object;
}

function bodyOf({ url = 'custom-model-nopath', json = chatRequest, meta = {}, response = {}, timing: told = timing, more = {} }: Sketch) {
  return {
    providerRequest: { url, json, meta },
    providerResponse: { json: chatResponse, status: 200, headers: {}, ...response },
    timing: told,
    ...more,
  };
}

function read(sketch: Sketch = {}, path = '/custom/v1/log', headers: readonly string[] = []): ReadLog {
  return readText(JSON.stringify(bodyOf(sketch)), path, headers);
}

function readText(text: string, path = '/custom/v1/log', headers: readonly string[] = []): ReadLog {
  const logPath = logPaths.get(path);
  if (logPath === undefined) throw new Error(`${path} takes no logs`);
  return readLog(Buffer.from(text), { logPath, headers, now });
}

function faultOf(given: () => unknown): { code: string; path: unknown; message: string } {
  try {
    given();
  } catch (error) {
    if (error instanceof GatelogError) return { code: error.code, path: error.details?.['path'], message: error.message };
    throw error;
  }
  throw new Error('it was taken');
}

const textWith = (response: string): string =>
  `{"providerRequest":{"url":"custom-model-nopath","json":{"seed":9007199254740993}},"providerResponse":{"json":${response},"status":200},"timing":${JSON.stringify(timing)}}`;

describe('the numbers of a logged call', () => {
  it('keep their digits in both bodies, and in the data of a stream', () => {
    const { call } = readText(textWith('{"order":2512292042121000001,"rate":1.0}'));
    expect(call.requestBody.toString()).toBe('{"seed":9007199254740993}');
    expect(call.response.body.toString()).toBe('{"order":2512292042121000001,"rate":1.0}');
    expect(readText(textWith('{"streamed_data":[{"order":-0}]}')).call.response.body.toString()).toBe('data: {"order":-0}\n\n');
  });
});

describe('the address of a logged call', () => {
  const anthropicRequest = { model: 'claude-3-5-haiku-latest', system: 's', messages: [] };
  const anthropicResponse = { json: { type: 'message', content: [] } };
  const geminiRequest = { model: 'gemini-2.0-flash', contents: [] };

  it.each<readonly [what: string, path: string, given: Sketch, target: { provider: string; path: string; targetUrl?: string }]>([
    ['of OpenAI by the path of the log', '/oai/v1/log', {}, { provider: 'openai', path: '/v1/chat/completions' }],
    ['of Anthropic', '/anthropic/v1/log', { response: anthropicResponse }, { provider: 'anthropic', path: '/v1/messages' }],
    [
      'of Google',
      '/googleapis/v1/log',
      { json: geminiRequest },
      { provider: 'gemini', path: '/v1beta/models/gemini-2.0-flash:generateContent' },
    ],
    ['of nobody', '/custom/v1/log', {}, { provider: 'custom', path: '/v1/chat/completions' }],
    ['of whom the body names', '/custom/v1/log', { more: { provider: 'GROQ' } }, { provider: 'groq', path: '/v1/chat/completions' }],
    [
      'of whom the body names by an alias',
      '/custom/v1/log',
      { more: { provider: 'X' } },
      { provider: 'xai', path: '/v1/chat/completions' },
    ],
    ['of a name that nobody knows', '/custom/v1/log', { more: { provider: 'ACME' } }, { provider: 'custom', path: '/v1/chat/completions' }],
    ['of the maker of the shape', '/v1/trace/custom/log', {}, { provider: 'openai', path: '/v1/chat/completions' }],
    [
      'of another maker',
      '/v1/trace/custom/log',
      { json: anthropicRequest, response: anthropicResponse },
      { provider: 'anthropic', path: '/v1/messages' },
    ],
    [
      'of no maker',
      '/v1/trace/custom/log',
      { json: { a: 1 }, response: { json: { b: 2 } } },
      { provider: 'custom', path: 'custom-model-nopath' },
    ],
    [
      'by its address, whatever the path of the log',
      '/oai/v1/log',
      { url: 'https://api.anthropic.com/v1/messages' },
      { provider: 'anthropic', path: '/v1/messages', targetUrl: 'https://api.anthropic.com/v1/messages' },
    ],
    [
      'by a base address, as LiteLLM sends it',
      '/oai/v1/log',
      { url: 'https://api.openai.com/v1' },
      { provider: 'openai', path: '/v1/chat/completions', targetUrl: 'https://api.openai.com/v1' },
    ],
    [
      'of Azure',
      '/oai/v1/log',
      { url: 'https://acme.openai.azure.com/openai/deployments/x/chat/completions?api-version=1' },
      {
        provider: 'azure',
        path: '/openai/deployments/x/chat/completions?api-version=1',
        targetUrl: 'https://acme.openai.azure.com/openai/deployments/x/chat/completions?api-version=1',
      },
    ],
    [
      'of another host',
      '/custom/v1/log',
      { url: 'https://llm.example.com/v1/embeddings', json: { input: 'a' } },
      { provider: 'custom', path: '/v1/embeddings', targetUrl: 'https://llm.example.com/v1/embeddings' },
    ],
    [
      'of embeddings',
      '/oai/v1/log',
      { json: { input: 'a' }, response: { json: { data: [{ embedding: [] }] } } },
      { provider: 'openai', path: '/v1/embeddings' },
    ],
    ['of responses', '/oai/v1/log', { json: { input: 'a' }, response: { json: {} } }, { provider: 'openai', path: '/v1/responses' }],
    [
      'of images',
      '/oai/v1/log',
      { json: { prompt: 'a' }, response: { json: { data: [{ url: 'x' }] } } },
      { provider: 'openai', path: '/v1/images/generations' },
    ],
    ['of completions', '/oai/v1/log', { json: { prompt: 'a' }, response: { json: {} } }, { provider: 'openai', path: '/v1/completions' }],
    [
      'of a tool, which has none',
      '/oai/v1/log',
      { json: { _type: 'tool', toolName: 'clock' } },
      { provider: 'custom', path: 'custom-model-nopath' },
    ],
    [
      'of a stream of Anthropic',
      '/custom/v1/log',
      { response: { json: {}, textBody: 'event: message_start\ndata: {"type":"message_start"}\n\n' } },
      { provider: 'custom', path: '/v1/messages' },
    ],
  ])('%s', (_what, path, given, target) => {
    expect(read(given, path).call).toMatchObject({ targetUrl: '', ...target });
  });
});

describe('the times of a logged call', () => {
  it.each<readonly [string, unknown]>([
    ['seconds and milliseconds', timing],
    ['ISO 8601', { startTime: new Date(startedAt).toISOString(), endTime: new Date(startedAt + 250).toISOString(), timeToFirstToken: 90 }],
    ['Unix milliseconds', { startTime: startedAt, endTime: startedAt + 250, timeToFirstToken: 89.6 }],
    ['digits', { startTime: String(startedAt), endTime: String(startedAt + 250), timeToFirstToken: 90 }],
    ['Unix seconds with a fraction', { startTime: startedAt / 1000, endTime: (startedAt + 250) / 1000, timeToFirstToken: 90 }],
  ])('are read from %s', (_what, told) => {
    expect(read({ timing: told }).call).toMatchObject({ startedAt, elapsedMs: 250, firstTokenMs: 90 });
  });

  it('are those of its arrival when there are none, and no latency', () => {
    expect(read({ timing: null }).call).toMatchObject({ startedAt: now, elapsedMs: undefined, firstTokenMs: undefined });
  });
});

const responseOf = (response: object) => {
  const { status, headers, body } = read({ response }).call.response;
  return { status, headers, body: Buffer.from(body).toString() };
};

describe('the response of a logged call', () => {
  it('is its JSON', () => {
    expect(responseOf({})).toEqual({ status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(chatResponse) });
  });

  it.each([
    ['JSON', '{"a":1}', 'application/json'],
    ['a stream', 'data: {"a":1}\n\ndata: [DONE]\n\n', 'text/event-stream'],
    ['a stream that begins with a comment', ': ping\n\ndata: {}\n\n', 'text/event-stream'],
    ['JSON by line', '{"a":1}\n{"a":2}\n', 'application/json'],
    ['anything', 'Error: no', 'text/plain'],
    ['nothing', '', 'text/plain'],
  ])('is its text: %s', (_what, textBody, type) => {
    expect(responseOf({ json: {}, textBody })).toEqual({ status: 200, headers: { 'content-type': type }, body: textBody });
  });

  it('is a stream where the JSON lists its data', () => {
    expect(responseOf({ json: { streamed_data: [{ a: 1 }, { a: 2 }] } })).toMatchObject({
      headers: { 'content-type': 'text/event-stream' },
      body: 'data: {"a":1}\n\ndata: {"a":2}\n\n',
    });
  });

  it('has its headers but those that describe other bytes', () => {
    const headers = {
      'Content-Encoding': 'gzip',
      'content-length': '5',
      'Content-Type': 'text/event-stream',
      'x-request-id': 'req_1',
      n: 1,
    };
    expect(responseOf({ headers }).headers).toEqual({ 'content-type': 'application/json', 'x-request-id': 'req_1', n: '1' });
  });

  it.each([
    [503, 503],
    [-3, 499],
    [-2, 0],
    [0, 0],
  ])('has the status %i as %i', (told, status) => {
    expect(responseOf({ status: told }).status).toBe(status);
  });
});

describe('the tags of a logged call', () => {
  it('come from meta, by the same names as headers, in any script', () => {
    const meta = {
      'Helicone-Property-Team': 'Süd 東',
      'Svc-User-Id': 'ann',
      'helicone-session-id': 's',
      'Svc-Omit-Request': 'true',
      'Svc-Property-N': 7,
    };
    const { call, aliased } = read({ meta });
    expect(aliased).toBe(true);
    expect(call.tags).toEqual({
      properties: [
        { name: 'Team', value: 'Süd 東' },
        { name: 'N', value: '7' },
      ],
      userId: 'ann',
      sessionId: 's',
      aliasedNames: true,
      requestBody: 'counted',
    });
  });

  it('come from headers of the log, which win', () => {
    const headers = ['Svc-User-Id', 'bob', 'helicone-property-team', 'b'];
    const { tags } = read({ meta: { 'Svc-User-Id': 'ann', 'Svc-Property-Plan': 'a' } }, '/custom/v1/log', headers).call;
    expect(tags).toMatchObject({ userId: 'bob' });
    expect(tags.properties.map(({ name, value }) => [name, value])).toEqual([
      ['Plan', 'a'],
      ['team', 'b'],
    ]);
  });

  it('have the identifier', () => {
    const id = '0B5F0C3E-77AB-4F0E-9D7A-111111111111';
    expect(read({ meta: { 'Helicone-Request-Id': id } }).call.requestId).toBe(id.toLowerCase());
    expect(read().call.requestId).toBeUndefined();
  });

  it('hold no key', () => {
    const { call } = read({ meta: { 'Helicone-Auth': 'Bearer sk-svc-us-secret', authorization: 'Bearer sk-x' } });
    expect(JSON.stringify(call)).not.toContain('secret');
    expect(JSON.stringify(call)).not.toContain('sk-x');
  });

  it('have the cost that the response states, unless a header does', () => {
    expect(read({ response: { cost: 0.25 } }).call.tags.cost).toBe('0.250000000000');
    expect(read({ response: { cost: 0.25 }, meta: { 'Svc-Cost': '3' } }).call.tags.cost).toBe('3');
    expect(read().call.tags.cost).toBeUndefined();
  });

  it('say that a step which is no model call costs nothing', () => {
    expect(read({ json: { _type: 'vector_db', operation: 'search' } }).call.tags.cost).toBe('0');
    expect(read({ json: { _type: 'tool', toolName: 'x' }, response: { cost: 1 } }).call.tags.cost).toBe('1.000000000000');
  });
});

describe('a bad log says what is wrong, and where', () => {
  it.each<readonly [what: string, body: object, path: string, sentence: RegExp]>([
    ['no request', { providerResponse: {}, timing }, 'providerRequest', /must be an object with `url`, `json` and `meta`; it is missing/],
    ['no address', bodyOf({ url: '' }), 'providerRequest.url', /must be the address of the call, or "custom-model-nopath"; it is ""/],
    ['a long address', bodyOf({ url: `https://${'a'.repeat(9000)}` }), 'providerRequest.url', /more than 8192 bytes/],
    ['no body', { ...bodyOf({}), providerRequest: { url: 'a', meta: {} } }, 'providerRequest.json', /must be the body of the request/],
    ['meta that is no object', bodyOf({ meta: 'a' }), 'providerRequest.meta', /an object of names and texts; it is "a"/],
    [
      'a tag that is no text',
      bodyOf({ meta: { 'Svc-User-Id': { a: 1 } } }),
      'providerRequest.meta["Svc-User-Id"]',
      /must be a text; it is an object/,
    ],
    ['an identifier that is no UUID', bodyOf({ meta: { 'Svc-Request-Id': 'a' } }), 'providerRequest.meta', /must be a UUID.*it is "a"/],
    [
      'a directive without a meaning',
      bodyOf({ meta: { 'Svc-Omit-Request': 'maybe' } }),
      'providerRequest.meta',
      /Svc-Omit-Request takes true, strict or false/,
    ],
    ['no response', { ...bodyOf({}), providerResponse: null }, 'providerResponse', /must be an object/],
    [
      'no status',
      bodyOf({ response: { status: undefined } }),
      'providerResponse.status',
      /must be an HTTP status, such as 200; it is missing/,
    ],
    ['a status that is a text', bodyOf({ response: { status: '200' } }), 'providerResponse.status', /it is "200"/],
    ['a status with a fraction', bodyOf({ response: { status: 200.5 } }), 'providerResponse.status', /a whole number/],
    ['a status beyond all', bodyOf({ response: { status: 1000 } }), 'providerResponse.status', /it is 1000/],
    [
      'no body of the response',
      bodyOf({ response: { json: undefined } }),
      'providerResponse.json',
      /send the response as `json`, or its text as `textBody`/,
    ],
    ['a text body that is none', bodyOf({ response: { textBody: 1 } }), 'providerResponse.textBody', /must be a text/],
    ['a negative cost', bodyOf({ response: { cost: -1 } }), 'providerResponse.cost', /US dollars from 0/],
    [
      'a time of another shape',
      bodyOf({ timing: { startTime: 'soon', endTime: 1 } }),
      'timing.startTime',
      /must be a time: .*; it is "soon"/,
    ],
    ['no end', bodyOf({ timing: { startTime: startedAt } }), 'timing.endTime', /it is missing/],
    [
      'seconds that are a text',
      bodyOf({ timing: { startTime: { seconds: '1' }, endTime: 1 } }),
      'timing.startTime.seconds',
      /Unix seconds; it is "1"/,
    ],
    [
      'milliseconds as seconds',
      bodyOf({ timing: { startTime: { seconds: startedAt }, endTime: { seconds: startedAt } } }),
      'timing.startTime',
      /in the future; `seconds` are Unix seconds/,
    ],
    ['a time long ago', bodyOf({ timing: { startTime: 1000, endTime: 1001 } }), 'timing.startTime', /before 2015/],
    ['an end before the start', bodyOf({ timing: { startTime: startedAt, endTime: startedAt - 1 } }), 'timing.endTime', /before the start/],
    [
      'a call of a year',
      bodyOf({ timing: { startTime: startedAt - 31_536_000_000, endTime: startedAt } }),
      'timing.endTime',
      /more than 30 days/,
    ],
    [
      'a first token before the start',
      bodyOf({ timing: { ...timing, timeToFirstToken: -1 } }),
      'timing.timeToFirstToken',
      /must be a number/,
    ],
    ['a provider that is no text', bodyOf({ more: { provider: 1 } }), 'provider', /must be a text/],
  ])('%s', (_what, body, path, sentence) => {
    const fault = faultOf(() => readText(JSON.stringify(body)));
    expect(fault).toMatchObject({ code: 'invalid_body', path });
    expect(fault.message).toMatch(sentence);
    expect(fault.message).toMatch(/\.$/);
  });

  it.each([
    ['no JSON', '{', 'malformed_json', /not valid JSON; send \{"providerRequest"/],
    ['nothing', ' ', 'malformed_json', /is empty; send/],
    ['values too deep', `${'['.repeat(600)}${']'.repeat(600)}`, 'malformed_json', /more than 500 levels deep/],
    ['too many values', `[${'{},'.repeat(2_000_000)}1]`, 'malformed_json', /more values than are read/],
    ['many odd numbers', `{"a":[${'1.0,'.repeat(200_000)}1.0]}`, 'malformed_json', /more numbers that JavaScript/],
    ['a list', '[]', 'invalid_body', /The body must be a call/],
  ])('%s', (_what, text, code, sentence) => {
    const fault = faultOf(() => readText(text));
    expect(fault.code).toBe(code);
    expect(fault.message).toMatch(sentence);
  });
});

describe('a warning', () => {
  it('names fields that a log does not have, with the nearest', () => {
    const { unknown } = readText(JSON.stringify({ ...bodyOf({ response: { textbody: 'a' } }), timings: {} }));
    expect(unknown).toEqual([
      { path: 'timings', sentence: '"timings" is not a field of a log and was ignored. Did you mean `timing`?' },
      {
        path: 'providerResponse.textbody',
        sentence: '"providerResponse.textbody" is not a field of a log and was ignored. Did you mean `textBody`?',
      },
    ]);
  });

  it('names tags over their limits, which are left out', () => {
    const { call, warnings } = read({ meta: { 'Svc-User-Id': 'a'.repeat(9000) } }, '/oai/v1/log');
    expect(call.tags.userId).toBeUndefined();
    expect(warnings).toEqual(['Svc-User-Id is over 8192 bytes and was not stored']);
  });

  it('says that a call without a provider has no price, unless it needs none', () => {
    const told = /name it in "provider"/;
    expect(read().warnings).toEqual([expect.stringMatching(told)]);
    expect(read({ response: { cost: 1 } }).warnings).toEqual([]);
    expect(read({ json: { _type: 'tool', toolName: 'x' } }).warnings).toEqual([]);
    expect(read({}, '/oai/v1/log').warnings).toEqual([]);
  });
});
