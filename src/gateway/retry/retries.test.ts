import type { LookupFunction } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Answer,
  attemptsOf,
  chat,
  closeAll,
  retrying,
  rigWith,
  type ScriptedProvider,
  scripted,
  streamWithUsage,
} from '../testing/scripted-provider.ts';
import { openAiAt, type Rig, type RigOptions } from '../testing/gateway-harness.ts';
import { call, openClient, ourKey, requestText, until } from '../testing/raw-http.ts';

afterEach(closeAll);

interface Scene {
  readonly rig: Rig;
  readonly provider: ScriptedProvider;
}

async function scene(answers: readonly Answer[], options: RigOptions = {}): Promise<Scene> {
  const provider = await scripted(...answers);
  return { provider, rig: await rigWith({ providers: openAiAt(provider.port), ...options }) };
}

/** Refuses, in its own words. */
const last: Answer = (_request, response) => {
  response.writeHead(503, 'Too Busy', { 'Retry-After': '1', 'X-Odd': 'yes', 'Content-Length': 7 }).end('go away');
};

/** Breaks off in mid-stream. */
const breaking: Answer = (request, response) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.write('data: {"n":1}\n\n', () => request.socket.destroy());
};

/** Breaks off in the middle of an error. */
const broken: Answer = (request, response) => {
  response.writeHead(500, { 'Content-Length': 1000 });
  response.write('a part', () => request.socket.destroy());
};

/** Fails, and its connection can be used for nothing else. */
const closing: Answer = (_request, response) => {
  response.writeHead(500, { Connection: 'close', 'Content-Length': 0 }).end();
};

/** Asks for a wait. */
const busy =
  (retryAfter: string): Answer =>
  (_request, response) => {
    response.writeHead(429, { 'Retry-After': retryAfter, 'Content-Length': 0 }).end();
  };

