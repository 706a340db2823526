import { afterEach, describe, expect, it } from 'vitest';
import { moneyOfUnits, type Money } from '../model/money.ts';
import { type Answer, attemptsOf, chat, closeAll, retrying, rigWith, type ScriptedProvider, scripted } from './attempts-rig.ts';
import type { OutgoingCall } from './call-limits.ts';
import type { ForwardPorts } from './call.ts';
import type { Rig, RigOptions } from './gateway-rig.ts';
import { call, openClient, ourKey, type RawReply, requestText, until } from './wire-rig.ts';

afterEach(closeAll);

interface Scene {
  readonly rig: Rig;
  /** OpenAI, to which calls go first. */
  readonly first: ScriptedProvider;
  /** Anthropic, with a key of the deployment's. */
  readonly second: ScriptedProvider;
  /** Groq, with a key of the deployment's. */
  readonly third: ScriptedProvider;
}

interface Answers {
  readonly first?: readonly Answer[];
  readonly second?: readonly Answer[];
  readonly third?: readonly Answer[];
}

async function scene(answers: Answers = {}, options: RigOptions = {}): Promise<Scene> {
  const [first, second, third] = await Promise.all([
    scripted(...(answers.first ?? [500])),
    scripted(...(answers.second ?? [200])),
    scripted(...(answers.third ?? [200])),
  ]);
  const at = ({ port }: ScriptedProvider, path: string): string => `http://127.0.0.1:${port}${path}`;
  const rig = await rigWith({
    providers: {
      openai: { baseUrl: at(first, '/v1') },
      anthropic: { baseUrl: at(second, ''), key: 'deployment-anthropic' },
      groq: { baseUrl: at(third, '/openai/v1'), key: 'deployment-groq' },
    },
    allowed: [`127.0.0.1:${third.port}`],
    ...options,
  });
  return { rig, first, second, third };
}

const fallbacks = (...list: readonly object[]): string => `Svc-Fallbacks: ${JSON.stringify(list)}`;
const toAnthropic = fallbacks({ provider: 'anthropic', model: 'claude' });

