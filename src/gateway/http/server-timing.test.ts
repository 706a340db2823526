import { afterEach, describe, expect, it } from 'vitest';
import { hashKey } from '../../auth/api-key.ts';
import { openAiAt, principal, type Rig, type RigOptions, startRig } from '../testing/gateway-harness.ts';
import { serverTiming } from './server-timing.ts';
import { bodyOf, call, openClient, ourKey, parseResponse, requestText, startProvider, until } from '../testing/raw-http.ts';

const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

it.each([
  [0, '0.000'],
  [0.0004, '0.000'],
  [0.007, '0.007'],
  [0.0412, '0.041'],
  [0.21, '0.210'],
  [0.9996, '1.000'],
  [12.5, '12.500'],
  [1234.0625, '1234.063'],
])('%d milliseconds are written as %s', (milliseconds, text) => {
  expect(serverTiming(milliseconds)).toBe(`gatelog;dur=${text}`);
});

/** A clock that stands still but for what the test says something takes: a key 2.5 ms, the provider a second. */
async function started(options: RigOptions = {}): Promise<{ rig: Rig; passTime: (ms: number) => void }> {
  let at = 1000;
  const passTime = (ms: number): void => {
    at += ms;
  };
  const provider = await startProvider((request, response) => {
    void bodyOf(request).then(() => {
      passTime(1000);
      if (request.url?.endsWith('/completions') === true) {
        response.writeHead(200, { 'content-type': 'text/event-stream', 'server-timing': ['queue;dur=3', 'model;dur=900;desc="x, y"'] });
        response.end('data: {"choices":[]}\n\ndata: [DONE]\n\n');
      } else response.writeHead(429, { 'content-length': '2' }).end('{}');
    });
  });
  const rig = await startRig({
    providers: openAiAt(provider.port),
    ...options,
    ports: {
      clock: { now: () => 1_760_000_000_000, monotonic: () => at },
      verifyKey: (keyHash) => {
        passTime(2.5);
        return keyHash === hashKey(ourKey) ? principal : undefined;
      },
      ...options.ports,
    },
  });
  opened.push(rig, provider);
  return { rig, passTime };
}

const timings = (lines: readonly string[]): string[] => lines.filter((line) => /^server-timing:/i.test(line));

describe('Server-Timing of a reply', () => {
  const own = 'server-timing: gatelog;dur=2.500';

  it("stands behind the provider's own lines, on the head of a stream too, and is what the record has", async () => {
    const { rig } = await started();
    const response = await call(rig.port, requestText('POST /v1/chat/completions', [], '{"stream":true}'));
    expect(timings(response.lines)).toEqual(['server-timing: queue;dur=3', 'server-timing: model;dur=900;desc="x, y"', own]);
    expect((await rig.exchanges(1))[0]?.end?.overheadMs).toBe(2.5);
  });

  it('leaves out the wait for the body', async () => {
    const { rig, passTime } = await started();
    const client = await openClient(rig.port);
    opened.push({ close: () => client.socket.destroy() });
    client.send(requestText('POST /v1/chat/completions', ['Content-Type: application/json', 'Content-Length: 15']));
    // Once its key is known the body is what the call waits for.
    await until(() => rig.ports.clock.monotonic() > 1000);
    passTime(60_000);
    client.send('{"stream":true}');
    await until(() => parseResponse(client.received())?.isComplete === true);
    expect(timings(parseResponse(client.received())?.lines ?? []).at(-1)).toBe(own);
  });

  const refusals: readonly [what: string, request: string, status: number, recorded: boolean][] = [
    ["a provider's error", requestText('GET /v1/files'), 429, true],
    ['a key that is not accepted', requestText('GET /v1/files', ['Svc-Auth: Bearer sk-svc-us-unknown']), 401, false],
    ['a path that is none', requestText('GET /nowhere'), 404, true],
    ['a directive that is refused', requestText('GET /v1/files', ['Svc-Omit-Request: perhaps']), 422, true],
    ['a body over the limit', requestText('POST /v1/files', ['Transfer-Encoding: chunked'], `8\r\n12345678\r\n0\r\n\r\n`), 413, true],
  ];
  it.each(refusals)('is on %s', async (_what, request, status, recorded) => {
    const { rig } = await started({ limits: { requestMaxBytes: 4, routeMaxBytes: 4 } });
    const response = await call(rig.port, request);
    expect([response.status, timings(response.lines)]).toEqual([status, [own]]);
    const [exchange] = recorded ? await rig.exchanges(1) : rig.spooled();
    expect(exchange?.end?.overheadMs).toBe(recorded ? 2.5 : undefined);
  });

  it.each([
    ['health', 'GET /healthz HTTP/1.1\r\nHost: g\r\n\r\n', 200],
    ['readiness', 'GET /readyz HTTP/1.1\r\nHost: g\r\n\r\n', 200],
    ['a WebSocket', requestText('GET /v1/realtime', ['Connection: Upgrade', 'Upgrade: websocket']), 426],
    ['a call without a Host', 'GET /v1/files HTTP/1.1\r\n\r\n', 400],
    ['what is no HTTP', 'hello\r\n\r\n', 400],
    ['a head over the limit', `GET / HTTP/1.1\r\nHost: g\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['CONNECT', 'CONNECT evil:443 HTTP/1.1\r\nHost: g\r\n\r\n', 501],
  ])('is on %s, which takes no time', async (_what, request, status) => {
    const { rig } = await started({ headerMaxBytes: 16_384 });
    const response = await call(rig.port, request);
    expect([response.status, timings(response.lines)]).toEqual([status, ['server-timing: gatelog;dur=0.000']]);
  });

  it('is on a connection too many, which takes no time', async () => {
    const { rig } = await started({ maxConnections: 1 });
    const first = await openClient(rig.port);
    opened.push({ close: () => first.socket.destroy() });
    const refused = await call(rig.port, 'GET /healthz HTTP/1.1\r\nHost: g\r\n\r\n');
    expect([refused.status, timings(refused.lines)]).toEqual([503, ['server-timing: gatelog;dur=0.000']]);
  });

  it('is on a head that does not come, which takes no time', async () => {
    const { rig } = await started({ requestTimeoutMs: 400 });
    const late = await openClient(rig.port);
    opened.push({ close: () => late.socket.destroy() });
    late.send('GET /v1/files HTTP/1.1\r\nX-Slow: ');
    await late.closed();
    const response = parseResponse(late.received());
    expect([response?.status, timings(response?.lines ?? [])]).toEqual([408, ['server-timing: gatelog;dur=0.000']]);
  });

  it('is on what the gateway answers itself', async () => {
    const { rig } = await started();
    const body = '{"messages":[{"role":"user","content":"hi"}]}';
    expect(timings((await call(rig.port, requestText('POST /echo/v1/chat/completions', [], body))).lines)).toEqual([own]);
    expect(timings((await call(rig.port, requestText('GET /v1/models'))).lines)).toEqual([own]);
  });
});