describe('a call with retries', () => {
  const statuses: readonly [status: number, attempts: number][] = [
    [200, 1],
    [204, 1],
    [302, 1],
    [400, 1],
    [401, 1],
    [404, 1],
    [408, 1],
    [413, 1],
    [429, 2],
    [500, 2],
    [501, 2],
    [503, 2],
    [529, 2],
  ];
  for (const [status, attempts] of statuses) {
    it(`${status} is ${attempts === 1 ? 'the answer' : 'tried once more'}`, async () => {
      const { rig, provider } = await scene([status, 200]);
      const response = await call(rig.port, chat(retrying(3)));
      expect([response.status, provider.requests.length, response.header('svc-attempts')]).toEqual([
        attempts === 1 ? status : 200,
        attempts,
        attempts === 1 ? undefined : '2',
      ]);
    });
  }

  it('sends the same bytes with the same headers again, and passes the good reply on as it is', async () => {
    const { rig, provider } = await scene([429, 'reset', 500, 200]);
    const body = '{ "model":"gpt-4o",\r\n "note":"\\u00e9" }';
    const response = await call(rig.port, chat([...retrying(5), 'X-Mine: 1'], body));
    expect([response.status, response.body.toString(), response.header('x-request-id'), response.header('svc-attempts')]).toEqual([
      200,
      '{"answer":4,"model":"answering-model"}',
      'call-4',
      '4',
    ]);
    expect(provider.bodies).toEqual([body, body, body, body]);
    expect(provider.heard('authorization')).toEqual(Array.from({ length: 4 }, () => 'Bearer caller-key'));
    expect(provider.heard('x-mine')).toEqual(['1', '1', '1', '1']);
    expect(provider.requests.some(({ rawHeaders }) => rawHeaders.some((line) => /^(?:svc|helicone)-/i.test(line)))).toBe(false);
    const [exchange] = await rig.exchanges(1);
    expect(attemptsOf(exchange)).toEqual([
      ['openai', 429],
      ['openai', 0, 'provider_unreachable'],
      ['openai', 500],
      ['openai', 200],
    ]);
    expect(exchange?.end?.attempts?.every(({ ms }) => Number.isInteger(ms) && ms >= 0)).toBe(true);
    expect([exchange?.responseHead?.status, exchange?.requestBody.toString(), exchange?.end?.outcome]).toEqual([200, body, 'complete']);
  });

  it('passes the last reply on unchanged when all fail', async () => {
    const { rig, provider } = await scene([500, 500, last]);
    const response = await call(rig.port, chat(retrying(2)));
    expect([response.head.split('\r\n')[0], response.body.toString()]).toEqual(['HTTP/1.1 503 Too Busy', 'go away']);
    expect([response.header('retry-after'), response.header('x-odd'), response.header('svc-attempts')]).toEqual(['1', 'yes', '3']);
    expect(provider.requests.length).toBe(3);
  });

  it('answers with our own error when the last attempt reached nobody', async () => {
    const { rig } = await scene([500, 'reset']);
    const response = await call(rig.port, chat(retrying(2)));
    expect([response.status, JSON.parse(response.body.toString())]).toMatchObject([502, { error: { code: 'provider_unreachable' } }]);
    const [exchange] = await rig.exchanges(1);
    expect([response.header('svc-attempts'), exchange?.end?.outcome]).toEqual(['4', 'no_response']);
    expect(attemptsOf(exchange)).toEqual([
      ['openai', 500],
      // On the connection of the first, which may have been stale: it goes once more on a new one.
      ['openai', 0, 'provider_unreachable'],
      ['openai', 0, 'provider_unreachable'],
      ['openai', 0, 'provider_unreachable'],
    ]);
  });

  it('a single attempt is none to speak of: no header, nothing in the record', async () => {
    const { rig } = await scene([200]);
    const response = await call(rig.port, chat(retrying(2)));
    const [exchange] = await rig.exchanges(1);
    expect([response.header('svc-attempts'), exchange?.end?.attempts, exchange?.end?.provider]).toEqual([undefined, undefined, undefined]);
  });

  it('the usage of a stream is asked for each time, and kept from the client', async () => {
    const { rig, provider } = await scene([500, streamWithUsage]);
    const response = await call(rig.port, chat([...retrying(2), 'Svc-Stream-Usage: true'], '{"model":"gpt-4o","stream":true}'));
    expect(response.body.toString()).toBe('data: {"choices":[{"index":0}]}\n\ndata: [DONE]\n\n');
    expect(provider.bodies.map((body): unknown => JSON.parse(body))).toEqual(
      Array.from({ length: 2 }, () => ({ model: 'gpt-4o', stream: true, stream_options: { include_usage: true } })),
    );
    expect(provider.heard('accept-encoding')).toEqual([undefined, undefined]);
    expect((await rig.exchanges(1))[0]?.responseBody.toString()).toContain('total_tokens');
  });

  it('bodies that are no JSON are repeated too, and so are calls without one', async () => {
    const { rig, provider } = await scene([500, 200, 500, 200]);
    const upload = requestText('POST /v1/files', ['Content-Type: multipart/form-data; boundary=b', ...retrying(1)], '--b--');
    expect([(await call(rig.port, upload)).status, (await call(rig.port, requestText('GET /v1/files', retrying(1)))).status]).toEqual([
      200, 200,
    ]);
    expect(provider.bodies).toEqual(['--b--', '--b--', '', '']);
  });

  it('a body that is too large to be held goes once, and the reply says so', async () => {
    const { rig, provider } = await scene([500], { limits: { routeMaxBytes: 1024 } });
    const response = await call(rig.port, chat(retrying(3), JSON.stringify({ model: 'gpt-4o', text: 'x'.repeat(2000) })));
    expect([response.status, provider.requests.length, response.header('svc-attempts')]).toEqual([500, 1, undefined]);
    expect(response.header('svc-warning')).toContain('GATELOG_ROUTE_MAX_BYTES');
  });
});

describe('once a reply has begun it is the call`s', () => {
  it('a stream that breaks off is not sent again', async () => {
    const { rig, provider } = await scene([500, breaking, 200]);
    const response = await call(rig.port, chat(retrying(5)));
    expect([response.status, response.isComplete, response.header('svc-attempts'), provider.requests.length]).toEqual([200, false, '2', 2]);
    const [exchange] = await rig.exchanges(1);
    expect(exchange?.end?.outcome).toBe('provider_broke');
    expect(attemptsOf(exchange)).toEqual([
      ['openai', 500],
      ['openai', 200, 'provider_broke'],
    ]);
  });

  it('the head of a stream goes ahead of its first byte', async () => {
    const finish: (() => void)[] = [];
    const slow: Answer = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.flushHeaders();
      finish.push(() => response.end('data: [DONE]\n\n'));
    };
    const { rig } = await scene([500, slow]);
    const client = await openClient(rig.port);
    client.send(chat(retrying(1)));
    await client.until('\r\n\r\n');
    finish[0]?.();
    await client.until('[DONE]');
    client.socket.destroy();
    expect(client.text()).toContain('svc-attempts: 2');
  });

  it('the rest of a failed reply is nobody`s, also when it breaks off or does not end', async () => {
    let closed = false;
    let sentBytes = 0;
    const endless: Answer = (request, response) => {
      response.writeHead(500);
      const more = (): unknown => {
        sentBytes += 16 * 1024;
        return response.write(Buffer.alloc(16 * 1024), (error) => (error instanceof Error ? undefined : more()));
      };
      more();
      request.socket.once('close', () => {
        closed = true;
      });
    };
    const { rig } = await scene([broken, endless, 200]);
    const reply = await call(rig.port, chat(retrying(5)));
    expect([reply.status, reply.body.toString()]).toEqual([200, '{"answer":3,"model":"answering-model"}']);
    const [exchange] = await rig.exchanges(1);
    expect(exchange?.responseBody.toString()).toBe('{"answer":3,"model":"answering-model"}');
    await until(() => closed);
    // What fits into the buffers on the way, not what a second can carry.
    expect(sentBytes).toBeLessThan(32 * 1024 * 1024);
  });

  it('a failed reply that just stays open is closed', async () => {
    let closed = false;
    const open: Answer = (request, response) => {
      response.writeHead(500);
      response.write('and');
      request.socket.once('close', () => {
        closed = true;
      });
    };
    const { rig } = await scene([open, 200]);
    expect((await call(rig.port, chat(retrying(1)))).status).toBe(200);
    await until(() => closed);
  });
});