describe('a fallback', () => {
  it('takes over with its own model and key; only the bytes of the model change', async () => {
    const { rig, first, second } = await scene();
    const body = '{ "messages":["model"], "model" : "gpt-4o", "max_tokens":5 }';
    const reply = await call(rig.port, chat([toAnthropic], body));
    expect([reply.status, reply.header('svc-attempts'), reply.header('svc-fallback-index')]).toEqual([200, '2', '1']);
    expect([first.bodies, second.bodies]).toEqual([[body], [body.replace('gpt-4o', 'claude')]]);
    expect([second.requests[0]?.url, second.heard('authorization')]).toEqual(['/v1/chat/completions', ['Bearer deployment-anthropic']]);
    const [exchange] = await rig.exchanges(1);
    expect(attemptsOf(exchange)).toEqual([
      ['openai', 500],
      ['anthropic', 200],
    ]);
    // The record is of the attempt that answered, and its body the caller's own.
    expect(exchange?.open).toMatchObject({ provider: 'anthropic', targetUrl: `http://127.0.0.1:${second.port}/v1/chat/completions` });
    expect([exchange?.end?.model, exchange?.requestBody.toString()]).toEqual(['claude', body]);
  });

  it('is not asked when the first provider answers', async () => {
    const { rig, second } = await scene({ first: [200] });
    const reply = await call(rig.port, chat([toAnthropic, 'Helicone-User-Id: ann']));
    expect([reply.header('svc-attempts'), reply.header('svc-fallback-index'), reply.header('helicone-fallback-index')]).toEqual([
      undefined,
      '0',
      '0',
    ]);
    const [exchange] = await rig.exchanges(1);
    expect([second.requests.length, exchange?.open.provider, exchange?.end?.attempts]).toEqual([0, 'openai', undefined]);
  });

  it('each place is tried with its retries, one after the other', async () => {
    const { rig, first, second, third } = await scene({ second: [503, 503, 503] });
    const list = fallbacks({ provider: 'anthropic' }, { provider: 'groq' });
    const reply = await call(rig.port, chat([...retrying(2), list]));
    expect([reply.status, reply.header('svc-attempts'), reply.header('svc-fallback-index')]).toEqual([200, '7', '2']);
    expect([first, second, third].map(({ requests }) => requests.length)).toEqual([3, 3, 1]);
  });

  it('the last reply is passed on unchanged when all fail, and the record is of that attempt', async () => {
    const { rig } = await scene({ second: [503], third: [429] });
    const reply = await call(rig.port, chat([fallbacks({ provider: 'anthropic' }, { provider: 'groq', model: 'llama' })]));
    expect([reply.status, reply.body.toString()]).toEqual([429, '{"answer":1,"model":"answering-model"}']);
    const [exchange] = await rig.exchanges(1);
    expect([exchange?.open.provider, exchange?.end?.model, exchange?.responseHead?.status]).toEqual(['groq', 'llama', 429]);
  });

  it('takes over from a provider that cannot be reached', async () => {
    const { rig } = await scene({ first: ['reset'] });
    const reply = await call(rig.port, chat([toAnthropic]));
    expect([reply.status, attemptsOf((await rig.exchanges(1))[0])]).toEqual([
      200,
      [
        ['openai', 0, 'provider_unreachable'],
        ['anthropic', 200],
      ],
    ]);
  });

  it('takes over from nothing that the next provider would answer in the same way', async () => {
    for (const status of [400, 401, 404, 422]) {
      const { rig, second } = await scene({ first: [status] });
      expect([(await call(rig.port, chat([toAnthropic]))).status, second.requests.length]).toEqual([status, 0]);
    }
  });

  it('`on` says from which failures; the first one that fits takes over', async () => {
    const list = fallbacks({ provider: 'anthropic', on: [429] }, { provider: 'groq', on: [{ from: 400, to: 404 }] });
    const { rig, second, third } = await scene({ first: [404, 429, 500], second: [404] });
    const replies: RawReply[] = [];
    for (let count = 0; count < 3; count += 1) replies.push(await call(rig.port, chat([list])));
    expect(replies.map((reply) => [reply.status, reply.header('svc-fallback-index')])).toEqual([
      [200, '2'],
      [200, '2'],
      [500, '0'],
    ]);
    expect([second.requests.length, third.requests.length]).toEqual([1, 2]);
  });

  it('may be the built-in echo, which needs no network', async () => {
    const { rig } = await scene();
    const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello there' }] });
    const reply = await call(rig.port, chat([fallbacks({ provider: 'echo' })], body));
    expect(JSON.parse(reply.body.toString())).toMatchObject({ model: 'gpt-4o', choices: [{ message: { content: 'Hello there' } }] });
    const [exchange] = await rig.exchanges(1);
    expect([exchange?.open.provider, exchange?.open.targetUrl]).toEqual(['echo', '']);
  });

  it('the usage of a stream is asked for at each place, and kept from the client', async () => {
    const stream: Answer = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.end('data: {"choices":[],"usage":{"total_tokens":3}}\n\ndata: [DONE]\n\n');
    };
    const { rig, second } = await scene({ second: [stream] });
    const reply = await call(rig.port, chat([toAnthropic, 'Svc-Stream-Usage: true'], '{"model":"gpt-4o","stream":true}'));
    expect([reply.body.toString(), second.bodies]).toEqual([
      'data: [DONE]\n\n',
      ['{"stream_options":{"include_usage":true},"model":"claude","stream":true}'],
    ]);
  });

  it('another model of the same native API keeps the path', async () => {
    const { rig, second } = await scene({ second: [529, 200] });
    const sent = requestText('POST /v1/messages', [json, `x-api-key: ${ourKey}`, fallbacks({ model: 'haiku' })], '{"model":"sonnet"}');
    expect((await call(rig.port, sent)).status).toBe(200);
    expect([second.bodies, second.heard('x-api-key')]).toEqual([
      ['{"model":"sonnet"}', '{"model":"haiku"}'],
      ['deployment-anthropic', 'deployment-anthropic'],
    ]);
    expect(second.requests.map(({ url }) => url)).toEqual(['/v1/messages', '/v1/messages']);
  });

  it('a target_url gets the path that the first address had', async () => {
    const { rig, third } = await scene();
    const reply = await call(rig.port, chat([fallbacks({ target_url: `http://127.0.0.1:${third.port}/base` })]));
    expect([reply.status, third.requests[0]?.url, third.bodies]).toEqual([200, '/base/v1/chat/completions', ['{"model":"gpt-4o"}']]);
    expect((await rig.exchanges(1))[0]?.open.provider).toBe('custom');
  });

  it('a provider behind a Svc-Target-Url is reached as it would be without', async () => {
    const { rig, second, third } = await scene({ third: [500] });
    const target = `Svc-Target-Url: http://127.0.0.1:${third.port}/v1`;
    expect((await call(rig.port, chat([target, toAnthropic]))).status).toBe(200);
    expect([second.requests[0]?.url, second.heard('authorization')]).toEqual(['/v1/chat/completions', ['Bearer deployment-anthropic']]);
  });

  it('a client that leaves ends the chain', async () => {
    const silent: Answer = () => undefined;
    const { rig, second, third } = await scene({ second: [silent] });
    const client = await openClient(rig.port);
    client.send(chat([fallbacks({ provider: 'anthropic' }, { provider: 'groq' })]));
    await until(() => second.bodies.length === 1);
    client.socket.destroy();
    const [exchange] = await rig.exchanges(1);
    expect([exchange?.end?.outcome, exchange?.open.provider, attemptsOf(exchange)]).toEqual([
      'client_left',
      'anthropic',
      [
        ['openai', 500],
        ['anthropic', 0, 'client_left'],
      ],
    ]);
    expect(third.requests).toEqual([]);
  });

  it('a worker that dies in the middle of a fallback`s reply leaves a record of the fallback', async () => {
    const hanging: Answer = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('data: {"n":1}\n\n');
    };
    const { rig } = await scene({ second: [hanging] });
    const client = await openClient(rig.port);
    client.send(chat([toAnthropic]));
    await client.until('"n":1');
    const [exchange] = rig.spooled();
    expect([exchange?.end, exchange?.open.provider, exchange?.responseHead?.model]).toEqual([undefined, 'anthropic', 'claude']);
    expect(exchange?.responseHead?.attempts).toMatchObject([
      { provider: 'openai', status: 500 },
      { provider: 'anthropic', status: 200 },
    ]);
    client.socket.destroy();
  });

  it('the model of a fallback is not on record where the body must not be', async () => {
    const { rig } = await scene();
    await call(rig.port, chat([toAnthropic, 'Svc-Omit-Request: strict']));
    const [exchange] = await rig.exchanges(1);
    expect([exchange?.open.provider, exchange?.end?.model]).toEqual(['anthropic', undefined]);
  });
});

