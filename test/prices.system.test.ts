import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestCost } from '../src/contract/requests/cost.ts';
import { apiClient, type ApiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { completion, type FakeOpenAi, startFakeOpenAi } from './support/fake-openai.ts';
import {
  childrenNamed,
  makeDataDir,
  program,
  removeDataDir,
  type Service,
  serviceEnvironment,
  startService,
  testKey,
} from './support/process-tree.ts';

/** The bootstrap key may read and send; prices need an `admin` key. */
let adminKey: string;
let service: Service;
let api: ApiClient;
let provider: FakeOpenAi;
const dataDir = makeDataDir();
const pricesFile = path.join(dataDir, '..', `${path.basename(dataDir)}.json`);

/** A price for a model that is not on the public list, of a provider that is. */
function fileWith(inputUsd: unknown): string {
  const model = { id: 'house', match: { starts_with: 'house-' }, prices: { input_mtok: inputUsd, output_mtok: 0 } };
  return JSON.stringify([{ id: 'openai', models: [model] }]);
}

/** Answers as the requested model, after a million input tokens. */
const billForMillion: Parameters<FakeOpenAi['behave']>[0] = (seen, response) => {
  const { model } = JSON.parse(seen.body.toString()) as { readonly model: string };
  const usage = { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ...completion, model, usage }));
};

beforeAll(async () => {
  writeFileSync(pricesFile, fileWith(3));
  provider = await startFakeOpenAi();
  provider.behave(billForMillion);
  const environment = {
    GATELOG_PRICES_FILE: pricesFile,
    GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl,
    GATELOG_PROVIDER_OPENAI_KEY: 'deployment-openai',
    GATELOG_INGEST_BURST_MS: '0',
  };
  service = await startService({ dataDir, environment });
  const made = await gatelog(['keys', 'create', '--org', 'default', '--permissions', 'admin']);
  adminKey = made.stdout.trim();
  api = apiClient(service.api, adminKey);
});

afterAll(async () => {
  await service?.stop();
  await provider?.close();
  removeDataDir(dataDir);
  rmSync(pricesFile, { force: true });
});

async function gatelog(words: readonly string[], given: Readonly<Record<string, string>> = {}) {
  const env = serviceEnvironment({ dataDir, environment: given });
  return promisify(execFile)(process.execPath, [program, ...words], { env, timeout: 120_000 });
}

const reprice = (...words: readonly string[]) =>
  gatelog(['reprice', ...words], { GATELOG_API_URL: service.api, GATELOG_API_KEY: adminKey });