describe('the wait', () => {
  const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
  const patient = ['Svc-Retry-Enabled: true', 'Svc-Retry-Min-Timeout: 0', 'Svc-Retry-Max-Timeout: 600000'];

  for (const retryAfter of ['3600', inAnHour]) {
    it(`Retry-After: ${retryAfter.replace(/^.*GMT$/, '<date>')} is waited for, so a retry that would come too late is none`, async () => {
      const { rig, provider } = await scene([busy(retryAfter), 200], { limits: { retryWithinMs: 30_000 } });
      const reply = await call(rig.port, chat(patient));
      expect([reply.status, provider.requests.length, reply.header('retry-after')]).toEqual([429, 1, retryAfter]);
      expect(reply.header('svc-warning')).toBe('no further attempt was made after 30000 ms (GATELOG_RETRY_WITHIN_MS)');
    });
  }

  it('Retry-After is waited for although the longest back-off is shorter', async () => {
    const { rig, provider } = await scene([busy('1'), 200]);
    const at = performance.now();
    const reply = await call(rig.port, chat(retrying(1)));
    expect([reply.status, provider.requests.length, performance.now() - at >= 999]).toEqual([200, 2, true]);
  });

  it('ends when the client leaves: 499 on record, and no further attempt', async () => {
    const { rig, provider } = await scene([500]);
    const waiting = ['Svc-Retry-Enabled: true', 'Svc-Retry-Num: 1', 'Svc-Retry-Min-Timeout: 200', 'Svc-Retry-Max-Timeout: 200'];
    const leaving = await openClient(rig.port);
    leaving.send(chat(waiting, '{"model":"leaves"}'));
    await until(() => provider.bodies.length === 1);
    leaving.socket.destroy();
    const [exchange] = await rig.exchanges(1);
    expect([exchange?.end?.outcome, exchange?.responseHead]).toEqual(['client_left', undefined]);
    // Its retry comes after the one that the first call would have made.
    expect((await call(rig.port, chat(waiting, '{"model":"stays"}'))).header('svc-attempts')).toBe('2');
    expect(provider.bodies).toEqual(['{"model":"leaves"}', '{"model":"stays"}', '{"model":"stays"}']);
  });

  it('a client that leaves during a later attempt ends that one; the record has all of them', async () => {
    let aborted = false;
    const silent: Answer = (request) => {
      request.socket.once('close', () => {
        aborted = true;
      });
    };
    const { rig, provider } = await scene([500, silent]);
    const client = await openClient(rig.port);
    client.send(chat(retrying(3)));
    await until(() => provider.bodies.length === 2);
    client.socket.destroy();
    const [exchange] = await rig.exchanges(1);
    expect(exchange?.end?.outcome).toBe('client_left');
    expect(attemptsOf(exchange)).toEqual([
      ['openai', 500],
      ['openai', 0, 'client_left'],
    ]);
    await until(() => aborted);
  });

  it('a client that leaves before a later attempt has its connection ends that one too', async () => {
    const provider = await scripted(closing, 200);
    const connecting: (() => void)[] = [];
    // The first connection opens at once; it is not kept, so the second attempt needs another.
    const resolve: LookupFunction = (_hostname, _options, callback) => {
      const open = (): void => callback(null, [{ address: '127.0.0.1', family: 4 }]);
      if (connecting.push(open) === 1) open();
    };
    const rig = await rigWith({ resolve, allowed: ['127.0.0.0/8'] });
    const client = await openClient(rig.port);
    client.send(chat([...retrying(1), `Svc-Target-Url: http://llm.example:${provider.port}`]));
    await until(() => provider.bodies.length === 1);
    await until(() => connecting.length === 2);
    client.socket.destroy();
    await rig.exchanges(1);
    connecting[1]?.();
    await call(rig.port, chat([`Svc-Target-Url: http://127.0.0.1:${provider.port}`], '{"model":"later"}'));
    expect(provider.bodies).toEqual(['{"model":"gpt-4o"}', '{"model":"later"}']);
  });

  it('ends after the most attempts of the deployment, and the reply says so', async () => {
    const { rig, provider } = await scene([500], { limits: { maxAttempts: 3 } });
    const reply = await call(rig.port, chat(retrying(100)));
    expect([reply.status, provider.requests.length, reply.header('svc-warning')]).toEqual([
      500,
      3,
      'no further attempt was made after 3 attempts (GATELOG_ATTEMPTS_MAX)',
    ]);
  });
});

