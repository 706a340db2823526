import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionItem } from '../src/contract/sessions/item.ts';
import { frameKinds } from '../src/model/record/exchange.ts';
import type { OrganizationId } from '../src/model/ids.ts';
import { newId } from '../src/ingest/testing/ingest-harness.ts';
import { openSpoolWriter } from '../src/spool/writer.ts';
import { apiClient, type ApiClient } from './support/api.ts';
import { gatelog } from './support/command.ts';
import { eventually } from './support/eventually.ts';
import { type FakeOpenAi, startFakeOpenAi } from './support/fake-openai.ts';
import { filesHolding } from './support/held-text.ts';
import { metadataRow } from './support/metadata-row.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { inFull } from './support/test-length.ts';

const folders: string[] = [];
const services: Service[] = [];
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()));
  for (const folder of folders) removeDataDir(folder);
});

async function start(dataDir: string, environment: Readonly<Record<string, string>> = {}): Promise<Service> {
  const service = await startService({ dataDir, environment });
  services.push(service);
  return service;
}

function freshDataDir(): string {
  const dataDir = makeDataDir();
  folders.push(dataDir);
  return dataDir;
}

/** Incompressible text, so that a search in files finds it. */
const secret = (): string => randomBytes(48).toString('base64url');

const filesWith = (folder: string, text: string): readonly string[] => [...filesHolding(folder, text).keys()];

interface Call {
  readonly content: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly rest?: object;
  readonly model?: string;
}

async function send(service: Service, { content, headers = {}, rest = {}, model = 'echo/words' }: Call): Promise<Response> {
  return fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Svc-Auth': `Bearer ${testKey}`, Authorization: 'Bearer sk-provider', 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ model, messages: [{ role: 'user', content }], ...rest }),
  });
}

async function chat(service: Service, call: Call): Promise<string> {
  const response = await send(service, call);
  await response.arrayBuffer();
  expect(response.status).toBe(200);
  return response.headers.get('svc-id') ?? '';
}

/** Orders an erasure with an `admin` key. */
const ask = (service: Service, user = 'ann'): Promise<Response> =>
  fetch(`${service.api}/v1/user/${encodeURIComponent(user)}`, { method: 'DELETE', headers: { Authorization: `Bearer ${testKey}` } });

interface Receipt {
  readonly user_id: string;
  readonly erased_at: string;
  readonly requests: number;
  readonly bodies: number;
  readonly spool_records: number;
}

/** Asks like a caller: after a 503, which says that the erasure continues, it asks again. */
async function receiptOf(service: Service, user: string): Promise<Receipt> {
  return eventually(
    'the receipt',
    async () => {
      const response = await ask(service, user);
      const { data } = (await response.json()) as { readonly data: Receipt };
      if (response.status === 503) return undefined;
      expect(response.status).toBe(200);
      return data;
    },
    60_000,
  );
}

/** Three tests go on with one data folder, and each but the first with the service of the one before. */
const sharedDir = freshDataDir();
let shared: Service;
let provider: FakeOpenAi;
let environment: Readonly<Record<string, string>>;
beforeAll(async () => {
  provider = await startFakeOpenAi();
  environment = {
    GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl,
    GATELOG_SPOOL_SEGMENT_SECONDS: '1',
    GATELOG_RETENTION_INTERVAL: '1s',
  };
  shared = await start(sharedDir, environment);
});
afterAll(async () => provider?.close());

