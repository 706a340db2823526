import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ApiRig, keyOf, openApiRig } from '../api/testing/api-harness.ts';
import { serveApi } from '../api/listen.ts';
import { newId } from '../ingest/testing/ingest-harness.ts';
import { parseMoney } from '../model/pricing/money.ts';
import type { RequestRecord } from '../model/record/request-record.ts';
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
  const prices = [
    { model: 'house-a', input: 2, output: 8, cache_read: 1 },
    { model: 'house-b', input: 1, output: 2 },
  ];
  await rig.call('PUT', '/v1/prices', { key: keyOf('admin'), body: prices });
  await rig.insert([
    requestOf('house-a', { cost: parseMoney('9') ?? null }),
    requestOf('house-a', { cost: parseMoney('9') ?? null }),
    requestOf('house-b', { cost: parseMoney('3') ?? null }),
    requestOf('nobody-knows', { cost: null, costSource: 'none' }),
  ]);
});
afterAll(async () => {
  await closeServer(api, 100);
  await rig.close();
});

function requestOf(model: string, given: Partial<RequestRecord>): Partial<RequestRecord> {
  const usage = { ...unreportedUsage, promptTokens: 1_000_000, completionTokens: 1_000_000, promptCacheReadTokens: 1_000_000 };
  const names = { requestModel: model, responseModel: model, model };
  return { requestId: newId(), jobId: 'simulated', provider: 'OPENAI', ...names, usage, costSource: 'price-book', ...given };
}

async function simulate(words: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  const lines: string[] = [];
  const print = (text: string): void => void lines.push(text);
  const environment = { GATELOG_API_URL: address, GATELOG_API_KEY: keyOf('r') };
  const code = await runCommand(['simulate', '--where', 'job_id=simulated', ...words], {
    ...systemDependencies(environment),
    print,
    hint: print,
    progress: () => undefined,
  });
  return { code, text: lines.join('\n') };
}

it('shows by model what requests cost and would have cost, and what is left out', async () => {
  expect(await simulate(['--model', 'house-b'])).toEqual({
    code: 0,
    text: [
      'MODEL    REQUESTS  COST    WOULD HAVE COST  DIFFERENCE',
      'house-a  2         $18.00  $6.00            -$12.00 (-67 %)',
      'house-b  1         $3.00   $3.00            $0 (0 %)',
      'all      3         $21.00  $9.00            -$12.00 (-57 %)',
      '',
      'Of 3 requests, 2 are estimated: house-b counts the tokens of the same text otherwise.',
      'Left out: 1 whose cost is not known.',
    ].join('\n'),
  });
});

it('tells what the cache of the provider has saved', async () => {
  const { text } = await simulate(['--without-cache', '--where', 'model=house-a']);
  expect(text).toContain('all      2         $18.00  $20.00           +$2.00 (+11 %)');
  expect(text).toContain('The token counts carry over, so this is exact.');
});

it('writes the report as JSON', async () => {
  const { text } = await simulate(['--model', 'house-b', '--json']);
  expect(JSON.parse(text)).toMatchObject({ matched: 4, requests: 3, cost: 21, simulated_cost: 9 });
});

it('tells which requests a limit would have refused', async () => {
  const { text } = await simulate(['--limit', '1000;w=3600;u=cents']);
  expect(text).toContain('It would have refused 2 of 4 requests, which cost $12.00; the first at 20');
  expect(text).toContain('The cost of 1 is not known.');
  expect((await simulate(['--limit', '100;w=3600'])).text).toBe('It would have refused none of 4 requests. The cost of 1 is not known.');
});

it('says what it needs', async () => {
  expect(await simulate([])).toEqual({ code: 2, text: expect.stringContaining('--model, --tier, --without-cache or --limit') as string });
});