async function call(headers: Readonly<Record<string, string>> = {}, model = 'echo/x'): Promise<Response> {
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${testKey}`, ...headers },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'one two three' }], max_tokens: 100 }),
  });
  await response.text();
  return response;
}

async function recorded(headers: Readonly<Record<string, string>> = {}, model = 'echo/x'): Promise<string> {
  const id = (await call(headers, model)).headers.get('svc-id') ?? '';
  await api.stored(id, 30_000);
  return id;
}

async function costOf(id: string): Promise<RequestCost> {
  const { status, body } = await api.call<RequestCost>('GET', `/v1/request/${id}/cost`);
  expect(status).toBe(200);
  return body.data;
}

async function putPrices(prices: readonly unknown[]): Promise<void> {
  expect((await api.call('PUT', '/v1/prices', prices)).status).toBe(200);
}

async function callsToday(): Promise<number> {
  const { body } = await api.call<{ readonly prices: { readonly calls_today: number } }>('GET', '/v1/health');
  return body.data.prices.calls_today;
}

const millionfold = { model: '*', provider: 'echo', input: 1_000_000, output: 0 };

/** A budget of its own for each call, so that earlier calls do not count. */
const budget = () => ({ 'svc-ratelimit-policy': '1000;w=3600;u=cents;s=user', 'svc-user-id': randomUUID() });

const statusBecomes = (status: number): Promise<number> =>
  eventually(`a call to be ${status}`, async () => ((await call(budget())).status === status ? status : undefined));

describe('an organisation’s own prices', () => {
  it('price new records at once, and older ones when applied, even when the core is killed meanwhile', async () => {
    const job = 'applied';
    const before = [await recorded({ 'svc-job-id': job }), await recorded({ 'svc-job-id': job })];
    const stated = await recorded({ 'svc-job-id': job, 'svc-cost': '0.5' });
    const [listed] = await Promise.all(before.map(costOf));
    await putPrices([millionfold]);
    const priced = await eventually('the ingest to see the price', async () => {
      const explained = await costOf(await recorded({ 'svc-job-id': job }));
      return explained.lines[0]?.price_source === 'organization' ? explained : undefined;
    });
    expect(priced.total).toBe(priced.lines[0]?.tokens);
    expect(await costOf(before[0] ?? '')).toMatchObject({ total: listed?.total, differs: true, recomputed_total: priced.total });

    const filter = JSON.stringify({ request_response_rmt: { job_id: { equals: job } } });
    const trial = JSON.parse((await reprice('--filter', filter, '--dry-run', '--json')).stdout) as { readonly changed: number };
    expect(trial.changed).toBeGreaterThanOrEqual(2);
    expect(await costOf(before[0] ?? '')).toMatchObject({ differs: true });
    const [core = 0] = childrenNamed(service.pid, 'core');
    const cut = reprice('--filter', filter).catch((error: unknown) => error);
    process.kill(core, 'SIGKILL');
    await cut;
    await eventually(
      'the core to be back',
      async () => (await fetch(`${service.api}/readyz`).catch(() => undefined))?.status === 200 || undefined,
    );
    await reprice('--filter', filter);
    expect((await reprice('--filter', filter)).stdout).toContain(' 0 changed');
    for (const id of before) expect(await costOf(id)).toMatchObject({ total: priced.total, differs: false });
    expect(await costOf(stated)).toMatchObject({ total: 0.5, source: 'header' });
  });

  it('determine in the gateways what a budget reserves', async () => {
    await putPrices([]);
    expect(await statusBecomes(200)).toBe(200);
    await putPrices([millionfold]);
    expect(await statusBecomes(429)).toBe(429);
    await putPrices([]);
    expect(await statusBecomes(200)).toBe(200);
  });

  it('name models that `GET /v1/models` lists, as far as their provider is reached', async () => {
    const rates = { input: 1, output: 1 };
    await putPrices([
      { model: 'fine-tuned', provider: 'openai', ...rates },
      { model: 'fine-*', provider: 'openai', ...rates },
      { model: 'elsewhere', provider: 'mistral', ...rates },
    ]);
    const listed = await eventually('the gateway to see the prices', async () => {
      const list = await fetch(`${service.gateway}/v1/models`, { headers: { authorization: `Bearer ${testKey}` } });
      const { data } = (await list.json()) as { readonly data: readonly { readonly id: string }[] };
      const ids = data.map(({ id }) => id);
      return ids.includes('openai/fine-tuned') ? ids : undefined;
    });
    expect(listed.filter((id) => /fine-|elsewhere/.test(id))).toEqual(['openai/fine-tuned']);
    expect(listed).toContain('openai/house');
    await putPrices([]);
  });
});

describe('gatelog reprice --all, for the operator', () => {
  it('reaches every organisation without a key, each by its own prices', async () => {
    await gatelog(['orgs', 'create', 'acme']);
    const key = (await gatelog(['keys', 'create', '--org', 'acme', '--permissions', 'admin'])).stdout.trim();
    const acme = apiClient(service.api, key);
    const ids = await Promise.all(
      [testKey, key].map(
        async (bearer) => (await call({ authorization: `Bearer ${bearer}`, 'svc-job-id': 'all' })).headers.get('svc-id') ?? '',
      ),
    );
    const [ours = '', theirs = ''] = ids;
    const before = (await api.stored(ours, 30_000)).cost;
    await acme.stored(theirs, 30_000);
    expect((await acme.call('PUT', '/v1/prices', [millionfold])).status).toBe(200);

    const filter = JSON.stringify({ request_response_rmt: { job_id: { equals: 'all' } } });
    const { stdout } = await gatelog(['reprice', '--all', '--filter', filter]);
    expect(stdout).toContain('default: 1 request, 0 changed.');
    expect(stdout).toContain('acme: 1 request, 1 changed.');
    expect((await api.stored(ours)).cost).toBe(before);
    expect((await acme.stored(theirs)).cost).toBeGreaterThanOrEqual(1);
    const changes = await acme.call<readonly { readonly kind: string; readonly key_id: string }[]>('GET', `/v1/request/${theirs}/changes`);
    expect(changes.body.data).toMatchObject([{ kind: 'cost', key_id: 'operator' }]);
  });

  it('is unreachable over the network and for other users of the machine', async () => {
    expect(statSync(path.join(dataDir, 'operator.sock')).mode & 0o777).toBe(0o600);
    const { body } = await api.call<{ readonly organization_id: string }[]>('POST', '/v1/request/query-clickhouse', {
      filter: 'all',
      limit: 1,
    });
    const id = body.data[0]?.organization_id ?? '';
    const asked = await fetch(`${service.api}/organizations/${id}/prices/apply`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}` },
    });
    expect(asked.status).toBe(404);
  });

  it('says where it looked when there is no service', async () => {
    const folder = makeDataDir();
    const env = serviceEnvironment({ dataDir: folder });
    const all = promisify(execFile)(process.execPath, [program, 'reprice', '--all', '--filter', 'all'], { env, timeout: 120_000 });
    expect(await all.catch((error: unknown) => error)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no Gatelog data in') as string,
    });
    await promisify(execFile)(process.execPath, [program, 'orgs', 'create', 'acme'], { env, timeout: 120_000 });
    const asked = promisify(execFile)(process.execPath, [program, 'reprice', '--all', '--filter', 'all'], { env, timeout: 120_000 });
    expect(await asked.catch((error: unknown) => error)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(`No Gatelog runs in ${folder}.`) as string,
    });
    removeDataDir(folder);
  });
});

