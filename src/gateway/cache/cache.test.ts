import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CacheRig, startCacheRig } from '../testing/cache-harness.ts';
import { call, openClient, parseResponse, type RawResponse, requestText, until } from '../testing/raw-http.ts';

let cached: CacheRig;

beforeEach(async () => {
  cached = await startCacheRig();
});

afterEach(() => cached.close());

const enabled = 'Svc-Cache-Enabled: true';
const json = 'Content-Type: application/json';
const chat = '{"model":"m","messages":[]}';
const day = 24 * 60 * 60 * 1000;

/** A call of the cache; `line` and `body` are those of a chat unless given. */
function ask(headers: readonly string[] = [], body = chat, line = 'POST /v1/chat/completions'): Promise<RawResponse> {
  return call(cached.rig.port, requestText(line, [json, enabled, ...headers], body));
}

const told = ({ header }: RawResponse): string | undefined => header('svc-cache');
const numberOf = ({ body }: RawResponse): number => (JSON.parse(body.toString()) as { readonly number: number }).number;

describe('a call with the cache', () => {
  it('reaches the provider once; equal ones get the same reply', async () => {
    const first = await ask();
    const second = await ask();
    expect([told(first), told(second)]).toEqual(['MISS', 'HIT']);
    expect(second.status).toBe(200);
    expect(second.body).toEqual(first.body);
    expect(['content-type', 'x-request-id'].map((name) => second.header(name))).toEqual(['application/json', 'req-1']);
    expect(cached.seen).toEqual([chat]);
    expect(second.header('svc-id')).not.toBe(first.header('svc-id'));
  });

  it('is told which place a hit is from and how long its provider took', async () => {
    expect((await ask()).header('svc-cache-bucket-idx')).toBeUndefined();
    const hit = await ask();
    expect(hit.header('svc-cache-bucket-idx')).toBe('0');
    expect(Number(hit.header('svc-cache-latency'))).toBeGreaterThanOrEqual(0);
    expect(hit.header('helicone-cache')).toBeUndefined();
  });

  it('is told so by the names that it uses itself', async () => {
    const aliased = requestText('POST /v1/chat/completions', [json, 'Helicone-Cache-Enabled: true'], chat);
    expect((await call(cached.rig.port, aliased)).header('helicone-cache')).toBe('MISS');
    const hit = await call(cached.rig.port, aliased);
    expect(['cache', 'cache-bucket-idx'].map((name) => [hit.header(`svc-${name}`), hit.header(`helicone-${name}`)])).toEqual([
      ['HIT', 'HIT'],
      ['0', '0'],
    ]);
    expect(hit.header('helicone-cache-latency')).toBe(hit.header('svc-cache-latency'));
  });

  it('that asks for nothing of it has no part in it', async () => {
    await ask();
    const plain = await call(cached.rig.port, requestText('POST /v1/chat/completions', [json], chat));
    expect([told(plain), cached.seen.length]).toEqual([undefined, 2]);
  });

  it('shares with callers that have another key for the provider', async () => {
    const other = ['Authorization: Bearer another-provider-key', 'Svc-Auth: Bearer sk-svc-us-0123456789abcdefghij'];
    expect([told(await ask()), told(await ask(other))]).toEqual(['MISS', 'HIT']);
  });

  it('is malformed: 422 on record, nothing is forwarded', async () => {
    const refused = await ask(['Svc-Cache-Bucket-Max-Size: many']);
    expect([refused.status, refused.body.toString()]).toEqual([422, expect.stringContaining('invalid_directive')]);
    expect(cached.seen).toEqual([]);
    expect(await cached.rig.exchanges(1)).toHaveLength(1);
  });

  it('is the gateway’s own matter: its headers do not reach the provider', async () => {
    await ask(['Svc-Cache-Seed: s', 'Svc-Cache-Control: max-age=5']);
    expect(cached.provider.requests[0]?.rawHeaders.filter((name) => /cache/i.test(name))).toEqual([]);
  });
});

describe('what differs', () => {
  const differences: readonly [what: string, headers: readonly string[], body?: string, line?: string][] = [
    ['the body', [], '{"model":"n","messages":[]}'],
    ['the path', [], chat, 'POST /v1/completions'],
    ['the query', [], chat, 'POST /v1/chat/completions?x=1'],
    ['the provider', [], '{"model":"echo/m","messages":[{"role":"user","content":"x"}]}'],
    ['a versioning header', ['OpenAI-Beta: assistants=v2']],
    ['the seed', ['Svc-Cache-Seed: two']],
  ];
  it.each(differences)('by %s is another call', async (_what, headers, body, line) => {
    await ask();
    expect([told(await ask(headers, body, line)), told(await ask(headers, body, line)), told(await ask())]).toEqual(['MISS', 'HIT', 'HIT']);
  });

  it('by an ignored key alone is the same call', async () => {
    const ignoring = ['Svc-Cache-Ignore-Keys: request_id, at'];
    await ask(ignoring, '{"request_id":1,"model":"m","at":2}');
    expect(told(await ask(ignoring, '{"model":"m","request_id":2}'))).toBe('HIT');
  });

  it('by a user who is told apart by nothing that the provider sees is the same call', async () => {
    await ask(['Svc-User-Id: ann']);
    expect(told(await ask(['Svc-User-Id: bob', 'Svc-Property-Team: search']))).toBe('HIT');
  });
});

