import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { openAiAt, organizationId, type Rig, type RigOptions, startRig } from './testing/gateway-harness.ts';
import { makeRequestId } from './record/request-ids.ts';
import {
  bodyOf,
  call,
  openClient,
  ourKey,
  parseResponse,
  type Provider,
  requestText,
  startProvider,
  startRawProvider,
  until,
} from './testing/raw-http.ts';

const json = 'Content-Type: application/json';
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const chat = (body: string, headers: readonly string[] = []): string => requestText('POST /v1/chat/completions', [json, ...headers], body);

const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

async function rigFor(provider: { port: number; close: () => unknown }, options: RigOptions = {}): Promise<Rig> {
  const rig = await startRig({ providers: openAiAt(provider.port), ...options });
  opened.push(rig, provider);
  return rig;
}

/** A provider that answers everything with a small JSON body. */
async function okProvider(): Promise<Provider & { bodies: Buffer[] }> {
  const bodies: Buffer[] = [];
  const provider = await startProvider((request, response) => {
    void bodyOf(request).then((body) => {
      bodies.push(body);
      response.setHeader('Content-Type', 'application/json');
      response.setHeader('Content-Length', 11);
      response.end('{"ok":true}');
    });
  });
  return { ...provider, bodies };
}

describe('what passes to the provider', () => {
  it('keeps headers in order, case and number, and leaves out hop-by-hop lines, ours and our keys', async () => {
    const provider = await okProvider();
    const rig = await rigFor(provider);
    const response = await call(
      rig.port,
      requestText(
        'POST /v1/chat/completions?x=%2e&y=a%20b',
        [
          json,
          `Helicone-Auth: Bearer ${ourKey}`,
          'authorization: Bearer provider-key',
          'X-MiXed: One',
          'X-MiXed: Two',
          'X-Latin: caf\xe9',
          'Svc-Property-App: a',
          'helicone-user-id: u',
          'Svc-Never-Heard: of',
          'Connection: keep-alive, X-Hop',
          'X-Hop: gone',
          'Keep-Alive: timeout=5',
          'TE: trailers',
          'Proxy-Authorization: Basic zzz',
          `X-Other-Api-Key: ${ourKey}`,
          'Accept-Encoding: gzip, zstd, br',
        ],
        '{}',
      ),
    );
    expect(response.status).toBe(200);
    expect(response.header('helicone-id')).toBe(response.header('svc-id'));
    expect(response.header('svc-warning')).toContain('Svc-Never-Heard');
    const [seen] = provider.requests;
    expect(seen?.url).toBe('/v1/chat/completions?x=%2e&y=a%20b');
    const lines = seen?.rawHeaders ?? [];
    const pairs = lines.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${lines[index + 1]}`] : []));
    expect(pairs).toEqual([
      `host: 127.0.0.1:${provider.port}`,
      'connection: keep-alive',
      json,
      'X-MiXed: One',
      'X-MiXed: Two',
      'X-Latin: caf\xe9',
      'Accept-Encoding: gzip, br',
      'authorization: Bearer provider-key',
      'content-length: 2',
    ]);
  });

  const credentials: readonly [name: string, sent: readonly string[], passed: Readonly<Record<string, string | undefined>>][] = [
    ['Svc-Auth and Authorization', [`Svc-Auth: Bearer ${ourKey}`, 'Authorization: Bearer p'], { authorization: 'Bearer p' }],
    ['the double form', [`Authorization: Bearer p, Bearer ${ourKey}`], { authorization: 'Bearer p' }],
    ['the double form, ours first', [`Authorization: Bearer ${ourKey}, Bearer p`], { authorization: 'Bearer p' }],
    ['ours as the API key', [`Authorization: Bearer ${ourKey}`], { authorization: 'Bearer deployment' }],
    ['ours in x-api-key', [`x-api-key: ${ourKey}`], { authorization: 'Bearer deployment', 'x-api-key': undefined }],
    [
      'ours in api-key, the provider`s beside it',
      [`api-key: ${ourKey}`, 'Authorization: Bearer p'],
      { authorization: 'Bearer p', 'api-key': undefined },
    ],
    ['ours in x-goog-api-key', [`x-goog-api-key: ${ourKey}`], { authorization: 'Bearer deployment' }],
    [
      'ours in two places',
      [`x-api-key: ${ourKey}`, `Authorization: Bearer ${ourKey}`],
      { authorization: 'Bearer deployment', 'x-api-key': undefined },
    ],
    [
      'a dead key of ours beside a good one',
      [`Svc-Auth: Bearer ${ourKey}`, 'x-api-key: sk-svc-us-revoked'],
      { authorization: 'Bearer deployment', 'x-api-key': undefined },
    ],
    [
      'keys of others than OpenAI, which it never gets',
      [`Svc-Auth: Bearer ${ourKey}`, 'x-api-key: sk-ant-theirs', 'X-Goog-Api-Key: AIza-theirs'],
      { authorization: 'Bearer deployment', 'x-api-key': undefined, 'x-goog-api-key': undefined },
    ],
    [
      'a signature with commas',
      [`Svc-Auth: Bearer ${ourKey}`, 'Authorization: AWS4 Credential=a/b,  SignedHeaders=h'],
      { authorization: 'AWS4 Credential=a/b,  SignedHeaders=h' },
    ],
  ];
  for (const [name, sent, passed] of credentials) {
    it(`credentials: ${name}`, async () => {
      const provider = await okProvider();
      const openai = { ...openAiAt(provider.port)['openai'], key: 'deployment' };
      const rig = await rigFor(provider, { providers: { openai } });
      const response = await call(rig.port, requestText('GET /v1/responses/r', sent));
      expect(response.status).toBe(200);
      for (const [header, value] of Object.entries(passed)) expect(provider.requests[0]?.headers[header]).toBe(value);
      expect(JSON.stringify(provider.requests[0]?.rawHeaders)).not.toContain('sk-svc');
    });
  }

  it('a key of ours in the query reaches neither the provider nor the record, nor does another secret reach the record', async () => {
    const provider = await okProvider();
    const rig = await rigFor(provider);
    await call(
      rig.port,
      requestText(`GET /v1/files?key=${ourKey}&a=1&accessToken=abc&b=AIzaSecret`, ['Referer: https://u:p@site/?token=hush']),
    );
    expect(provider.requests[0]?.url).toBe('/v1/files?a=1&accessToken=abc&b=AIzaSecret');
    const [exchange] = await rig.exchanges(1);
    expect(exchange?.open.path).toBe('/v1/files?a=1&accessToken=…&b=…');
    expect(exchange?.open.targetUrl).toBe(`http://127.0.0.1:${provider.port}/v1/files?a=1&accessToken=…&b=…`);
    expect(exchange?.open.headers['referer']).toBe('https://site/?token=…');
    expect(JSON.stringify(exchange)).not.toMatch(/provider-key|sk-svc|hush|AIza/);
  });

  const models: readonly [name: string, body: string, sent: string][] = [
    ['provider/model', '{ "model" : "openai/gpt-4o" ,"n":1}', '{ "model" : "gpt-4o" ,"n":1}'],
    ['model/provider', '{"n":1,"model":"gpt-4o/openai"}', '{"n":1,"model":"gpt-4o"}'],
    ['an escaped slash, as PHP writes it', String.raw`{"model":"openai\/gpt-4o"}`, '{"model":"gpt-4o"}'],
    ['another slash', '{"model":"meta-llama/llama-3"}', '{"model":"meta-llama/llama-3"}'],
    ['nothing but the provider', '{"model":"openai/"}', '{"model":"openai/"}'],
    ['a model below the top', '{"a":{"model":"openai/x"},"b":["model"]}', '{"a":{"model":"openai/x"},"b":["model"]}'],
    ['no JSON', 'model=openai/x', 'model=openai/x'],
  ];
  for (const [name, body, sent] of models) {
    it(`model: ${name}`, async () => {
      const provider = await okProvider();
      const rig = await rigFor(provider);
      await call(rig.port, chat(body));
      expect(provider.bodies[0]?.toString()).toBe(sent);
      const [exchange] = await rig.exchanges(1);
      expect(Buffer.from(exchange?.requestBody ?? []).toString()).toBe(body);
    });
  }

  it('a compressed body passes unread, and HEAD, DELETE and a GET with a body keep their form', async () => {
    const provider = await okProvider();
    const rig = await rigFor(provider);
    const packed = gzipSync('{"model":"openai/gpt-4o"}');
    await call(
      rig.port,
      Buffer.concat([
        Buffer.from(requestText('POST /v1/responses', [json, 'Content-Encoding: gzip', `Content-Length: ${packed.length}`])),
        packed,
      ]),
    );
    expect(provider.bodies[0]?.equals(packed)).toBe(true);
    const head = await call(rig.port, requestText('HEAD /v1/files'));
    expect([head.status, head.header('content-length'), head.header('svc-id')]).toEqual([200, '11', expect.stringMatching(uuid)]);
    await call(rig.port, requestText('DELETE /v1/files/1'));
    expect(provider.requests[2]?.headers['content-length']).toBeUndefined();
    await call(rig.port, requestText('GET /v1/odd', [], 'body'));
    expect(provider.bodies[3]?.toString()).toBe('body');
    const exchanges = await rig.exchanges(4);
    expect(exchanges.map(({ open, end }) => [open.method, end?.outcome])).toEqual([
      ['POST', 'complete'],
      ['HEAD', 'complete'],
      ['DELETE', 'complete'],
      ['GET', 'complete'],
    ]);
  });
});