describe('DELETE /v1/user/{id}', () => {
  it('removes everything of the user from every file, and nothing of others', async () => {
    const dataDir = sharedDir;
    const service = shared;
    const api = apiClient(service.api);
    const [user, body, property] = [`ann/${secret()}`, secret(), secret()];
    const ann = { 'Svc-User-Id': user, 'Svc-Session-Id': 'of-ann' };
    const rule = { name: 'Calls', metric: 'count', threshold: 1, time_window: 3_600_000, grouping: ['user'], new_group_delay_ms: 0 };
    const { id: ruleId } = (await api.call<{ readonly id: string }>('POST', '/v1/alerts', rule)).body.data;
    const firing = async (): Promise<string> => JSON.stringify((await api.call('GET', `/v1/alerts/${ruleId}/incidents`)).body.data);
    const hers = await chat(service, { content: body, headers: ann });
    const named = await chat(service, { content: 'two', rest: { user } });
    const his = await chat(service, { content: 'three', headers: { 'Svc-User-Id': 'bob' } });
    for (const id of [hers, named, his]) await api.stored(id);
    await api.call('PUT', `/v1/request/${hers}/property`, { Secret: property });
    await api.call('POST', '/v1/session/of-ann/tag', { tag: 'hers' });
    await eventually('an alert about the user', async () => ((await firing()).includes(user) ? true : undefined), 30_000);
    expect(await receiptOf(service, user)).toMatchObject({
      user_id: user,
      requests: 2,
      bodies: 4,
      spool_records: 0,
      dead_letters: 0,
      blobs: 0,
    });
    for (const id of [hers, named]) expect((await api.call('GET', `/v1/request/${id}`)).status).toBe(404);
    expect((await api.call('GET', `/v1/request/${hers}/changes`)).status).toBe(404);
    expect((await api.call<readonly SessionItem[]>('POST', '/v1/session/query', {})).body.data).toEqual([]);
    await api.stored(his);
    expect(await firing()).toContain('bob');
    // The spool deletes a file once the file is closed.
    // The audit log names who was erased, and nothing else of the user.
    const ofUser = (): readonly string[] => filesWith(dataDir, user.slice(4)).filter((file) => !path.basename(file).startsWith('audit.db'));
    const traces = (): readonly string[] => [...[body, property].flatMap((text) => filesWith(dataDir, text)), ...ofUser()];
    await eventually('its last file to go', () => (traces().every((file) => !file.endsWith('.seg')) ? true : undefined), 20_000);
    expect(traces()).toEqual([]);
    expect(service.output()).not.toContain(user.slice(4));
    const next = await chat(service, { content: 'four', headers: ann });
    expect((await api.stored(next)).request_user_id).toBe(user);
  });

  it('waits for open calls of the user; killed and requested again, it continues and returns the receipt', async () => {
    const others = await idsOf(apiClient(shared.api));
    const { answered } = await orderWhileOpen(shared);
    await shared.killAll();
    await answered;
    shared = await start(sharedDir, environment);
    expect(await receiptOf(shared, 'ann')).toMatchObject({ requests: 1, spool_records: 1 });
    expect(await idsOf(apiClient(shared.api))).toEqual(others);
  });

  inFull(() => {
    it('killed while it removes records, it continues at the next start without a request, and its receipt has the same counts', async () => {
      const dataDir = freshDataDir();
      const [users, each] = [['ann', 'bob', 'carl', 'dora'], 20];
      const first = await start(dataDir);
      const calls: { readonly user: string; readonly id: string }[] = [];
      for (let round = 0; round < each; round += 1) {
        for (const user of users) calls.push({ user, id: await chat(first, { content: secret(), headers: { 'Svc-User-Id': user } }) });
      }
      for (const { id } of calls) await apiClient(first.api).stored(id);
      // One user must remain whom nothing erases.
      const tried = await killInErasure(first, users.slice(0, -1));
      const second = await start(dataDir);
      await eventually('every erasure to end', () => ended(dataDir));
      const left = calls.filter(({ user }) => !tried.includes(user)).map(({ id }) => id);
      expect(await idsOf(apiClient(second.api))).toEqual(left.toSorted());
      expect(await receiptOf(second, tried.at(-1) ?? '')).toMatchObject({ requests: each, bodies: 2 * each, spool_records: 0 });
    });
  });

  inFull(() => {
    it('started during a backup, it continues after the restore, among parts that an earlier erasure has rewritten', async () => {
      const first = await start(freshDataDir(), { GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl });
      const ids: string[] = [];
      for (const user of ['bob', 'carl']) ids.push(await chat(first, { content: user, headers: { 'Svc-User-Id': user } }));
      for (const id of ids) await apiClient(first.api).stored(id);
      expect(await receiptOf(first, 'bob')).toMatchObject({ requests: 1 });
      const { answered } = await orderWhileOpen(first);
      const backup = path.join(freshDataDir(), 'backup');
      expect(await gatelog(first.dataDir, 'backup', backup)).toMatchObject({ code: 0 });
      await first.killAll();
      await answered;
      const dataDir = path.join(freshDataDir(), 'restored');
      expect(await gatelog(dataDir, 'restore', backup)).toMatchObject({ code: 0 });
      const second = await start(dataDir);
      // Nobody asks again.
      await eventually('the erasure to end', () => metadataRow(dataDir, "SELECT number FROM erasures WHERE stage = 'done'"), 60_000);
      expect(await idsOf(apiClient(second.api))).toEqual(ids.slice(1));
      expect(await receiptOf(second, 'ann')).toMatchObject({ requests: 1, bodies: 2, spool_records: 1 });
    });
  });
});

const stageOf = (dataDir: string, user: string): string | undefined =>
  (metadataRow(dataDir, `SELECT stage FROM erasures WHERE user_id = '${user}'`) as { readonly stage: string } | undefined)?.stage;

const ended = (dataDir: string): unknown =>
  metadataRow(dataDir, "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM erasures WHERE stage <> 'done')");

/**
 * Orders the erasure of one user after the other, and kills everything while the store still removes the records of one, which queries no
 * longer find. @returns the users whose erasure was ordered; the last one was interrupted. @throws when every erasure was past that point
 * before the kill.
 */
async function killInErasure(first: Service, users: readonly string[]): Promise<readonly string[]> {
  const { dataDir } = first;
  let service = first;
  for (const [tries, user] of users.entries()) {
    if (tries > 0) service = await start(dataDir);
    let isAnswered = false;
    const answered = ask(service, user)
      .catch(() => undefined)
      .finally(() => {
        isAnswered = true;
      });
    const { query } = apiClient(service.api);
    const isTaken = async (): Promise<boolean> => (await query({ request_response_rmt: { user_id: { equals: user } } })).length === 0;
    await eventually('the erasure to take them out', async () => isAnswered || (await isTaken()) || undefined);
    await service.killAll();
    await answered;
    if (stageOf(dataDir, user) === 'listed') return users.slice(0, tries + 1);
  }
  throw new Error(`the store was done with the records of each of ${users.join(', ')} before the kill came`);
}

