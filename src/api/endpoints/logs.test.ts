import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { logAnswerSchema, logSchema } from '../../contract/requests/logs.ts';
import { problemSchema } from '../../contract/problem.ts';
import type { RequestItem } from '../../contract/requests/item.ts';
import { type IngestRig, openRig } from '../../ingest/testing/ingest-harness.ts';
import { logPaths } from '../../model/vocabulary/log-paths.ts';
import { checked, keyOf } from '../testing/api-harness.ts';
import { Deployment } from '../testing/import-harness.ts';

let rig: IngestRig;
let deployment: Deployment;
beforeAll(async () => {
  rig = await openRig();
  deployment = await new Deployment(rig).start();
});
afterAll(async () => {
  await deployment.stop();
  await rig.close();
});

const startedAt = Date.now() - 3_600_000;
const time = (ms: number) => ({ seconds: Math.floor(ms / 1000), milliseconds: ms % 1000 });
const request = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Where are whales?' }], user: 'bob' };
const response = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'gpt-4o-mini-2024-07-18',
  choices: [{ index: 0, message: { role: 'assistant', content: 'In the sea.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
};
interface Sketch {
  readonly url?: string;
  readonly json?: object;
  readonly meta?: object;
  readonly told?: object;
}

const logOf = ({ url = 'custom-model-nopath', json = request, meta = {}, told = { json: response } }: Sketch = {}) => ({
  providerRequest: { url, json, meta },
  providerResponse: { status: 200, headers: {}, ...told },
  timing: { startTime: time(startedAt), endTime: time(startedAt + 1500), timeToFirstToken: 300 },
});

function post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}, key = keyOf('w')): Promise<Response> {
  return Promise.resolve(
    deployment.api.request(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  );
}

/** Logs a call and reads its record. */
async function logged(path: string, sketch: Sketch = {}): Promise<RequestItem> {
  const { data } = await checked(await post(path, logOf(sketch)), 200, logAnswerSchema);
  await deployment.whenStored();
  const [item] = await deployment.query({ filter: { request_response_rmt: { request_id: { equals: data.request_id } } } });
  if (item === undefined) throw new Error('it is not on record');
  return item;
}

describe('POST of a log', () => {
  test.each([...logPaths.keys()])('%s is 200 with the identifier', async (path) => {
    const answer = await post(path, logOf());
    const { data } = await checked(answer, 200, logAnswerSchema);
    expect(answer.headers.get('svc-id')).toBe(data.request_id);
  });

  test('the example of the schema is one', () => {
    expect(logSchema.safeParse(logOf()).success).toBe(true);
  });

  test('400 for what is no JSON', async () => {
    expect((await checked(await post('/oai/v1/log', '{'), 400, problemSchema)).code).toBe('malformed_json');
  });

  test('401 without a key that is known, 403 for one that may only read', async () => {
    expect((await checked(await post('/oai/v1/log', logOf(), {}, 'sk-svc-us-unknown'), 401, problemSchema)).code).toBe('invalid_key');
    expect((await checked(await post('/oai/v1/log', logOf(), {}, keyOf('r')), 403, problemSchema)).code).toBe('permission_denied');
  });

  test('405 for another method', async () => {
    const answer = await deployment.api.request('/v1/trace/custom/log/oai/v1/log', { headers: { authorization: `Bearer ${keyOf('w')}` } });
    await checked(answer, 405, problemSchema);
    expect(answer.headers.get('allow')).toBe('POST');
  });

  test('413 over the limit of bodies', async () => {
    const problem = await checked(await post('/oai/v1/log', logOf({ json: { text: 'x'.repeat(70_000) } })), 413, problemSchema);
    expect(problem.code).toBe('body_too_large');
  });

  test('415 for another media type', async () => {
    const problem = await checked(await post('/oai/v1/log', logOf(), { 'content-type': 'application/x-protobuf' }), 415, problemSchema);
    expect(problem.code).toBe('unsupported_media_type');
  });

  test('422 with the place of what is wrong', async () => {
    const problem = await checked(await post('/oai/v1/log', logOf({ told: { json: {}, status: 'ok' } })), 422, problemSchema);
    expect(problem).toMatchObject({ code: 'invalid_body', details: { path: 'providerResponse.status' } });
  });

  test('a warning for a field that is not known, and 422 where it must be strict', async () => {
    const body = { ...logOf(), timings: {} };
    const answer = await post('/oai/v1/log', body);
    expect(answer.headers.get('svc-warning')).toContain('Did you mean `timing`?');
    expect((await answer.json()) as object).toMatchObject({ warnings: [expect.stringContaining('"timings"')] });
    await checked(await post('/oai/v1/log', body, { 'svc-strict': 'true' }), 422, problemSchema);
  });

  test('a key of its own header, and the alias of the identifier where Helicone`s are in use', async () => {
    const answer = await deployment.api.request('/custom/v1/log', {
      method: 'POST',
      headers: { 'helicone-auth': `Bearer ${keyOf('rw')}`, 'content-type': 'application/json' },
      body: JSON.stringify(logOf({ meta: { 'Helicone-User-Id': 'ann' } })),
    });
    const { data } = await checked(answer, 200, logAnswerSchema);
    expect(answer.headers.get('helicone-id')).toBe(data.request_id);
  });
});

const chunk = (delta: object, more: object = {}) => ({
  id: 'chatcmpl-2',
  object: 'chat.completion.chunk',
  model: 'gpt-4o-mini-2024-07-18',
  choices: [{ index: 0, delta, finish_reason: null }],
  ...more,
});
describe('a logged call is a request', () => {
  test('with what its bodies say, its tags, times and cost', async () => {
    const meta = {
      'Helicone-Property-Team': 'search',
      'Helicone-Session-Id': 's1',
      'Helicone-Session-Name': 'dive',
      'Helicone-Session-Path': '/a/b',
      'Helicone-Prompt-Id': 'p1',
    };
    expect(await logged('/oai/v1/log', { meta })).toMatchObject({
      provider: 'OPENAI',
      model: 'gpt-4o-mini-2024-07-18',
      request_model: 'gpt-4o-mini',
      request_path: '/v1/chat/completions',
      request_created_at: new Date(startedAt).toISOString(),
      latency: 1500,
      time_to_first_token: 300,
      gateway_overhead_ms: null,
      response_status: 200,
      response_id: 'chatcmpl-1',
      request_user_id: 'bob',
      prompt_tokens: 1000,
      completion_tokens: 100,
      cost: 0.00021,
      cost_source: 'price-book',
      session_id: 's1',
      session_name: 'dive',
      session_path: '/a/b',
      prompt_id: 'p1',
      properties: { Team: 'search', 'Helicone-Session-Id': 's1' },
      request_body: request,
      response_body: response,
    });
  });

  const chunks = [
    chunk({ role: 'assistant', content: 'In ' }),
    chunk({ content: 'the sea.' }),
    chunk({}, { choices: [], usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 } }),
  ];
  const understood = { prompt_tokens: 1000, completion_tokens: 100, cost: 0.00021, time_to_first_token: 300 };

  test.each([
    ['server-sent events', { textBody: `${chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('')}data: [DONE]\n\n` }],
    ['JSON by line', { json: {}, textBody: chunks.map((each) => `${JSON.stringify(each)}\n`).join('') }],
    ['a list in JSON', { json: { streamed_data: chunks } }],
    ['a text of JSON', { json: {}, textBody: JSON.stringify(response) }],
  ])('whose response came as %s is understood', async (_what, told) => {
    const item = await logged('/oai/v1/log', { told: { ...told, status: 200 }, json: { ...request, stream: true } });
    expect(item).toMatchObject(understood);
    expect(item.response_body).toMatchObject({ choices: [{ message: { role: 'assistant', content: 'In the sea.' } }] });
  });

  test('of Anthropic, with its stream by line', async () => {
    const events = [
      {
        type: 'message_start',
        message: {
          id: 'm',
          type: 'message',
          role: 'assistant',
          model: 'claude-3-5-haiku-20241022',
          content: [],
          usage: { input_tokens: 10, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ];
    const json = { model: 'claude-3-5-haiku-latest', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }], stream: true };
    const told = { json: {}, textBody: events.map((each) => JSON.stringify(each)).join('\n'), status: 200 };
    expect(await logged('/anthropic/v1/log', { json, told })).toMatchObject({
      provider: 'ANTHROPIC',
      prompt_tokens: 10,
      completion_tokens: 5,
      response_body: { content: [{ type: 'text', text: 'Hello' }] },
    });
  });

  test('of Google', async () => {
    const json = { model: 'gemini-2.0-flash', contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };
    const answer = {
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      modelVersion: 'gemini-2.0-flash',
    };
    const item = await logged('/googleapis/v1/log', { json, told: { json: answer, status: 200 } });
    expect(item).toMatchObject({ provider: 'GOOGLE', model: 'gemini-2.0-flash', prompt_tokens: 10, completion_tokens: 5, cost: 0.000003 });
  });

  test.each([
    ['a tool', { _type: 'tool', toolName: 'clock', input: { zone: 'UTC' } }, 'tool:clock'],
    ['a vector database', { _type: 'vector_db', operation: 'search', text: 'whales', databaseName: 'sea' }, 'vector_db'],
    ['data', { _type: 'data', name: 'cart' }, 'data:cart'],
  ])('of %s, which costs nothing', async (_what, json, model) => {
    const item = await logged('/custom/v1/log', { json, told: { json: { ...json, model: 'other', result: 1 }, status: 200 } });
    expect(item).toMatchObject({ provider: 'CUSTOM', model, cost: 0, request_path: 'custom-model-nopath', prompt_tokens: null });
  });

  test('of a model that nobody knows, with the cost that its sender states', async () => {
    const told = { json: { answer: 1 }, status: 200, cost: 0.0125 };
    expect(await logged('/custom/v1/log', { json: { model: 'own-1', task: 'x' }, told })).toMatchObject({
      provider: 'CUSTOM',
      model: 'own-1',
      cost: 0.0125,
      cost_source: 'header',
    });
  });

  test('of a client that left, and of none that answered', async () => {
    expect(await logged('/oai/v1/log', { told: { json: {}, status: -3 } })).toMatchObject({ response_status: 499 });
    expect(await logged('/oai/v1/log', { told: { textBody: 'Error: no', status: 500 } })).toMatchObject({
      response_status: 500,
      response_body: 'Error: no',
    });
  });

  test('without the bodies that are not to be kept, and counted all the same', async () => {
    const item = await logged('/oai/v1/log', { meta: { 'Svc-Omit-Request': 'true', 'Svc-Omit-Response': 'true' } });
    expect(item).toMatchObject({ request_body: null, response_body: null, prompt_tokens: 1000, cost: 0.00021 });
    const strict = await logged('/oai/v1/log', { meta: { 'Svc-Omit-Request': 'strict', 'Svc-Omit-Response': 'strict' } });
    expect(strict).toMatchObject({ request_body: null, response_body: null, prompt_tokens: null, request_model: null });
  });

  test('that takes changes at once', async () => {
    const { data } = await checked(await post('/oai/v1/log', logOf()), 200, logAnswerSchema);
    await deployment.change(data.request_id, 'property', { Reviewed: 'yes' });
    await deployment.whenStored();
    const [item] = await deployment.query({ filter: { request_response_rmt: { request_id: { equals: data.request_id } } } });
    expect(item?.properties).toMatchObject({ Reviewed: 'yes' });
  });
});
