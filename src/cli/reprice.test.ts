import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiRig, keyOf, openApiRig } from '../api/testing/api-harness.ts';
import { serveApi } from '../api/listen.ts';
import { newId } from '../ingest/testing/ingest-harness.ts';
import { parseMoney } from '../model/pricing/money.ts';
import { unreportedUsage } from '../model/record/usage.ts';
import { closeServer, listening } from '../platform/http/server.ts';
import { runCommand } from './command.ts';
import { systemDependencies } from './base/dependencies.ts';

let rig: ApiRig;
let api: ReturnType<typeof serveApi>;
let address: string;

beforeAll(async () => {
  rig = await openApiRig();
  api = serveApi(rig.api, { host: '127.0.0.1', port: 0, keepAliveTimeoutMs: 75_000, clientStallMs: 300_000 });
  address = await listening(api);
});
afterAll(async () => {
  await closeServer(api, 100);
  await rig.close();
});

interface Outcome {
  readonly code: number;
  readonly printed: string;
  readonly hinted: string;
  readonly progress: readonly string[];
}

async function reprice(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const [printed, hinted, progress]: [string[], string[], string[]] = [[], [], []];
  const code = await runCommand(['reprice', ...words], {
    ...systemDependencies({ GATELOG_API_URL: address, GATELOG_API_KEY: keyOf('admin'), ...environment }),
    print: (text) => printed.push(text),
    hint: (text) => hinted.push(text),
    progress: (text) => progress.push(text),
  });
  return { code, printed: printed.join('\n'), hinted: hinted.join('\n'), progress };
}

/** Requests of a job, each of a million tokens of output. */
async function recorded(job: string, models: readonly string[]): Promise<string> {
  const usage = { ...unreportedUsage, completionTokens: 1_000_000 };
  const cost = parseMoney('1') ?? null;
  await rig.insert(
    models.map((model) => ({
      requestId: newId(),
      jobId: job,
      responseModel: model,
      model,
      usage,
      cost,
      costSource: model === 'stated' ? 'header' : 'price-book',
    })),
  );
  return JSON.stringify({ request_response_rmt: { job_id: { equals: job } } });
}

async function putPrices(body: readonly unknown[]): Promise<void> {
  expect((await rig.call('PUT', '/v1/prices', { key: keyOf('admin'), body })).status).toBe(200);
}

describe('gatelog reprice', () => {
  it('shows the difference by model, first as a trial, then done; the second time there is none', async () => {
    const filter = await recorded('table', ['big', 'small', 'big', 'stated']);
    await putPrices([
      { model: 'big', input: 0, output: 2.5 },
      { model: 'small', input: 0, output: 0.123456 },
    ]);
    const table = [
      'MODEL  CHANGED  BEFORE USD  AFTER USD  DIFFERENCE USD',
      'big    2        2.00        5.00       +3.00',
      'small  1        1.00        0.123456   -0.876544',
      'all    3        3.00        5.123456   +2.123456',
    ].join('\n');
    expect(await reprice(['--filter', filter, '--dry-run'])).toEqual({
      code: 0,
      printed: `4 requests, 3 would change, 1 stand as they were stated.\n\n${table}`,
      hinted: '',
      progress: ['Priced 4 of 4 requests', ''],
    });
    expect((await reprice(['--filter', filter])).printed).toBe(`4 requests, 3 changed, 1 stand as they were stated.\n\n${table}`);
    expect((await reprice(['--filter', filter])).printed).toBe('4 requests, 0 changed, 1 stand as they were stated.');
  });

  it('goes on over any number of pages, and writes JSON', async () => {
    const filter = await recorded(
      'pages',
      Array.from({ length: 2345 }, (_, index) => (index % 2 === 0 ? 'even' : 'odd')),
    );
    await putPrices([
      { model: 'odd', input: 0, output: 0.1 },
      { model: 'even', input: 0, output: 1 },
    ]);
    const { code, printed, progress } = await reprice(['--filter', filter, '--json']);
    const odd = { changed: 1172, before: 1172, after: 117.2, difference: -1054.8 };
    expect([code, JSON.parse(printed)]).toEqual([
      0,
      { dry_run: false, checked: 2345, stated: 0, ...odd, by_model: [{ model: 'odd', ...odd }] },
    ]);
    expect(progress).toEqual(['Priced 1000 of 2345 requests', 'Priced 2000 of 2345 requests', 'Priced 2345 of 2345 requests', '']);
  });

  it('keeps to its dates', async () => {
    const filter = await recorded('dates', ['x']);
    const checkedFrom = async (date: string) => (await reprice(['--filter', filter, '--dry-run', '--start-date', date])).printed;
    expect(await checkedFrom('2000-01-01')).toContain('1 request,');
    expect(await checkedFrom('2200-01-01')).toContain('0 requests');
  });
});

