import { describe, expect, test } from 'vitest';
import type { LoggedOpen } from '../../model/record/exchange.ts';
import { interpret, type InterpretSketch, json, stream } from '../testing/exchange-builder.ts';

const failureIn = (sketch: InterpretSketch) => interpret(sketch).failure;
const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', model: 'echo-1', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const failing = (message: string): string => JSON.stringify({ error: { message, type: 't' } });
const anthropic = { open: { provider: 'anthropic', path: '/v1/messages' } } as const;

describe('a call that went well', () => {
  test.each<[string, InterpretSketch]>([
    ['with a whole body', {}],
    ['with a whole stream', { headers: stream, response: `${chunk({ content: 'Hi' }, 'stop')}data: [DONE]\n\n` }],
    ['that was redirected', { status: 302 }],
    [
      'whose body has an empty error',
      { response: JSON.stringify({ id: 'r', object: 'response', status: 'completed', error: null, output: [] }) },
    ],
    ...['""', '{}', '[]', 'false', '0', '{"message":"","type":"","param":"","code":null}'].flatMap((error): [string, InterpretSketch][] => [
      [`whose error is ${error}`, { response: `{"id":"r","object":"response","status":"completed","error":${error},"output":[]}` }],
      [
        `whose stream has an error that is ${error}`,
        {
          headers: stream,
          response: `${chunk({ content: 'Hi' })}data: {"error":${error},"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`,
        },
      ],
    ]),
    [
      'whose answer has an error beside it',
      {
        response: JSON.stringify({
          error: { message: 'a tool failed' },
          choices: [{ message: { content: 'Hello' } }],
          usage: { completion_tokens: 3 },
        }),
      },
    ],
    ['whose client left', { end: { outcome: 'client_left' }, headers: stream, response: chunk({ content: 'H' }) }],
    ['of a stream in a format that is not known', { open: { provider: 'nobody' }, headers: stream, response: 'data: a\n\ndata: b\n\n' }],
    ['of a stream of which a part is not on disk', { headers: stream, response: chunk({ content: 'H' }), end: { responseBytes: 10_000 } }],
    ['of a stream that was recorded cut', { headers: stream, response: chunk({ content: 'H' }), end: { responseCut: true } }],
  ])('%s has no failure', (_, sketch) => {
    expect(failureIn(sketch)).toBeNull();
  });
});

