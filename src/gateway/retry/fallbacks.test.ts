import { afterEach, describe, expect, it } from 'vitest';
import { type Money, moneyOfUnits } from '../../model/pricing/money.ts';
import {
  attemptsOf,
  chat,
  closeAll,
  fallbacks,
  hangingStream,
  retrying,
  scene,
  silent,
  streamWithUsage,
  toAnthropic,
} from '../testing/scripted-provider.ts';
import type { EstimatedRequest } from '../../model/record/body-summary.ts';
import type { ForwardPorts } from '../call/ports.ts';
import { toThisMachine } from '../testing/gateway-harness.ts';
import { call, openClient, ourKey, type RawResponse, requestText, until } from '../testing/raw-http.ts';

afterEach(closeAll);

const json = 'Content-Type: application/json';

describe('a fallback', () => {
  it('takes over with its own model and key; only the bytes of the model change', async () => {
    const { rig, first, second } = await scene();
    const body = '{ "messages":["model"], "model" : "gpt-4o", "max_tokens":5 }';
    const response = await call(rig.port, chat([toAnthropic], body));
    expect([response.status, response.header('svc-attempts'), response.header('svc-fallback-index')]).toEqual([200, '2', '1']);
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
    const response = await call(rig.port, chat([toAnthropic, 'Helicone-User-Id: ann']));
    expect([response.header('svc-attempts'), response.header('svc-fallback-index'), response.header('helicone-fallback-index')]).toEqual([
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
    const response = await call(rig.port, chat([...retrying(2), list]));
    expect([response.status, response.header('svc-attempts'), response.header('svc-fallback-index')]).toEqual([200, '7', '2']);
    expect([first, second, third].map(({ requests }) => requests.length)).toEqual([3, 3, 1]);
  });

  it('the last reply is passed on unchanged when all fail, and the record is of that attempt', async () => {
    const { rig } = await scene({ second: [503], third: [429] });
    const response = await call(rig.port, chat([fallbacks({ provider: 'anthropic' }, { provider: 'groq', model: 'llama' })]));
    expect([response.status, response.body.toString()]).toEqual([429, '{"answer":1,"model":"answering-model"}']);
    const [exchange] = await rig.exchanges(1);
    expect([exchange?.open.provider, exchange?.end?.model, exchange?.responseHead?.status]).toEqual(['groq', 'llama', 429]);
  });

  it('takes over from a provider that cannot be reached', async () => {
    const { rig } = await scene({ first: ['reset'] });
    const response = await call(rig.port, chat([toAnthropic]));
    expect([response.status, attemptsOf((await rig.exchanges(1))[0])]).toEqual([
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
    const responses: RawResponse[] = [];
    for (let count = 0; count < 3; count += 1) responses.push(await call(rig.port, chat([list])));
    expect(responses.map((response) => [response.status, response.header('svc-fallback-index')])).toEqual([
      [200, '2'],
      [200, '2'],
      [500, '0'],
    ]);
    expect([second.requests.length, third.requests.length]).toEqual([1, 2]);
  });

  it('may be the built-in echo, which needs no network', async () => {
    const { rig } = await scene();
    const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello there' }] });
    const response = await call(rig.port, chat([fallbacks({ provider: 'echo' })], body));
    expect(JSON.parse(response.body.toString())).toMatchObject({ model: 'gpt-4o', choices: [{ message: { content: 'Hello there' } }] });
    const [exchange] = await rig.exchanges(1);
    expect([exchange?.open.provider, exchange?.open.targetUrl]).toEqual(['echo', '']);
  });

  it('the usage of a stream is asked for at each place, and kept from the client', async () => {
    const { rig, second } = await scene({ second: [streamWithUsage] });
    const response = await call(rig.port, chat([toAnthropic, 'Svc-Stream-Usage: true'], '{"model":"gpt-4o","stream":true}'));
    expect([response.body.toString(), second.bodies]).toEqual([
      'data: {"choices":[{"index":0}]}\n\ndata: [DONE]\n\n',
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
    const response = await call(rig.port, chat([fallbacks({ target_url: `http://127.0.0.1:${third.port}/base` })]));
    expect([response.status, third.requests[0]?.url, third.bodies]).toEqual([200, '/base/v1/chat/completions', ['{"model":"gpt-4o"}']]);
    expect((await rig.exchanges(1))[0]?.open.provider).toBe('custom');
  });

  it('a provider behind a Svc-Target-Url is reached as it would be without', async () => {
    const { rig, second, third } = await scene({ third: [500] });
    const target = `Svc-Target-Url: http://127.0.0.1:${third.port}/v1`;
    expect((await call(rig.port, chat([target, toAnthropic]))).status).toBe(200);
    expect([second.requests[0]?.url, second.heard('authorization')]).toEqual(['/v1/chat/completions', ['Bearer deployment-anthropic']]);
  });

  it('also where the target is a provider`s own host, which is no reason to take its path for a native one', async () => {
    // Nobody answers at the host of the name: no server of the test is at its port.
    const { rig, second } = await scene({}, { resolve: toThisMachine, allowed: ['127.0.0.0/8'] });
    const response = await call(rig.port, chat(['Svc-Target-Url: https://api.groq.com/openai', toAnthropic]));
    expect([response.status, second.heard('authorization')]).toEqual([200, ['Bearer deployment-anthropic']]);
    expect(attemptsOf((await rig.exchanges(1))[0])?.map(([provider]) => provider)).toEqual(['groq', 'anthropic']);
  });

  it('a client that leaves ends the chain', async () => {
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
    const { rig } = await scene({ second: [hangingStream] });
    const client = await openClient(rig.port);
    client.send(chat([toAnthropic]));
    await client.until('"n":1');
    await until(() => rig.spooled()[0]?.responseHead !== undefined);
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

it('a budget sets aside what the most expensive place can cost', async () => {
  const asked: EstimatedRequest[] = [];
  const reserved: bigint[] = [];
  const prices: Readonly<Record<string, Money>> = { openai: moneyOfUnits(5n), anthropic: moneyOfUnits(9n), groq: moneyOfUnits(1n) };
  const callLimits: ForwardPorts['callLimits'] = {
    windows: {
      claim: (claims) => {
        reserved.push(...claims.map(({ amount }) => amount));
        return { granted: true, reserved: true, refused: undefined, states: [{ left: 1n, endsAt: Date.now() + 1000 }] };
      },
    },
    storedPolicies: () => [],
    estimateCost: (_organizationId, outgoing) => {
      asked.push(outgoing);
      return prices[outgoing.provider] ?? moneyOfUnits(0n);
    },
    readUser: () => '',
  };
  const { rig, third } = await scene({ first: [200] }, { ports: { callLimits } });
  const target = { target_url: `http://127.0.0.1:${third.port}/base` };
  const list = fallbacks({ provider: 'anthropic', model: 'claude' }, { provider: 'groq' }, target);
  await call(rig.port, chat([list, 'Svc-RateLimit-Policy: 100;w=60;u=cents']));
  expect(reserved).toEqual([9n]);
  // What they say is read by the path at each place.
  expect(asked.map(({ provider, path, body }) => [provider, path, body?.toString()])).toEqual([
    ['openai', '/v1/chat/completions', '{"model":"gpt-4o"}'],
    ['anthropic', '/v1/chat/completions', '{"model":"claude"}'],
    ['groq', expect.stringMatching(/\/v1\/chat\/completions$/), '{"model":"gpt-4o"}'],
    ['custom', '/base/v1/chat/completions', '{"model":"gpt-4o"}'],
  ]);
});