describe('a failure is one sentence that says what to do', () => {
  it.each([
    ['no key', 4, { GATELOG_API_KEY: '' }, 'GATELOG_API_KEY is not set: this command needs a key'],
    ['a key that is none', 2, { GATELOG_API_KEY: 'two words' }, 'GATELOG_API_KEY is no key'],
    [
      'an address that is none',
      2,
      { GATELOG_API_URL: '127.0.0.1:8788' },
      'GATELOG_API_URL is not the address of an API; write one such as http:',
    ],
    ['a key that may not', 4, { GATELOG_API_KEY: keyOf('rw') }, 'admin'],
    ['an unknown key', 4, { GATELOG_API_KEY: 'sk-svc-us-nobody' }, 'key'],
  ])('%s', async (_case, exitCode, environment, sentence) => {
    const { code, printed, hinted } = await reprice(['--filter', 'all'], environment);
    expect({ code, printed }).toEqual({ code: exitCode, printed: '' });
    expect(hinted).toContain(sentence);
  });

  it.each([
    ['is no JSON', ['--filter', '{'], '--filter is neither "all" nor JSON'],
    ['is wrong', ['--filter', '{"nothing": {}}'], '(at filter.nothing)'],
    ['has a wrong date', ['--filter', 'all', '--start-date', 'soon'], '`startDate` takes an ISO 8601 time'],
  ])('a command that %s', async (_case, words, sentence) => {
    const { code, hinted } = await reprice(words);
    expect([code, hinted]).toEqual([2, expect.stringContaining(sentence)]);
  });

  it('a command without a filter is misused', async () => {
    expect((await reprice([])).code).toBe(2);
  });

  it('nobody at the address', async () => {
    const { server, url } = await serverThat((_request, response) => response.end());
    server.close();
    const { code, hinted } = await reprice(['--filter', 'all'], { GATELOG_API_URL: url });
    expect(code).toBe(5);
    expect(hinted).toContain(`No Gatelog answers at ${url} (connect ECONNREFUSED`);
    expect(hinted).toContain('Start it with "gatelog serve"');
  });

  it('somebody else at the address, who may not send the key on', async () => {
    const seen: (string | undefined)[] = [];
    const other = await serverThat((request, response) => {
      seen.push(request.headers.authorization);
      response.end();
    });
    const { server, url } = await serverThat((_request, response) => response.writeHead(307, { location: other.url }).end('moved'));
    const { hinted } = await reprice(['--filter', 'all'], { GATELOG_API_URL: url });
    expect(hinted).toContain(`What answers at ${url} is not the API of Gatelog (status 307): set GATELOG_API_URL`);
    expect(seen).toEqual([]);
    server.close();
    other.server.close();
  });

  it('the gateway at the address, whose errors are of another shape', async () => {
    const error = { message: "This path is the API's, and this is the gateway.", code: 'not_found' };
    const { server, url } = await serverThat((_request, response) => response.writeHead(404).end(JSON.stringify({ error })));
    const { hinted } = await reprice(['--filter', 'all'], { GATELOG_API_URL: url });
    expect(hinted).toContain(`is not the API of Gatelog (status 404, "${error.message}"): set GATELOG_API_URL`);
    server.close();
  });

  it('a part of the service that is away is asked for again', async () => {
    const report = { total: 0, checked: 0, stated: 0, changed: 0, before: 0, after: 0, by_model: [], cursor: null };
    let calls = 0;
    const { server, url } = await serverThat((_request, response) => {
      calls += 1;
      if (calls === 1) response.writeHead(503, { 'retry-after': '1' }).end('{"data": null, "error": "away", "code": "store_unavailable"}');
      else response.end(JSON.stringify({ data: report, error: null }));
    });
    expect((await reprice(['--filter', 'all'], { GATELOG_API_URL: `${url}/` })).printed).toBe('0 requests, 0 changed.');
    server.close();
  });
});

async function serverThat(answers: Parameters<typeof createServer>[1]): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer(answers);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