/**
 * Orders the erasure of a user who has a stored request and an open call. @returns once the erasure waits for that call: the pending
 * response, which comes after the call has ended.
 */
async function orderWhileOpen(service: Service): Promise<{ readonly answered: Promise<unknown> }> {
  const ann = { 'Svc-User-Id': 'ann' };
  await apiClient(service.api).stored(await chat(service, { content: 'one', headers: ann }));
  provider.behave((_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"choices":[{"index":0,"delta":{"content":"half"}}]}\n\n');
  });
  const open = await send(service, { model: 'gpt-4o-mini', content: 'two', rest: { stream: true }, headers: ann });
  await open.body?.getReader().read();
  const answered = ask(service).catch(() => undefined);
  await eventually('the erasure to wait for the call', () =>
    metadataRow(service.dataDir, "SELECT number FROM erasures WHERE stage = 'awaited'"),
  );
  return { answered };
}

describe('GATELOG_RETENTION_DAYS and PUT /v1/retention', () => {
  it('remove older records by the shorter of both periods, late ones too, and nothing else', async () => {
    const others = await idsOf(apiClient(shared.api));
    const withOthers = (...ids: readonly string[]): readonly string[] => [...others, ...ids].toSorted();
    await shared.stop();
    const [oldest, older] = [await writeLate(sharedDir, 40), await writeLate(sharedDir, 10)];
    shared = await start(sharedDir, environment);
    const young = await chat(shared, { content: 'young' });
    const api = apiClient(shared.api);
    for (const id of [oldest, older, young]) await api.stored(id);
    await api.call('PUT', '/v1/retention', { days: 20 });
    await eventually('the oldest record to go', async () => ((await idsOf(api)).includes(oldest) ? undefined : true));
    expect(await idsOf(api)).toEqual(withOthers(older, young));
    const backup = path.join(freshDataDir(), 'backup');
    expect(await gatelog(sharedDir, 'backup', backup)).toMatchObject({ code: 0 });
    await shared.stop();
    await restoresTo(backup, withOthers(older, young));
    const late = await writeLate(sharedDir, 41);
    shared = await start(sharedDir, { ...environment, GATELOG_RETENTION_DAYS: '5' });
    const again = apiClient(shared.api);
    const afterLate = await chat(shared, { content: 'young' });
    await again.stored(afterLate);
    await eventually('the older records to go', async () => {
      const ids = await idsOf(again);
      return ids.includes(older) || ids.includes(late) ? undefined : true;
    });
    expect(await idsOf(again)).toEqual(withOthers(young, afterLate));
    expect((await again.call('GET', `/v1/request/${late}`)).status).toBe(404);
  });
});

async function restoresTo(backup: string, ids: readonly string[]): Promise<void> {
  const dataDir = path.join(freshDataDir(), 'restored');
  expect(await gatelog(dataDir, 'restore', backup)).toMatchObject({ code: 0 });
  const service = await start(dataDir);
  expect(await idsOf(apiClient(service.api))).toEqual(ids);
  await service.stop();
}

async function idsOf(api: ApiClient): Promise<readonly string[]> {
  return (await api.query('all', { limit: 100 })).map(({ request_id: id }) => id).toSorted();
}

/** Leaves a record of this many days ago in the spool, as if the ingest had been down for that long. */
async function writeLate(dataDir: string, daysAgo: number): Promise<string> {
  const { id: organizationId } = metadataRow(dataDir, 'SELECT id FROM organizations') as { readonly id: OrganizationId };
  const openedAt = Date.now() - daysAgo * 86_400_000;
  const writer = openSpoolWriter({
    folder: path.join(dataDir, 'spool'),
    series: `late-${daysAgo}`,
    segmentMaxBytes: 1024 * 1024,
    segmentMaxMs: 60_000,
    sync: 'always',
    syncIntervalMs: 60_000,
    onFailure: (error) => {
      throw error;
    },
    monotonic: () => performance.now(),
  });
  const requestId = newId(openedAt);
  const open = { version: 1, requestId, organizationId, keyHash: 'a'.repeat(64), openedAt, method: 'POST', path: '/v1/chat/completions' };
  const rest = { provider: 'echo', targetUrl: '', headers: { 'content-type': 'application/json' }, tags: { properties: [] } };
  const stream = writer.newStream();
  writer.append(stream, frameKinds.open, JSON.stringify({ ...open, ...rest }));
  const end = { outcome: 'complete', elapsedMs: 9, overheadMs: 0.5, requestBytes: 0, responseBytes: 0 };
  writer.append(stream, frameKinds.end, JSON.stringify(end));
  await writer.close();
  return requestId;
}