describe('several buckets', () => {
  it('are filled one after the other, then one of them is given by chance', async () => {
    const bucket = ['Svc-Cache-Bucket-Max-Size: 3'];
    const first = [await ask(bucket), await ask(bucket), await ask(bucket)];
    expect(first.map(told)).toEqual(['MISS', 'MISS', 'MISS']);
    const given = new Map<string, number>();
    for (let asked = 0; asked < 40; asked += 1) {
      const hit = await ask(bucket);
      expect(told(hit)).toBe('HIT');
      given.set(hit.header('svc-cache-bucket-idx') ?? '', numberOf(hit));
    }
    expect(Object.fromEntries(given)).toEqual({ 0: 1, 1: 2, 2: 3 });
  });
});

describe('age', () => {
  it('is seven days at most unless the caller says otherwise', async () => {
    await ask();
    cached.pass(7 * day - 60_000);
    expect(told(await ask())).toBe('HIT');
    cached.pass(60_001);
    expect(told(await ask())).toBe('MISS');
  });

  it('is that of the caller who had it kept, and of the one who asks', async () => {
    await ask(['Cache-Control: max-age=60']);
    cached.pass(30_000);
    expect(told(await ask(['Cache-Control: max-age=20']))).toBe('MISS');
    cached.pass(10_000);
    expect(told(await ask())).toBe('HIT');
    cached.pass(10_000);
    expect(told(await ask())).toBe('MISS');
  });

  it('of no-cache is none: it is called again and kept again; no-store leaves all as it is', async () => {
    await ask();
    const refreshed = await ask(['Cache-Control: no-cache']);
    expect([told(refreshed), numberOf(refreshed), numberOf(await ask())]).toEqual(['MISS', 2, 2]);
    expect(told(await ask(['Cache-Control: no-store']))).toBeUndefined();
    expect(numberOf(await ask())).toBe(2);
  });

  it('reading and keeping can be asked for apart', async () => {
    const only = (use: string): Promise<RawResponse> =>
      call(cached.rig.port, requestText('POST /v1/chat/completions', [json, `Svc-Cache-${use}: true`], chat));
    expect([told(await only('Read')), told(await only('Read'))]).toEqual(['MISS', 'MISS']);
    expect([told(await only('Save')), told(await only('Save')), told(await only('Read'))]).toEqual(['MISS', 'MISS', 'HIT']);
    expect(cached.seen).toHaveLength(4);
  });
});

describe('a reply in a coding', () => {
  const text = JSON.stringify({ text: 'Grüße '.repeat(400) });
  const codings = [
    ['identity', (bytes: Buffer) => bytes, (bytes: Buffer) => bytes],
    ['gzip', gzipSync, gunzipSync],
    ['br', brotliCompressSync, brotliDecompressSync],
  ] as const;
  for (const [from, encode] of codings) {
    for (const [to, , decode] of codings) {
      it(`${from} is given to a caller that takes ${to}`, async () => {
        cached.behave((_body, response) => {
          response.writeHead(200, { 'content-type': 'application/json', ...(from === 'identity' ? {} : { 'content-encoding': from }) });
          response.end(encode(Buffer.from(text)));
        });
        const first = await ask();
        expect([first.header('content-encoding') ?? 'identity', first.body]).toEqual([from, encode(Buffer.from(text))]);
        const hit = await ask([`Accept-Encoding: ${to}`]);
        expect([told(hit), hit.header('content-encoding') ?? 'identity']).toEqual(['HIT', to]);
        expect(decode(hit.body).toString()).toBe(text);
        expect(hit.header('content-length')).toBe(String(hit.body.length));
      });
    }
  }

  it('that cannot be read is not kept', async () => {
    cached.behave((_body, response) => response.writeHead(200, { 'content-encoding': 'zstd' }).end('?'));
    expect([told(await ask()), told(await ask())]).toEqual(['MISS', 'MISS']);
  });
});