describe('what passes to the client', () => {
  it('keeps duplicates, case and order, and drops what speaks for the provider`s own host or for us', async () => {
    const provider = await startRawProvider((socket) => {
      socket.write(
        [
          'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 201 \xd0\x9f\xd1\x80\r\nX-Two: a=1\r\nX-ID: 7\r\nx-two: b=2\r\n',
          'Alt-Svc: h3=":443"\r\nSet-Cookie: c=3\r\nStrict-Transport-Security: max-age=9\r\nsvc-id: spoofed\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\n',
          'X-Note: caf\xe9\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 9\r\n\r\n',
        ].join(''),
        'latin1',
      );
    });
    const rig = await rigFor(provider);
    const response = await call(rig.port, chat('{}'));
    expect(response.head.split('\r\n')[0]).toBe('HTTP/1.1 201 \xd0\x9f\xd1\x80');
    const named = response.lines.filter((line) => !/^(date|connection|keep-alive|transfer-encoding):/i.test(line));
    expect(named).toEqual([
      'X-Two: a=1',
      'X-ID: 7',
      'x-two: b=2',
      'X-Note: caf\xe9',
      expect.stringMatching(/^svc-id: [0-9a-f-]{36}$/),
      expect.stringMatching(/^server-timing: gatelog;dur=\d+\.\d{3}$/),
    ]);
    expect(response.body.toString()).toBe('hello');
  });

  for (const status of [204, 304, 205, 404, 429, 500] as const) {
    it(`a ${status} of the provider passes and is on record`, async () => {
      const provider = await startProvider((_request, response) => {
        response.statusCode = status;
        response.end(status === 204 || status === 304 ? undefined : 'why');
      });
      const rig = await rigFor(provider);
      const client = await openClient(rig.port);
      client.send(chat('{}'));
      await until(() => parseResponse(client.received())?.isComplete === true);
      const size = client.received().length;
      client.send(chat('{}'));
      await until(() => parseResponse(client.received().subarray(size))?.isComplete === true);
      expect(parseResponse(client.received().subarray(size))?.status).toBe(status);
      const [exchange] = await rig.exchanges(2);
      expect([exchange?.responseHead?.status, exchange?.end?.outcome]).toEqual([status, 'complete']);
      client.socket.destroy();
    });
  }

  it('an HTTP/1.0 client gets its body to the end of the connection', async () => {
    const provider = await startProvider((_request, response) => {
      response.write('one ');
      response.end('two');
    });
    const rig = await rigFor(provider);
    const client = await openClient(rig.port);
    client.send(chat('{}').replace('HTTP/1.1', 'HTTP/1.0'));
    await client.closed();
    expect(client.text()).toMatch(/\r\n\r\none two$/);
    expect(client.text()).not.toMatch(/transfer-encoding/i);
  });
});

