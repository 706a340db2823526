import { textTags } from '../../model/record/text-tags.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Rig, startRig } from '../testing/gateway-harness.ts';
import { readResponseHead } from '../relay/response-headers.ts';
import { readRequestHead } from './request-head.ts';
import { call, type RawProvider, requestText, startRawProvider } from '../testing/raw-http.ts';

const kibi = 1024;
const quotes = (bytes: number): string => '"'.repeat(bytes);

describe('a text of the caller that is over its limit is not stored, and svc-warning says so', () => {
  const names = [
    'Svc-User-Id',
    'Svc-Session-Id',
    'Svc-Session-Name',
    'Svc-Session-Path',
    'Svc-Model-Override',
    'Svc-Prompt-Id',
    ...Object.keys(textTags).map((header) => `Svc-${header}`),
    'Referer',
    'User-Agent',
    'Content-Type',
  ];

  it.each(names)('%s', (name) => {
    const { directives, recorded } = readRequestHead([name, quotes(8 * kibi + 1)]);
    expect([directives.tags, recorded, directives.warnings]).toEqual([
      { properties: [] },
      {},
      [`${name} is over 8192 bytes and was not stored`],
    ]);
    const kept = readRequestHead([name, quotes(8 * kibi)]);
    expect([JSON.stringify([kept.directives.tags, kept.recorded]).includes(quotes(1)), kept.directives.warnings]).toEqual([true, []]);
  });

  it('is measured in bytes of UTF-8', () => {
    const ä = Buffer.from('ä'.repeat(4 * kibi)).toString('latin1');
    expect(readRequestHead(['Svc-User-Id', ä]).directives.tags.userId).toBe('ä'.repeat(4 * kibi));
    expect(readRequestHead(['Svc-User-Id', `${ä}x`]).directives.tags.userId).toBeUndefined();
  });

  it('prompt inputs, all of them together', () => {
    const inputs = (bytes: number): string => JSON.stringify({ a: 'x'.repeat(32 * kibi - 1), b: 'y'.repeat(bytes - 32 * kibi - 1) });
    const [kept, left] = [64 * kibi, 64 * kibi + 1].map((bytes) => readRequestHead(['Svc-Prompt-Inputs', inputs(bytes)]).directives);
    expect([Object.keys(kept?.tags.promptInputs ?? {}), kept?.warnings]).toEqual([['a', 'b'], []]);
    expect([left?.tags.promptInputs, left?.warnings]).toEqual([undefined, ['Svc-Prompt-Inputs is over 65536 bytes and was not stored']]);
  });

  it('a cost of many digits', () => {
    const { tags, warnings } = readRequestHead(['Svc-Cost', `0.${'1'.repeat(9000)}`]).directives;
    expect([tags.cost, warnings.length]).toEqual([undefined, 1]);
  });
});

it('a coding that is not stored is not taken for none', () => {
  const coding = `${'identity,'.repeat(kibi)}gzip`;
  expect(readRequestHead(['Content-Encoding', coding]).recorded).toEqual({ 'content-encoding': 'unsaid' });
  expect(readResponseHead(['Content-Encoding', coding]).recorded).toEqual({ 'content-encoding': 'unsaid' });
});

describe('through the gateway', () => {
  let provider: RawProvider;
  let rig: Rig;
  const long = quotes(300 * kibi);
  const model = 'm'.repeat(9 * kibi);

  beforeAll(async () => {
    provider = await startRawProvider((socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\nOpenAI-Version: ${long}${long}\r\nX-Request-Id: req-1\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
      );
    });
    rig = await startRig({ providers: { openai: { baseUrl: `http://127.0.0.1:${provider.port}/v1` } }, headerMaxBytes: 1024 * kibi });
  });
  afterAll(async () => {
    await rig.close();
    provider.close();
  });

  const send = (path: string, headers: readonly string[], body: string) =>
    call(rig.port, requestText(`POST ${path}`, ['Content-Type: application/json', 'Connection: close', ...headers], body));

  it('the call goes on whole, the record has none of the overlong texts, and its frames are short', async () => {
    const before = rig.spool.writer.bytes();
    const path = `/v1/chat/completions?q=${'q'.repeat(300 * kibi)}`;
    const response = await send(path, [`Svc-User-Id: ${long}`, 'Svc-Session-Id: s1'], `{"model":"openai/${model}"}`);
    expect(response.status).toBe(200);
    expect(provider.received().startsWith(`POST ${path} HTTP/1.1\r\n`)).toBe(true);
    const warnings = response.lines.filter((line) => /^svc-warning:/i.test(line)).map((line) => line.slice('svc-warning: '.length));
    expect(warnings).toEqual([
      'Svc-User-Id is over 8192 bytes and was not stored',
      'the path is over 8192 bytes and was stored without its query, or not at all',
    ]);
    expect(response.head).toContain(long + long);
    const [exchange] = await rig.exchanges(1);
    expect(exchange?.open).toMatchObject({ path: '/v1/chat/completions', tags: { properties: [], sessionId: 's1' } });
    expect([exchange?.open.targetUrl, exchange?.open.model]).toEqual([`http://127.0.0.1:${provider.port}/v1/chat/completions`, undefined]);
    expect(exchange?.responseHead?.headers).toEqual({ 'x-request-id': 'req-1', 'content-length': '2' });
    expect(rig.spool.writer.bytes() - before).toBeLessThan(16 * kibi);
  });

  it('a path that is too long without a query is not stored', async () => {
    await send(`/v1/${'p'.repeat(17 * kibi)}`, [], '{}');
    const [, exchange] = await rig.exchanges(2);
    expect([exchange?.open.path, exchange?.open.targetUrl]).toEqual(['/', `http://127.0.0.1:${provider.port}/`]);
  });
});