describe('gatelog prices import', () => {
  it('shows what it would change, and what it changed holds within seconds, for new calls and without a restart', async () => {
    const file = path.join(dataDir, 'our-prices.json');
    writeFileSync(
      file,
      JSON.stringify([{ model: 'gpt-9-nova', provider: 'openai', input: 7, output: 9, source: 'our contract of 2026-11-01' }]),
    );
    const shown = await gatelog(['prices', 'import', file]);
    expect(shown.stdout).toMatch(/gpt-9-nova +openai +always +no price +input 7, output 9/);
    expect(shown.stderr).toContain('Nothing was changed.');
    expect(await costOf(await recorded({}, 'gpt-9-nova'))).toMatchObject({ total: null });
    await gatelog(['prices', 'import', file, '--apply']);
    expect((await gatelog(['prices', 'list'])).stdout).toContain('our contract of 2026-11-01');
    const lines = [{ price_per_million: 7, price_source: 'prices-file', stated_by: 'our contract of 2026-11-01' }];
    expect(await costOf(await recorded({}, 'gpt-9-nova'))).toMatchObject({ total: 7, lines });
    writeFileSync(file, '[{"model": "gpt-9-nova"}]');
    const failed = await gatelog(['prices', 'import', file]).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 1, stderr: 'The price list cannot be used: [0] has no price, such as "input": 2.5.\n' });
  });
});