const json = 'Content-Type: application/json';

describe('the short form, a list of models in the body', () => {
  it('each is sent to its provider, in order; the record names the one that answered', async () => {
    const { rig, first, second, third } = await scene({ second: [500] });
    const body = '{"model":"gpt-4o , anthropic/claude,llama/groq","x":1}';
    const reply = await call(rig.port, chat([], body));
    expect([reply.status, reply.header('svc-fallback-index')]).toEqual([200, '2']);
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

  for (const model of ['gpt-4o,', ',gpt-4o', 'a,,b', Array.from({ length: 12 }, () => 'a').join(',')]) {
    it(`${model} is 422`, async () => {
      const { rig, first } = await scene();
      const reply = await call(rig.port, chat([], JSON.stringify({ model })));
      expect([reply.status, first.requests.length]).toEqual([422, 0]);
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
    ['[{"model":"a"},{"model":"b","target-url":"https://x.example"}]', 'Svc-Fallbacks[1] has the field "target-url"'],
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
      const reply = await call(rig.port, chat([`Svc-Fallbacks: ${list}`]));
      expect([reply.status, JSON.parse(reply.body.toString())]).toMatchObject([
        422,
        { error: { code: 'invalid_directive', message: expect.stringContaining(place) as string } },
      ]);
      const [exchange] = await rig.exchanges(1);
      expect([first.requests.length, exchange?.end?.outcome, exchange?.open.requestId]).toEqual([0, 'refused', reply.header('svc-id')]);
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
      const reply = await call(rig.port, sent);
      expect([reply.status, reply.body.toString()]).toEqual([422, expect.stringContaining(place)]);
      expect([first.requests.length, second.requests.length]).toEqual([0, 0]);
    });
  }

  it('an empty list is one attempt', async () => {
    const { rig } = await scene();
    const reply = await call(rig.port, chat([fallbacks()]));
    expect([reply.status, reply.header('svc-fallback-index')]).toEqual([500, undefined]);
  });

  it('a call without a body goes once and says so, as clients send such headers with every call', async () => {
    const { rig, first } = await scene();
    const reply = await call(rig.port, requestText('GET /v1/files', [toAnthropic]));
    expect([reply.status, reply.header('svc-warning'), first.requests.length]).toEqual([500, expect.stringContaining('Svc-Fallbacks'), 1]);
    expect((await call(rig.port, requestText('GET /v1/models', [toAnthropic]))).header('svc-warning')).toBeUndefined();
  });
});

describe('credentials never cross', () => {
  const secret = 'planted-secret';
  const planted = [
    `Authorization: Bearer ${secret}`,
    `x-api-key: ${secret}`,
    `api-key: ${secret}`,
    `Cookie: session=${secret}`,
    `X-Custom-Token: ${secret}`,
    `OpenAI-Organization: ${secret}`,
  ];
  const withSecrets = (headers: readonly string[]): string =>
    requestText(
      `POST /v1/chat/completions?api-version=1&key=${secret}&sig=${secret}`,
      [json, `Svc-Auth: Bearer ${ourKey}`, ...planted, 'OpenAI-Beta: b=1', 'X-Stainless-Lang: js', ...headers],
      '{"model":"gpt-4o"}',
    );
  const saidTo = ({ requests }: ScriptedProvider): string => JSON.stringify(requests.map(({ url, rawHeaders }) => [url, rawHeaders]));

  it('to other addresses go neither the caller`s credentials nor headers that may hold one', async () => {
    const { rig, first, second, third } = await scene({ second: [500] });
    const list = fallbacks({ provider: 'anthropic' }, { target_url: `http://127.0.0.1:${third.port}` });
    expect((await call(rig.port, withSecrets([list]))).status).toBe(200);
    expect(saidTo(first).split(secret).length - 1).toBe(planted.length + 2);
    for (const other of [second, third]) {
      expect(saidTo(other)).not.toContain(secret);
      expect(saidTo(other)).not.toContain(ourKey);
      expect([other.requests[0]?.url, other.heard('openai-beta'), other.heard('x-stainless-lang')]).toEqual([
        '/v1/chat/completions?api-version=1',
        ['b=1'],
        ['js'],
      ]);
    }
  });

  it('each provider gets the deployment`s key for it alone, an address of the caller`s none', async () => {
    const { rig, first, second, third } = await scene({ second: [500] });
    const list = fallbacks({ provider: 'anthropic' }, { target_url: `http://127.0.0.1:${third.port}/groq` });
    await call(rig.port, withSecrets([list]));
    expect([first, second, third].map((provider) => saidTo(provider).match(/deployment-\w+/g))).toEqual([
      null,
      ['deployment-anthropic'],
      null,
    ]);
  });

  it('the address that the caller`s credential was for in the first place gets it again', async () => {
    const { rig, third } = await scene({ third: [500, 500, 200] });
    const base = `http://127.0.0.1:${third.port}`;
    const list = fallbacks({ target_url: `${base}/other` }, { provider: 'groq', model: 'llama' });
    await call(rig.port, chat([`Svc-Target-Url: ${base}/one`, list]));
    expect([third.requests.map(({ url }) => url), third.heard('authorization')]).toEqual([
      ['/one/v1/chat/completions', '/other/v1/chat/completions', '/openai/v1/chat/completions'],
      ['Bearer caller-key', 'Bearer caller-key', 'Bearer caller-key'],
    ]);
  });

  it('a caller without a credential of its own uses the deployment`s, place by place', async () => {
    const { rig, second, third } = await scene({ third: [500] });
    const sent = requestText(
      'POST /v1/chat/completions',
      [json, `Authorization: Bearer ${ourKey}`],
      '{"model":"groq/llama,anthropic/claude"}',
    );
    expect((await call(rig.port, sent)).status).toBe(200);
    expect([third.heard('authorization'), second.heard('authorization')]).toEqual([
      ['Bearer deployment-groq'],
      ['Bearer deployment-anthropic'],
    ]);
  });
});

it('a budget sets aside what the dearest place can cost', async () => {
  const asked: OutgoingCall[] = [];
  const reserved: bigint[] = [];
  const prices: Readonly<Record<string, Money>> = { openai: moneyOfUnits(5n), anthropic: moneyOfUnits(9n), groq: moneyOfUnits(1n) };
  const callLimits: ForwardPorts['callLimits'] = {
    windows: {
      claim: (claims) => {
        reserved.push(...claims.map(({ amount }) => amount));
        return { granted: true, reserved: true, refused: undefined, standings: [{ left: 1n, endsAt: Date.now() + 1000 }] };
      },
    },
    storedPolicies: () => [],
    estimateCost: (outgoing) => {
      asked.push(outgoing);
      return prices[outgoing.provider] ?? moneyOfUnits(0n);
    },
    readUser: () => '',
  };
  const { rig } = await scene({ first: [200] }, { ports: { callLimits } });
  const list = fallbacks({ provider: 'anthropic', model: 'claude' }, { provider: 'groq' });
  await call(rig.port, chat([list, 'Svc-RateLimit-Policy: 100;w=60;u=cents']));
  expect(reserved).toEqual([9n]);
  expect(asked.map(({ provider, body }) => [provider, body?.toString()]).toSorted()).toEqual([
    ['anthropic', '{"model":"claude"}'],
    ['groq', '{"model":"gpt-4o"}'],
    ['openai', '{"model":"gpt-4o"}'],
  ]);
});