describe('a stream', () => {
  const events = [
    'data: {"choices":[{"delta":{"content":"Grüße"}}]}\n\n',
    'data: {"choices":[],"usage":{"total_tokens":2}}\n\n',
    'data: [DONE]\n\n',
  ];
  const stream = events.join('');
  const question = '{"model":"m","stream":true}';
  const asksUsage = '{"stream_options":{"include_usage":true},"model":"m","stream":true}';
  beforeEach(() => {
    cached.behave((_body, response) => {
      response.writeHead(200, { 'content-type': 'Text/Event-Stream; charset=utf-8' });
      for (const event of events) response.write(event);
      response.end();
    });
  });

  it('is a stream again, byte for byte', async () => {
    const first = await ask([], question);
    const hit = await ask(['Accept-Encoding: gzip, br'], question);
    expect([told(first), told(hit)]).toEqual(['MISS', 'HIT']);
    expect([first.body.toString(), hit.body.toString()]).toEqual([stream, stream]);
    expect(['content-type', 'transfer-encoding', 'content-encoding', 'content-length'].map((name) => hit.header(name))).toEqual([
      'Text/Event-Stream; charset=utf-8',
      'chunked',
      undefined,
      undefined,
    ]);
  });

  it('shows its usage to those who asked for it, whoever had it kept', async () => {
    const hiding = ['Svc-Stream-Usage: true'];
    const hidden = `${events[0]}${events[2]}`;
    const bodies = [await ask(hiding, question), await ask([], asksUsage), await ask(hiding, question)];
    expect(bodies.map((response) => [told(response), response.body.toString()])).toEqual([
      ['MISS', hidden],
      ['HIT', stream],
      ['HIT', hidden],
    ]);
    // What the gateway asked for is on record all the same.
    const exchanges = await cached.rig.exchanges(3);
    expect(exchanges.map(({ responseBody }) => Buffer.from(responseBody).toString())).toEqual([stream, stream, stream]);
  });

  it.each([
    ['an event of an error', 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n'],
    ['an error instead of a chunk', 'data: {"error":{"message":"no"}}\n\n'],
    ['a failed response', 'event: response.failed\ndata: {"type":"response.failed"}\n\n'],
  ])('that ends in %s is not kept', async (_what, event) => {
    cached.behave((_body, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${events[0]}${event}`));
    expect([told(await ask([], question)), told(await ask([], question))]).toEqual(['MISS', 'MISS']);
  });
});

describe('only whole successes are kept', () => {
  it.each([300, 400, 429, 500])('not a %i', async (status) => {
    cached.behave((_body, response) => response.writeHead(status, { 'content-type': 'application/json' }).end('{}'));
    expect([(await ask()).status, told(await ask()), cached.seen.length]).toEqual([status, 'MISS', 2]);
  });

  it('not one that broke off', async () => {
    cached.behave((_body, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half');
      setImmediate(() => response.destroy());
    });
    expect((await ask()).isComplete).toBe(false);
    cached.behave((_body, response) => response.writeHead(200).end('whole'));
    expect([told(await ask()), told(await ask())]).toEqual(['MISS', 'HIT']);
  });

  it('not one whose caller left, which ends the call to the provider', async () => {
    let gone = false;
    cached.behave((_body, response) => {
      response.writeHead(200).write('half');
      response.on('close', () => {
        gone = true;
      });
    });
    const client = await openClient(cached.rig.port);
    client.send(requestText('POST /v1/chat/completions', [json, enabled], chat));
    await client.until('half');
    client.socket.destroy();
    await until(() => gone);
    cached.behave((_body, response) => response.writeHead(200).end('whole'));
    expect(told(await ask())).toBe('MISS');
  });

  it('not one that is too large', async () => {
    const large = Buffer.alloc(1024 * 1024, 'x');
    cached.behave((_body, response) => response.writeHead(200).end(large));
    expect([told(await ask()), told(await ask())]).toEqual(['MISS', 'MISS']);
    expect(cached.responses.total()).toBe(0);
  });

  it('not one that is 200 and tells of an error', async () => {
    cached.behave((_body, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"error":{"code":502}}'));
    expect([told(await ask()), told(await ask())]).toEqual(['MISS', 'MISS']);
    cached.behave((_body, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"error":null}'));
    expect([told(await ask()), told(await ask())]).toEqual(['MISS', 'HIT']);
  });

  it('not a stream that fails in the middle, nor one that is not whole', async () => {
    const [piece, failure, end] = ['{"choices":[]}', '{"id":"x","choices":[],"error":{"code":502}}', '[DONE]'].map(
      (data) => `data: ${data}\n\n`,
    );
    for (const stream of [`${piece}${failure}${end}`, `${piece}`]) {
      cached.behave((_body, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(stream));
      expect([told(await ask()), told(await ask())]).toEqual(['MISS', 'MISS']);
    }
  });

  it('a 204 as it is, without a length', async () => {
    cached.behave((_body, response) => response.writeHead(204, { etag: '"a"' }).end());
    await ask();
    const hit = await ask();
    expect([hit.status, told(hit), hit.header('etag'), hit.header('content-length')]).toEqual([204, 'HIT', '"a"', undefined]);
  });

  it('and of their heads what is true of any delivery', async () => {
    cached.behave((_body, response) =>
      response
        .writeHead(201, ['Set-Cookie', 'a=b', 'X-RateLimit-Remaining', '5', 'OpenAI-Version', '2', 'Date', 'then', 'Svc-Cache', 'HIT'])
        .end('x'),
    );
    expect(told(await ask())).toBe('MISS');
    const hit = await ask();
    expect([hit.status, hit.body.toString(), told(hit)]).toEqual([201, 'x', 'HIT']);
    expect(['set-cookie', 'x-ratelimit-remaining', 'openai-version'].map((name) => hit.header(name))).toEqual([undefined, undefined, '2']);
    expect(hit.header('date')).not.toBe('then');
  });

  it('and no more of them than there is room for, the least recently used go first', async () => {
    await cached.close();
    cached = await startCacheRig({ cacheBytes: 10_000 });
    cached.behave((_body, response) => response.writeHead(200).end('x'.repeat(3000)));
    for (const seed of ['a', 'b', 'c']) {
      await ask([`Svc-Cache-Seed: ${seed}`]);
      expect(cached.responses.total()).toBeLessThanOrEqual(10_000);
    }
    expect(told(await ask(['Svc-Cache-Seed: c']))).toBe('HIT');
    expect(told(await ask(['Svc-Cache-Seed: a']))).toBe('MISS');
  });
});

describe('the cache is not used', () => {
  it.each([
    ['for what must reach no disk', ['Svc-Omit-Response: strict'], 'POST'],
    ['for a question that must not either', ['Svc-Omit-Request: strict'], 'POST'],
    ['for what stands in one account and changes', [], 'GET'],
    ['for what changes something', [], 'DELETE'],
    ['for replies without a body', [], 'HEAD'],
  ])('%s, and the reply says so', async (_why, headers, method) => {
    const one = [requestText(`${method} /v1/files/1`, [enabled, ...headers], method === 'POST' ? '{}' : '')].join('');
    const responses = [await call(cached.rig.port, one), await call(cached.rig.port, one)];
    expect(responses.map(told)).toEqual([undefined, undefined]);
    expect(responses[1]?.header('svc-warning')).toContain('the cache was not used: ');
    expect([cached.seen.length, cached.responses.total()]).toEqual([2, 0]);
  });

  it('for a body that is too large to be read', async () => {
    const response = await ask([], JSON.stringify({ text: 'x'.repeat(70_000) }));
    expect(response.header('svc-warning')).toContain('GATELOG_ROUTE_MAX_BYTES');
    expect([told(response), response.status]).toEqual([undefined, 200]);
  });

  it('while the shared state is away: the call goes on, and an operator can know', async () => {
    cached.breakState(true);
    const responses = [await ask(), await ask()];
    expect(responses.map((response) => [response.status, told(response)])).toEqual([
      [200, 'MISS'],
      [200, 'MISS'],
    ]);
    expect(cached.observed).toContainEqual({ kind: 'cache_failed', reason: 'the shared state is away' });
    cached.breakState(false);
    expect([told(await ask()), told(await ask())]).toEqual(['MISS', 'HIT']);
  });

  it('when it fails between the question and the reply: the reply is whole', async () => {
    cached.behave((_body, response) => {
      cached.breakState(true);
      response.writeHead(200).end('x');
    });
    expect((await ask()).body.toString()).toBe('x');
  });
});

describe('on record', () => {
  it('a hit names the exchange whose reply it gave, and each says that the cache was enabled', async () => {
    const id = (await ask()).header('svc-id');
    const hit = await ask();
    expect(await cached.rig.exchanges(2)).toMatchObject([
      { open: { requestId: id, cacheEnabled: true } },
      { open: { cacheEnabled: true, cachedFrom: { requestId: id } }, responseHead: { status: 200 }, responseBody: hit.body },
    ]);
    const opens = cached.rig.spooled().map(({ open }) => open);
    const times = [opens[0]?.openedAt, opens[1]?.cachedFrom?.createdAt, opens[1]?.openedAt];
    expect(times).toEqual(times.toSorted((one = 0, other = 0) => one - other));
    expect(opens[0]).not.toHaveProperty('cachedFrom');
  });

  it('a hit is whole for its caller only when it is in the spool', async () => {
    await ask();
    cached.rig.spool.hold();
    const client = await openClient(cached.rig.port);
    client.send(requestText('POST /v1/chat/completions', [json, enabled], chat));
    await until(() => cached.rig.spool.waiting() > 0);
    expect(parseResponse(client.received())?.isComplete ?? false).toBe(false);
    cached.rig.spool.release();
    await until(() => parseResponse(client.received())?.isComplete === true);
    client.socket.destroy();
  });
});