describe("a failed status tells the provider's own words", () => {
  test.each<[string, object | string, string, string]>([
    [
      'OpenAI',
      { error: { message: 'No such model', type: 'invalid_request_error', code: 'model_not_found' } },
      'invalid_request_error',
      'No such model',
    ],
    ['Anthropic', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded_error', 'Overloaded'],
    ['Gemini', { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Quota' } }, 'RESOURCE_EXHAUSTED', 'Quota'],
    ['Gemini in a list', [{ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Quota' } }], 'RESOURCE_EXHAUSTED', 'Quota'],
    ['Ollama', { error: 'model not found' }, '', 'model not found'],
    ['Hugging Face', { error: 'Model is loading', error_type: 'overloaded' }, 'overloaded', 'Model is loading'],
    ['Cohere', { message: 'invalid api token' }, '', 'invalid api token'],
    ['Bedrock', { __type: 'ThrottlingException', message: 'Too many requests' }, 'ThrottlingException', 'Too many requests'],
    ['a server of its own', { detail: 'Not Found' }, '', 'Not Found'],
    ['a proxy', '<html>Bad gateway</html>', '', ''],
  ])('%s', (_, body, type, message) => {
    const response = typeof body === 'string' ? body : JSON.stringify(body);
    expect(failureIn({ status: 429, response })).toEqual({ kind: 'status', type, message });
  });
});

const responses = { open: { provider: 'openai', path: '/v1/responses' } } as const;
const cohere = { open: { provider: 'cohere', path: '/v2/chat' } } as const;
const upstreamError = { code: 502, message: 'Upstream is down' };
const event = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

describe('a reply of a good status that tells its error in another place', () => {
  const failedResponse = { id: 'r', object: 'response', status: 'failed', error: null, output: [] };
  const choice = { index: 0, message: { role: 'assistant', content: 'The harb' }, finish_reason: 'error' };

  test.each<[string, InterpretSketch, string, string]>([
    ['a response whose status is failed', { ...responses, response: JSON.stringify(failedResponse) }, '', ''],
    [
      'a stream whose response failed',
      { ...responses, headers: stream, response: event('response.failed', { type: 'response.failed', response: failedResponse }) },
      '',
      '',
    ],
    ['a choice that ended in an error', { response: JSON.stringify({ choices: [choice] }) }, '', ''],
    ['a choice with an error', { response: JSON.stringify({ choices: [{ ...choice, error: upstreamError }] }) }, '502', 'Upstream is down'],
    [
      'a choice of a stream that ended in an error',
      { headers: stream, response: `${chunk({ content: 'The harb' })}${chunk({}, 'error')}data: [DONE]\n\n` },
      '',
      '',
    ],
    ['an answer of Cohere', { ...cohere, response: JSON.stringify({ id: 'c', finish_reason: 'ERROR', message: { content: [] } }) }, '', ''],
    [
      'a stream of no known format',
      {
        open: { provider: 'nobody' },
        headers: stream,
        response: `data: a\n\n${event('error', { type: 'error', error: { type: 'overloaded', message: 'Busy' } })}`,
      },
      'overloaded',
      'Busy',
    ],
    [
      'a stream of no known format, in an event without a name',
      {
        open: { provider: 'nobody' },
        headers: stream,
        response: `data: a\n\ndata: ${JSON.stringify({ error: { type: 'overloaded', message: 'Busy' } })}\n\n`,
      },
      'overloaded',
      'Busy',
    ],
    [
      'an event behind what is recorded',
      {
        ...anthropic,
        headers: stream,
        response: event('message_start', { type: 'message_start', message: { id: 'm', model: 'claude-sonnet-4-5', content: [] } }),
        responseTail: `lost"}}\n\n${event('error', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })}`,
        end: { responseCut: true },
      },
      'overloaded_error',
      'Overloaded',
    ],
    [
      'a failed response behind what is recorded',
      {
        ...responses,
        headers: stream,
        response: event('response.created', { type: 'response.created', response: { id: 'r', object: 'response' } }),
        responseTail: `"}\n\n${event('response.failed', { type: 'response.failed', response: { ...failedResponse, error: { code: 'server_error', message: 'Broken' } } })}`,
        end: { responseCut: true },
      },
      'server_error',
      'Broken',
    ],
    [
      'an event for which the client left',
      {
        ...anthropic,
        headers: stream,
        response: event('error', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
        end: { outcome: 'client_left' },
      },
      'overloaded_error',
      'Overloaded',
    ],
  ])('%s', (_, sketch, type, message) => {
    expect(failureIn(sketch)).toEqual({ kind: 'reply', type, message });
  });

  test.each<[string, InterpretSketch]>([
    [
      'a batch that failed, as a GET shows it',
      {
        open: { method: 'GET', path: '/v1/batches/b' },
        response: JSON.stringify({ id: 'b', object: 'batch', status: 'failed', errors: {} }),
      },
    ],
    [
      'lines of a log that name errors',
      {
        open: { provider: 'nobody' },
        headers: stream,
        response: `data: a\n\ndata: ${JSON.stringify({ step: 1, result: 'ok', error: 'a tool failed' })}\n\n`,
      },
    ],
    ['a choice that is filtered', { response: JSON.stringify({ choices: [{ ...choice, finish_reason: 'content_filter' }] }) }],
  ])('%s is no failure', (_, sketch) => {
    expect(failureIn(sketch)).toBeNull();
  });
});

describe('a reply of a good status', () => {
  test('that is an error has failed', () => {
    const response = JSON.stringify({ error: { message: 'Upstream is down', code: 502 }, user_id: 'u' });
    expect(failureIn({ response })).toEqual({ kind: 'reply', type: '502', message: 'Upstream is down' });
  });

  test('whose error is true has failed, by the message beside it', () => {
    expect(failureIn({ response: '{"error":true,"message":"Busy"}' })).toEqual({ kind: 'reply', type: '', message: 'Busy' });
  });

  test('whose stream carries an error has failed, also behind content', () => {
    const response = `${chunk({ content: 'Hel' })}data: {"error":{"message":"The server had an error","type":"server_error"}}\n\ndata: [DONE]\n\n`;
    expect(failureIn({ headers: stream, response })).toEqual({ kind: 'reply', type: 'server_error', message: 'The server had an error' });
  });

  test('whose stream has an error event of Anthropic has failed', () => {
    const response = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
    expect(failureIn({ ...anthropic, headers: stream, response })).toMatchObject({ kind: 'reply', type: 'overloaded_error' });
  });

  test('that is a response which failed has failed', () => {
    const response = JSON.stringify({
      id: 'resp_1',
      object: 'response',
      status: 'failed',
      error: { code: 'server_error', message: 'Sorry' },
      output: [],
      usage: { input_tokens: 5, output_tokens: 0 },
    });
    expect(failureIn({ open: { provider: 'openai', path: '/v1/responses' }, response })).toMatchObject({ kind: 'reply', message: 'Sorry' });
  });

  test('whose stream ends before its end has failed', () => {
    expect(failureIn({ headers: stream, response: chunk({ content: 'Hel' }) })).toEqual({ kind: 'stream', type: '', message: '' });
  });

  test('from the cache has not', () => {
    const cachedFrom = { requestId: '0197b000-0000-7000-8000-00000000000a', createdAt: 1 };
    expect(failureIn({ open: { cachedFrom }, headers: stream, response: chunk({ content: 'Hel' }) })).toBeNull();
  });
});

describe('a call that broke off', () => {
  test('in the middle of its reply is a broken stream', () => {
    expect(failureIn({ headers: stream, response: chunk({ content: 'Hel' }), end: { outcome: 'provider_broke' } })).toMatchObject({
      kind: 'stream',
    });
  });

  test('with its worker is one too', () => {
    expect(failureIn({ headers: stream, response: chunk({ content: 'Hel' }), end: null })).toMatchObject({ kind: 'stream' });
  });

  test('before its reply has none', () => {
    const response = JSON.stringify({ error: { message: 'No connection', type: 'gatelog_error', code: 'provider_unreachable' } });
    expect(failureIn({ status: 502, response, end: { outcome: 'no_response' } })).toEqual({
      kind: 'no_reply',
      type: 'provider_unreachable',
      message: 'No connection',
    });
  });
});

test('our own refusal says so, with its code', () => {
  const response = JSON.stringify({ error: { message: 'The budget is used up.', type: 'gatelog_error', code: 'budget_exceeded' } });
  expect(failureIn({ status: 429, response, end: { outcome: 'refused' } })).toEqual({
    kind: 'refused',
    type: 'budget_exceeded',
    message: 'The budget is used up.',
  });
});

test('a logged call fails by its status and its reply, as one through the gateway', () => {
  const logged: LoggedOpen['logged'] = { at: 0, identifier: 'fresh', requestBytes: 0, responseBytes: 0 };
  const open: Partial<LoggedOpen> = { logged };
  const response = JSON.stringify({ error: { message: 'Rate limit reached', type: 'tokens', code: 'rate_limit_exceeded' } });
  const told = { type: 'tokens', message: 'Rate limit reached' };
  expect(failureIn({ open, status: 429, response })).toEqual({ kind: 'status', ...told });
  expect(failureIn({ open, status: 200, response })).toEqual({ kind: 'reply', ...told });
  expect(failureIn({ open, status: 0, response })).toEqual({ kind: 'no_reply', ...told });
  expect(failureIn({ open, status: 499, headers: stream, response: chunk({ content: 'H' }) })).toBeNull();
});

describe('the message', () => {
  test('has at most 1 KiB, and no half character', () => {
    const message = failureIn({ status: 500, response: failing(`x${'ü'.repeat(2000)}`) })?.message ?? '';
    expect([Buffer.byteLength(message), message.endsWith('ü')]).toEqual([1023, true]);
  });

  test('is not kept where the response is not', () => {
    expect(failureIn({ status: 500, response: failing('secret'), tags: { responseBody: 'counted' } })).toEqual({
      kind: 'status',
      type: 't',
      message: '',
    });
  });

  test('is redacted before it is cut, so that no half of a secret is left', () => {
    const record = interpret({
      status: 500,
      response: failing(`${'x'.repeat(1020)}anna failed`),
      redact: (texts) => ({ ...texts, failureMessage: texts.failureMessage.replace('anna', '[name]') }),
    });
    expect(record.failure?.message).toBe(`${'x'.repeat(1020)}[nam`);
  });

  test('has no type that redaction made longer than identifiers are, so that an export can be imported', () => {
    const record = interpret({
      status: 500,
      response: failing('anna failed'),
      redact: (texts) => ({ ...texts, failureType: '[name]'.repeat(2000) }),
    });
    expect(record.failure).toEqual({ kind: 'status', type: '', message: 'anna failed' });
  });

  test('is redacted as the response is', () => {
    const record = interpret({
      status: 500,
      response: failing('anna failed'),
      redact: (texts) => ({ ...texts, failureMessage: texts.failureMessage.replace('anna', '[name]') }),
    });
    expect(record.failure?.message).toBe('[name] failed');
  });
});

test('content types do not matter', () => {
  expect(
    failureIn({ status: 500, headers: { ...json, 'content-type': 'text/plain' }, response: '{"error":{"message":"m"}}' }),
  ).toMatchObject({
    message: 'm',
  });
});