describe('a model that nobody has priced', () => {
  it('is named with the nearest that has a price, and with the line that prices it', async () => {
    const line = { model: 'gpt-6.3-sol', provider: 'OPENAI', input: 2, output: 10 };
    expect(await costOf(await recorded({}, 'gpt-6.3-sol'))).toMatchObject({ total: null, nearest: { model: 'gpt-6.2-sol', line } });
    const asked = { GATELOG_API_URL: service.api, GATELOG_API_KEY: adminKey };
    const told = await gatelog(['report', 'unpriced'], asked);
    expect(told.stdout).toMatch(/gpt-6\.3-sol +OPENAI +1 +gpt-6\.2-sol/);
    const listed = JSON.parse(/\[\n[^]*\]/.exec(told.stdout)?.[0] ?? '') as readonly unknown[];
    expect(listed).toContainEqual(expect.objectContaining(line));
    const file = path.join(dataDir, 'named-lines.json');
    writeFileSync(file, JSON.stringify(listed));
    expect((await gatelog(['prices', 'import', file])).stdout).toMatch(/gpt-6\.3-sol +openai +always +no price +input 2/);
    const { body } = await api.call<{ readonly prices: Readonly<Record<string, unknown>> }>('GET', '/v1/health');
    expect(body.data.prices).toMatchObject({ list_published: '2026-09-23', unpriced_today: expect.any(Number) as number });
    expect(Number(body.data.prices['unpriced_today'])).toBeGreaterThan(0);
    const doctor = await gatelog(['doctor'], asked).catch((error: unknown) => error as { readonly stdout: string });
    expect(doctor.stdout).toMatch(/of today's \d+ \([\d.]+ %\) ha(?:ve|s) no price/);
  });
});

describe('GATELOG_PRICES_FILE', () => {
  it('is the price book of every process, even of one that restarts after the file has changed', async () => {
    const before = await callsToday();
    const dayOfFile = statSync(pricesFile).mtime.toISOString().slice(0, 10);
    writeFileSync(pricesFile, fileWith(4));
    for (const role of ['core', 'gateway']) process.kill(childrenNamed(service.pid, role)[0] ?? 0, 'SIGKILL');
    await eventually('both to be back', async () => {
      const answers = await Promise.all([service.api, service.gateway].map((base) => fetch(`${base}/readyz`).catch(() => undefined)));
      return answers.every((answer) => answer?.status === 200) || undefined;
    });
    await eventually('the calls of today to be those of before', async () => (await callsToday()) >= before || undefined);
    expect(readFileSync(path.join(dataDir, 'prices-of-this-start.json'), 'utf8')).toBe(fileWith(3));
    const id = await recorded({}, 'house-7b');
    const namedFile = `the operator's file ${path.basename(pricesFile)} of ${dayOfFile}`;
    expect(await costOf(id)).toMatchObject({
      total: 3,
      lines: [{ kind: 'input', tokens: 1_000_000, price_per_million: 3, price_source: 'prices-file', stated_by: namedFile }],
      differs: false,
    });
    // The public list has the model, the file does not.
    const listed = await recorded({}, 'gpt-4');
    expect(await costOf(listed)).toMatchObject({ total: 30, lines: [{ price_source: 'price-book' }] });
  });

  it('stops the start with the position of the error', async () => {
    const folder = makeDataDir();
    const faulty = `${folder}.prices.json`;
    writeFileSync(faulty, fileWith('3'));
    const env = serviceEnvironment({ dataDir: folder, environment: { GATELOG_PRICES_FILE: faulty } });
    const failed = await promisify(execFile)(process.execPath, [program, 'serve'], { env, timeout: 120_000 }).catch(
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({
      code: 1,
      stderr: `The file of GATELOG_PRICES_FILE, ${faulty}, cannot be used: providers[0].models[0].prices.input_mtok is no number from 0. It is an array of prices as PUT /v1/prices takes them, the data.json of genai-prices, or LiteLLM's model_prices_and_context_window.json.\n`,
    });
    removeDataDir(folder);
    rmSync(faulty);
  });
});
