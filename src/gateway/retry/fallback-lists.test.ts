import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, attemptsOf, chat, closeAll, fallbacks, scene, toAnthropic } from '../testing/scripted-provider.ts';
import { call, openClient, requestText } from '../testing/raw-http.ts';

afterEach(closeAll);

const json = 'Content-Type: application/json';

const listed = '{"model":"gpt-4o,anthropic/claude"}';
const tooLong = '{"error":{"message":"This model\'s maximum context length is 8192 tokens.","code":"context_length_exceeded"}}';

function refusal(body: Buffer, headers: Readonly<Record<string, string>>): Answer {
  return (_request, response) => {
    response.writeHead(400, { 'Content-Type': 'application/json', 'Content-Length': body.length, ...headers });
    response.end(body);
  };
}

/** Ends its connection in the middle of a refusal. */
const breaking: Answer = (_request, response) => {
  response.writeHead(400, { 'Content-Length': 500 });
  response.write(tooLong, () => response.socket?.destroy());
};

describe('the short form, a list of models in the body', () => {
  it('each is sent to its provider, in order; the record names the one that answered', async () => {
    const { rig, first, second, third } = await scene({ second: [500] });
    const body = '{"model":"gpt-4o , anthropic/claude,llama/groq","x":1}';
    const response = await call(rig.port, chat([], body));
    expect([response.status, response.header('svc-fallback-index')]).toEqual([200, '2']);
    expect([first.bodies, second.bodies, third.bodies]).toEqual([
      ['{"model":"gpt-4o","x":1}'],
      ['{"model":"claude","x":1}'],
      ['{"model":"llama","x":1}'],
    ]);
    const [exchange] = await rig.exchanges(1);
    expect([exchange?.open.provider, exchange?.end?.model, exchange?.requestBody.toString()]).toEqual(['groq', 'llama', body]);
  });

  it('plain names are the models of the path`s provider, which gets the caller`s key again', async () => {
    const { rig, first } = await scene({ first: [429, 200] });
    await call(rig.port, chat([], '{"model":"gpt-5, gpt-4o"}'));
    expect([first.bodies, first.heard('authorization')]).toEqual([
      ['{"model":"gpt-5"}', '{"model":"gpt-4o"}'],
      ['Bearer caller-key', 'Bearer caller-key'],
    ]);
  });

  it('the first one alone is on record by its own name too', async () => {
    const { rig } = await scene({ first: [200] });
    await call(rig.port, chat([], '{"model":"gpt-5, anthropic/claude"}'));
    expect((await rig.exchanges(1))[0]?.end).toMatchObject({ model: 'gpt-5' });
  });

  it('the header`s fallbacks come after it', async () => {
    const { rig, second, third } = await scene({ second: [500] });
    await call(rig.port, chat([fallbacks({ provider: 'groq' })], '{"model":"gpt-4o,anthropic/claude"}'));
    expect([second.bodies, third.bodies]).toEqual([['{"model":"claude"}'], ['{"model":"gpt-4o"}']]);
  });

  for (const status of [401, 408, 429, 503]) {
    it(`goes on after ${status}`, async () => {
      const { rig, second } = await scene({ first: [status] });
      expect([(await call(rig.port, chat([], listed))).status, second.bodies]).toEqual([200, ['{"model":"claude"}']]);
    });
  }

  it.each([404, 422])('stops at %i, which the next one would answer too', async (status) => {
    const { rig, second } = await scene({ first: [status] });
    expect([(await call(rig.port, chat([], listed))).status, second.requests.length]).toEqual([status, 0]);
  });

  it.each([
    ['plain', (text: string) => Buffer.from(text), {}],
    ['compressed', (text: string) => gzipSync(text), { 'Content-Encoding': 'gzip' }],
  ])('goes on after a 400 that says that the prompt is too long: %s', async (_name, encode, headers) => {
    const { rig, second } = await scene({ first: [refusal(encode(tooLong), headers)] });
    const response = await call(rig.port, chat([], listed));
    expect([response.status, response.header('svc-fallback-index'), second.bodies]).toEqual([200, '1', ['{"model":"claude"}']]);
    expect(attemptsOf((await rig.exchanges(1))[0])).toEqual([
      ['openai', 400],
      ['anthropic', 200],
    ]);
  });

  it.each([
    ['another reason', Buffer.from('{"error":{"message":"temperature is too high"}}'), {}],
    ['nothing', Buffer.alloc(0), {}],
    ['more than a refusal says', Buffer.from(`${' '.repeat(70_000)}${tooLong}`), {}],
    ['what cannot be decoded', Buffer.from(tooLong), { 'Content-Encoding': 'gzip' }],
  ])('a 400 with %s is passed on as it came, and nobody else is asked', async (_name, body, headers) => {
    const { rig, second } = await scene({ first: [refusal(body, headers)] });
    const response = await call(rig.port, chat([], listed));
    expect([response.status, response.body.equals(body), second.requests.length]).toEqual([400, true, 0]);
    const [exchange] = await rig.exchanges(1);
    expect([exchange?.responseHead?.status, Buffer.compare(exchange?.responseBody ?? Buffer.alloc(0), body)]).toEqual([400, 0]);
  });

  it('a 400 that breaks off is passed on as far as it came', async () => {
    const { rig, second } = await scene({ first: [breaking] });
    const client = await openClient(rig.port);
    client.send(chat([], listed));
    await client.until('maximum context length');
    await rig.exchanges(1);
    expect(second.requests).toHaveLength(0);
    client.socket.destroy();
  });

  for (const model of ['gpt-4o,', ',gpt-4o', 'a,,b', Array.from({ length: 12 }, () => 'a').join(',')]) {
    it(`${model} is 422`, async () => {
      const { rig, first } = await scene();
      const response = await call(rig.port, chat([], JSON.stringify({ model })));
      expect([response.status, first.requests.length]).toEqual([422, 0]);
    });
  }

  it('under a provider`s path a comma is part of the name', async () => {
    const { rig, first } = await scene({ first: [200] });
    await call(rig.port, requestText('POST /openai/v1/chat/completions', [json], '{"model":"a,b"}'));
    expect(first.bodies).toEqual(['{"model":"a,b"}']);
  });
});

