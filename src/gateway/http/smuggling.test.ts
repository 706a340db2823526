import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openAiAt, type Rig, startRig } from '../testing/gateway-harness.ts';
import { bytesOf, refusedRequests } from '../testing/ambiguous-requests.ts';
import { bodyOf, openClient, ourKey, parseResponse, type Provider, startProvider, until } from '../testing/raw-http.ts';

const keys = [`Svc-Auth: Bearer ${ourKey}`, 'Authorization: Bearer provider-key'];

/** What the provider got: Node's own strict parser says what is a request. */
let seen: { readonly target: string; readonly body: string; readonly names: readonly string[] }[] = [];
let provider: Provider;
let rig: Rig;

beforeAll(async () => {
  provider = await startProvider((request, response) => {
    bodyOf(request).then(
      (body) => {
        seen.push({ target: request.url ?? '', body: body.toString('latin1'), names: request.rawHeaders.filter((_, at) => at % 2 === 0) });
        response.end('ok');
      },
      () => response.destroy(),
    );
  });
  rig = await startRig({ providers: openAiAt(provider.port) });
});

beforeEach(() => {
  seen = [];
});

afterAll(async () => {
  await rig.close();
  await provider.close();
});

async function responseTo(bytes: string): Promise<{ readonly status: number | undefined; readonly text: string }> {
  const client = await openClient(rig.port);
  client.send(bytes);
  await until(() => client.isClosed() || parseResponse(client.received())?.isComplete === true);
  client.socket.destroy();
  return { status: parseResponse(client.received())?.status, text: client.text() };
}

describe('a request that can be read in two ways is none: its client is refused or cut off, and the provider sees nothing', () => {
  for (const request of refusedRequests) {
    it(request.name, async () => {
      const { status } = await responseTo(bytesOf(request, 'POST /v1/files HTTP/1.1', keys));
      // Where the head was good and the body is not, the call was under way: its connection is closed without a word.
      expect([400, undefined]).toContain(status);
      // A call behind it shows that nothing of the other one is still to come.
      expect((await responseTo(bytesOf({ name: '' }, 'GET /v1/after HTTP/1.1', keys))).status).toBe(200);
      expect(seen.map(({ target }) => target)).toEqual(['/v1/after']);
    });
  }

  it('a coding below the chunks, which nobody here can undo: 501', async () => {
    const lines = ['Transfer-Encoding: gzip, chunked'];
    const bytes = bytesOf({ name: '', lines, rest: '5\r\nhello\r\n0\r\n\r\n' }, 'POST /v1/files HTTP/1.1', keys);
    expect([(await responseTo(bytes)).status, seen]).toEqual([501, []]);
  });
});

describe('what can be read in one way only goes on as one request, framed again', () => {
  const body = 'GET /v1/smuggled HTTP/1.1\r\nHost: h\r\n\r\n';
  const chunks = '5\r\nhello\r\n0\r\n\r\n';
  const passed: readonly (readonly [name: string, line: string, lines: readonly string[], rest: string, target: string, body: string])[] = [
    ['a body that reads like a request', 'POST /v1/a HTTP/1.1', [`Content-Length: ${body.length}`], body, '/v1/a', body],
    ['a GET with such a body', 'GET /v1/a HTTP/1.1', [`Content-Length: ${body.length}`], body, '/v1/a', body],
    ['chunks in capitals', 'POST /v1/a HTTP/1.1', ['Transfer-Encoding: CHUNKED'], chunks, '/v1/a', 'hello'],
    ['chunks behind a tab', 'POST /v1/a HTTP/1.1', ['Transfer-Encoding:\tchunked'], chunks, '/v1/a', 'hello'],
    ['an extension of a chunk', 'POST /v1/a HTTP/1.1', ['Transfer-Encoding: chunked'], `5;a=b${chunks.slice(1)}`, '/v1/a', 'hello'],
    ['chunks of HTTP/1.0', 'POST /v1/a HTTP/1.0', ['Transfer-Encoding: chunked'], chunks, '/v1/a', 'hello'],
    [
      'trailers, which are dropped',
      'POST /v1/a HTTP/1.1',
      ['Transfer-Encoding: chunked', 'Trailer: X-Evil'],
      '5\r\nhello\r\n0\r\nX-Evil: 1\r\nAuthorization: Bearer evil\r\n\r\n',
      '/v1/a',
      'hello',
    ],
    ['an address in place of a path', 'GET http://evil.example/v1/a HTTP/1.1', [], '', '/v1/a', ''],
    ['an encoded line break in the path', 'GET /v1/a%0d%0aX-Evil:%201 HTTP/1.1', [], '', '/v1/a%0d%0aX-Evil:%201', ''],
    [
      'a length that is declared as hop-by-hop',
      'POST /v1/a HTTP/1.1',
      ['Connection: content-length', 'Content-Length: 5'],
      'hello',
      '/v1/a',
      'hello',
    ],
    [
      'an offer of HTTP/2',
      'GET /v1/a HTTP/1.1',
      ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'],
      '',
      '/v1/a',
      '',
    ],
    ['a line break written into an identifier', 'GET /v1/a HTTP/1.1', ['Svc-Request-Id: a%0d%0aX-Evil: 1'], '', '/v1/a', ''],
    [
      'a line break in a property that a warning names',
      'GET /v1/a HTTP/1.1',
      [String.raw`Svc-Properties: {"a\r\nX-Evil: 1": 1}`],
      '',
      '/v1/a',
      '',
    ],
  ];
  for (const [name, line, lines, rest, target, expected] of passed) {
    it(name, async () => {
      const { status, text } = await responseTo(bytesOf({ name, lines, rest }, line, keys));
      expect([status, seen.map((request) => [request.target, request.body])]).toEqual([200, [[target, expected]]]);
      expect(seen[0]?.names.filter((sent) => /evil/i.test(sent))).toEqual([]);
      expect(text.split('\r\n').filter((response) => /^x-evil/i.test(response))).toEqual([]);
    });
  }

  it('a line break written into a target address reaches no provider', async () => {
    const lines = ['Svc-Target-Url: https://127.0.0.1/%0d%0aX-Evil:1'];
    expect([(await responseTo(bytesOf({ name: '', lines }, 'GET /v1/a HTTP/1.1', keys))).status, seen]).toEqual([403, []]);
  });
});