describe('the headers', () => {
  const malformed: readonly [headers: readonly string[], named: string][] = [
    [['Svc-Retry-Enabled: yes'], 'Svc-Retry-Enabled'],
    [['Svc-Retry-Enabled: true', 'Svc-Retry-Num: many'], 'Svc-Retry-Num'],
    [['Svc-Retry-Enabled: true', 'Svc-Retry-Num: -1'], 'Svc-Retry-Num'],
    [['Svc-Retry-Enabled: true', 'Svc-Retry-Num: 1.5'], 'Svc-Retry-Num'],
    [['Svc-Retry-Enabled: true', 'Svc-Retry-Num: 101'], 'Svc-Retry-Num'],
    [['Svc-Retry-Enabled: true', 'Svc-Retry-Factor: 0.5'], 'Svc-Retry-Factor'],
    [['Svc-Retry-Enabled: true', 'Svc-Retry-Factor: 1e3'], 'Svc-Retry-Factor'],
    [['Svc-Retry-Enabled: true', 'Svc-Retry-Min-Timeout: 1s'], 'Svc-Retry-Min-Timeout'],
    [['Svc-Retry-Enabled: true', 'Svc-Retry-Max-Timeout: 600001'], 'Svc-Retry-Max-Timeout'],
    [['Svc-Retry-Enabled: true', 'Svc-Retry-Min-Timeout: 20', 'Svc-Retry-Max-Timeout: 10'], 'Svc-Retry-Min-Timeout'],
    [['Svc-Retry-Num: many'], 'Svc-Retry-Num'],
    [['Helicone-Retry-Num: many'], 'Helicone-Retry-Num'],
  ];
  for (const [headers, named] of malformed) {
    it(`${headers.join(', ')}: 422 on record, nothing is sent`, async () => {
      const { rig, provider } = await scene([200]);
      const reply = await call(rig.port, chat(headers));
      expect([reply.status, JSON.parse(reply.body.toString())]).toMatchObject([
        422,
        { error: { code: 'invalid_directive', message: expect.stringContaining(named) as string } },
      ]);
      expect([provider.requests.length, (await rig.exchanges(1))[0]?.end?.outcome]).toEqual([0, 'refused']);
    });
  }

  it('are known by their Helicone names', async () => {
    const { rig, provider } = await scene([500, 200]);
    const headers = retrying(1).map((line) => line.replace('Svc-', 'Helicone-'));
    expect([(await call(rig.port, chat(headers))).status, provider.requests.length]).toEqual([200, 2]);
  });

  const single: readonly [why: string, headers: readonly string[], warning: string | undefined][] = [
    ['retries that are not enabled', ['Svc-Retry-Num: 3'], 'the headers Svc-Retry-* were ignored: retries need Svc-Retry-Enabled: true'],
    ['retries that are off', ['Svc-Retry-Enabled: false', 'Svc-Retry-Num: 3'], undefined],
    ['no retries', ['Svc-Retry-Enabled: true', 'Svc-Retry-Num: 0'], undefined],
  ];
  for (const [why, headers, warning] of single) {
    it(`${why}: one attempt`, async () => {
      const { rig, provider } = await scene([500, 200]);
      const reply = await call(rig.port, chat(headers));
      expect([reply.status, provider.requests.length]).toEqual([500, 1]);
      expect(reply.header('svc-warning')).toBe(warning);
    });
  }
});

it('a port where nobody listens is tried again too', async () => {
  const closed = await scripted(200);
  await closed.close();
  const rig = await rigWith({ providers: openAiAt(closed.port) });
  const reply = await call(rig.port, requestText('POST /v1/x', [`Svc-Auth: Bearer ${ourKey}`, 'Authorization: x', ...retrying(2)], '{}'));
  expect([reply.status, reply.header('svc-attempts')]).toEqual([502, '3']);
});