describe('a list that cannot be', () => {
  const invalid: readonly [list: string, place: string][] = [
    ['not json', 'Svc-Fallbacks must be a JSON array'],
    ['{}', 'Svc-Fallbacks must be a JSON array'],
    [JSON.stringify(Array.from({ length: 11 }, () => ({ model: 'a' }))), 'Svc-Fallbacks holds at most 10'],
    ['["gpt-4o"]', 'Svc-Fallbacks[0] must be an object'],
    ['[{}]', 'Svc-Fallbacks[0] leads nowhere else'],
    ['[{"on":[429]}]', 'Svc-Fallbacks[0] leads nowhere else'],
    ['[{"model":"a"},{"model":"b","target-url":"https://x.example"}]', 'Svc-Fallbacks[0] has the field "model"'],
    ['[{"model":"a"},{"model":"b","target":"x"}]', 'Svc-Fallbacks[1] has the field "target"'],
    ['[{"model":""}]', 'Svc-Fallbacks[0].model must be a text'],
    ['[{"model":7}]', 'Svc-Fallbacks[0].model must be a text'],
    ['[{"provider":null}]', 'Svc-Fallbacks[0].provider must be a text'],
    ['[{"model":"a","on":[]}]', 'Svc-Fallbacks[0].on must be an array'],
    ['[{"model":"a","on":429}]', 'Svc-Fallbacks[0].on must be an array'],
    ['[{"model":"a","on":[429,"500"]}]', 'Svc-Fallbacks[0].on[1] must be a status'],
    ['[{"model":"a","on":[200]}]', 'Svc-Fallbacks[0].on[0] must be a status'],
    ['[{"model":"a","on":[{"from":500}]}]', 'Svc-Fallbacks[0].on[0] must be a status'],
    ['[{"model":"a","on":[{"from":599,"to":500}]}]', 'Svc-Fallbacks[0].on[0] must be a status'],
    ['[{"model":"a","on":[{"from":500,"to":599,"step":2}]}]', 'Svc-Fallbacks[0].on[0] must be a status'],
    ['[{"provider":"groq","target_url":"https://x.example"}]', 'Svc-Fallbacks[0] has a target_url'],
    ['[{"target_url":"https://x.example","key_name":"k"}]', 'Svc-Fallbacks[0] has a target_url'],
    ['[{"provider":"nobody"}]', 'Svc-Fallbacks[0]: no provider is called "nobody"'],
    ['[{"model":"a"},{"provider":"mistral"}]', 'Svc-Fallbacks[1]: there is no key for mistral'],
    ['[{"provider":"groq","key_name":"unknown"}]', 'Svc-Fallbacks[0]: no stored key of groq'],
    ['[{"provider":"vertex"}]', 'Svc-Fallbacks[0]: By its model alone vertex'],
    ['[{"provider":"ollama"}]', 'Svc-Fallbacks[0]: The provider ollama'],
    ['[{"target_url":"http://169.254.169.254/latest"}]', 'Svc-Fallbacks[0]: target_url is not on the public internet'],
    ['[{"target_url":"ftp://x.example"}]', 'Svc-Fallbacks[0]: target_url is neither https nor http'],
  ];
  for (const [list, place] of invalid) {
    it(`${list.slice(0, 70)}: 422 on record that says where, and nothing is sent`, async () => {
      const { rig, first } = await scene({ first: [200] });
      const response = await call(rig.port, chat([`Svc-Fallbacks: ${list}`]));
      expect([response.status, JSON.parse(response.body.toString())]).toMatchObject([
        422,
        { error: { code: 'invalid_directive', message: expect.stringContaining(place) as string } },
      ]);
      const [exchange] = await rig.exchanges(1);
      expect([first.requests.length, exchange?.end?.outcome, exchange?.open.requestId]).toEqual([0, 'refused', response.header('svc-id')]);
    });
  }

  const unfit: readonly [why: string, sent: string, place: string][] = [
    [
      'a model for a body that has none',
      requestText('POST /v1/audio/transcriptions', ['Content-Type: multipart/form-data; boundary=b', fallbacks({ model: 'a' })], '--b--'),
      'Svc-Fallbacks[0]: the body is no JSON object with a model',
    ],
    [
      'another provider for a provider`s own API',
      requestText('POST /anthropic/v1/messages', [json, fallbacks({ provider: 'groq' })], '{"model":"sonnet"}'),
      "Svc-Fallbacks[0]: the path is anthropic's own API",
    ],
    ['two lists', chat([toAnthropic, fallbacks({ provider: 'groq' })]), 'Svc-Fallbacks is there twice'],
  ];
  for (const [why, sent, place] of unfit) {
    it(`${why}: 422 that says so`, async () => {
      const { rig, first, second } = await scene();
      const response = await call(rig.port, sent);
      expect([response.status, response.body.toString()]).toEqual([422, expect.stringContaining(place)]);
      expect([first.requests.length, second.requests.length]).toEqual([0, 0]);
    });
  }

  it('an empty list is one attempt', async () => {
    const { rig } = await scene();
    const response = await call(rig.port, chat([fallbacks()]));
    expect([response.status, response.header('svc-fallback-index')]).toEqual([500, undefined]);
  });

  it('a call without a body goes once and says so, as clients send such headers with every call', async () => {
    const { rig, first } = await scene();
    const response = await call(rig.port, requestText('GET /v1/files', [toAnthropic]));
    expect([response.status, response.header('svc-warning'), first.requests.length]).toEqual([
      500,
      expect.stringContaining('Svc-Fallbacks'),
      1,
    ]);
    expect((await call(rig.port, requestText('GET /v1/models', [toAnthropic]))).header('svc-warning')).toBeUndefined();
  });
});