describe('identifiers and warnings', () => {
  it('a caller`s own UUID is taken in lower case; what is no UUID, used before or issued by us is replaced with a warning', async () => {
    const provider = await okProvider();
    const taken = new Set<string>();
    const claim = (_organization: string, id: string): boolean => {
      if (id.startsWith('dead')) throw new Error('database is locked');
      return !taken.has(id) && taken.add(id).size > 0;
    };
    const release = (_organization: string, id: string): void => void taken.delete(id);
    const rig = await rigFor(provider, { ports: { requestIdClaims: { claim, release } } });
    const own = 'ABCDEF00-1111-4222-8333-444444444444';
    const ask = (id: string): ReturnType<typeof call> => call(rig.port, chat('{}', [`Svc-Request-Id: ${id}`]));
    // A call that leaves no record uses none up.
    const keyless = [`Authorization: Bearer ${ourKey}`, `Svc-Request-Id: ${own}`];
    const refused = await call(rig.port, requestText('POST /groq/v1/chat/completions', keyless, '{}'));
    expect([refused.status, refused.header('svc-id')]).toEqual([401, own.toLowerCase()]);
    const first = await ask(own);
    expect([first.header('svc-id'), first.header('svc-warning')]).toEqual([own.toLowerCase(), undefined]);
    for (const [id, why] of [
      [own, 'used before'],
      ['nonsense', 'not a UUID'],
      [makeRequestId(organizationId, 1_700_000_000_000), 'used before'],
      ['dead0000-1111-4222-8333-444444444444', 'could not be checked'],
    ] as const) {
      const response = await ask(id);
      expect(response.status).toBe(200);
      expect(response.header('svc-id')).toMatch(uuid);
      expect(response.header('svc-id')).not.toBe(id.toLowerCase());
      expect(response.header('svc-warning')).toContain(why);
    }
    expect((await rig.exchanges(5)).map(({ open }) => open.requestId)[0]).toBe(own.toLowerCase());
  });

  it('names that an object has by nature are unknown headers like any other', async () => {
    const provider = await okProvider();
    const rig = await rigFor(provider);
    const response = await call(rig.port, chat('{}', ['Svc-__proto__: 1', 'Svc-constructor: 2']));
    expect(response.status).toBe(200);
    expect(response.header('svc-warning')).toMatch(/__proto__.*constructor/);
  });

  it('64 properties of 8 KiB each are within the limits, all of them together too', async () => {
    const provider = await okProvider();
    const rig = await rigFor(provider);
    const response = await call(
      rig.port,
      chat(
        '{}',
        Array.from({ length: 64 }, (_none, index) => `Svc-Property-P${index}: ${'v'.repeat(8192)}`),
      ),
    );
    expect([response.status, response.header('svc-warning')]).toEqual([200, undefined]);
    const [exchange] = await rig.exchanges(1);
    expect(exchange?.open.tags.properties.map(({ value }) => value.length)).toEqual(Array.from({ length: 64 }, () => 8192));
  });

  it('properties beyond the limits are left out and said so, in one line without line breaks', async () => {
    const provider = await okProvider();
    const rig = await rigFor(provider);
    const many = Array.from({ length: 66 }, (_none, index) => `Svc-Property-P${index}: v`);
    const object = JSON.stringify({ ['x\r\nSet-Cookie: evil=1'.padEnd(200, 'y')]: 'v', Straße: 'ü', number: 1 }).replaceAll(
      /[\u0080-\uffff]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    const response = await call(rig.port, chat('{}', [`Svc-Properties: ${object}`, `Svc-Property-Big: ${'b'.repeat(8193)}`, ...many]));
    expect(response.header('set-cookie')).toBeUndefined();
    expect(response.header('svc-warning')).toMatch(
      /200 characters.*"number" in Svc-Properties is not a string.*"Big" is over 8192 bytes.*"P6[345]"/,
    );
    const [exchange] = await rig.exchanges(1);
    expect(exchange?.open.tags.properties).toHaveLength(64);
    expect(exchange?.open.tags.properties[0]).toEqual({ name: 'Straße', value: 'ü' });
  });
});

describe('what is kept of the bodies', () => {
  it('strict: no byte of them reaches the spool; true: they do and the tag says so', async () => {
    const provider = await okProvider();
    const rig = await rigFor(provider);
    await call(rig.port, chat('{"secret":1}', ['Svc-Omit-Request: strict', 'Svc-Omit-Response: STRICT']));
    await call(rig.port, chat('{"counted":1}', ['Helicone-Omit-Request: true', 'Svc-Omit-Response: true']));
    const [strict, counted] = await rig.exchanges(2);
    expect([strict?.requestBody.length, strict?.responseBody.length, strict?.end?.requestBytes, strict?.end?.responseBytes]).toEqual([
      0, 0, 12, 11,
    ]);
    expect([strict?.open.tags.requestBody, counted?.open.tags.requestBody, counted?.open.tags.responseBody]).toEqual([
      'never',
      'counted',
      'counted',
    ]);
    expect(counted?.requestBody.length).toBe(13);
  });

  it('a word that is none of them is refused on record, body unread, and nothing is forwarded', async () => {
    const provider = await okProvider();
    const rig = await rigFor(provider);
    const response = await call(rig.port, chat('{"secret":1}', ['Svc-Omit-Request: constructor']));
    expect([response.status, JSON.parse(response.body.toString())]).toMatchObject([
      422,
      { error: { type: 'gatelog_error', param: null, code: 'invalid_directive' } },
    ]);
    const [exchange] = await rig.exchanges(1);
    expect([exchange?.open.requestId, exchange?.end?.outcome, exchange?.requestBody.length, provider.requests.length]).toEqual([
      response.header('svc-id'),
      'refused',
      0,
      0,
    ]);
  });

  it('records up to the limit, flags the cut, passes all', async () => {
    const provider = await okProvider();
    const rig = await rigFor(provider, { limits: { recordMaxBytes: 5 } });
    const response = await call(rig.port, chat('{"a":"long"}'));
    expect(response.body.toString()).toBe('{"ok":true}');
    const [exchange] = await rig.exchanges(1);
    expect([Buffer.from(exchange?.requestBody ?? []).toString(), Buffer.from(exchange?.responseBody ?? []).toString()]).toEqual([
      '{"a":',
      '{"ok"',
    ]);
    expect(exchange?.end).toMatchObject({ requestBytes: 12, responseBytes: 11, requestCut: true, responseCut: true });
    // What stands behind the cut tells of usage.
    expect([Buffer.from(exchange?.requestTail ?? []).toString(), Buffer.from(exchange?.responseTail ?? []).toString()]).toEqual([
      '"long"}',
      ':true}',
    ]);
  });

  it('a full spool: the call goes on and says that it is not recorded', async () => {
    const provider = await okProvider();
    const rig = await rigFor(provider, { ports: { hasSpoolSpace: () => false } });
    const response = await call(rig.port, chat('{}'));
    expect([response.status, response.header('svc-recorded')]).toEqual([200, 'false']);
    expect([rig.spooled(), rig.observed]).toEqual([[], [{ kind: 'exchange_not_recorded', reason: 'the spool is full' }]]);
  });
});
