import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Hono } from 'hono';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { closeReceivers, type Receiver, startReceiver } from '../../events/channels/testing/receiver.ts';
import { deliveriesAnswerSchema, deliveryAnswerSchema, recoveredAnswerSchema, testAnswerSchema } from '../../contract/events/deliveries.ts';
import {
  newWebhookAnswerSchema,
  rotatedSecretAnswerSchema,
  webhookAnswerSchema,
  webhooksAnswerSchema,
} from '../../contract/events/webhooks.ts';
import { doneSchema } from '../../contract/responses.ts';
import { openMigratedMetadata } from '../../metadata/migrate.ts';
import type { OrganizationId, Uuid } from '../../model/ids.ts';
import { openWebhookScene, type WebhookScene } from '../../events/webhooks/testing/webhook-scene.ts';
import { type ApiRig, checked, keyOf, openApiRig } from '../testing/api-harness.ts';

const destination = 'https://hooks.example.com/gatelog';
const stranger = {
  organizationId: '01890000-0000-7000-8000-00000000ffff' as OrganizationId,
  keyId: 'k',
  keyHash: '',
  permissions: 'admin' as const,
};
const unknown = '01890000-0000-7000-8000-000000000000';
let rig: ApiRig;
let scene: WebhookScene;
let receiver: Receiver;
let api: Hono;
let answer = 200;
let stored = 17;
let close: () => Promise<void>;

beforeAll(async () => {
  rig = await openApiRig();
  receiver = await startReceiver((response) => response.writeHead(answer).end('said'));
  const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-webhooks-'));
  const database = await openMigratedMetadata(folder, 'core', Date.now);
  scene = await openWebhookScene({ database, folder, allowed: [`localhost:${receiver.port}`], highWatermark: () => stored });
  api = rig.withPorts({ webhooks: scene.webhooks });
  close = async () => {
    await scene.close();
    await database.close();
    rmSync(folder, { recursive: true });
  };
});
afterAll(async () => {
  await close();
  closeReceivers();
  await rig.close();
});
beforeEach(async () => {
  answer = 200;
  for (const { id } of await list()) await checked(await call('DELETE', `/${id}`), 200, doneSchema);
});

const call = (method: string, rest = '', body?: unknown, key = keyOf('admin')): Promise<Response> =>
  rig.call(method, `/v1/webhooks${rest}`, { api, key, ...(body === undefined ? {} : { body }) });
const list = async () => (await checked(await call('GET', '', undefined, keyOf('r')), 200, webhooksAnswerSchema)).data;
const create = async (body: unknown) => (await checked(await call('POST', '', body), 200, newWebhookAnswerSchema)).data;
const read = async (id: string) => (await checked(await call('GET', `/${id}`), 200, webhookAnswerSchema)).data;
const test = async (id: string) => (await checked(await call('POST', `/${id}/test`), 200, testAnswerSchema)).data;
const deliveries = async (id: string, query = '') =>
  (await checked(await call('GET', `/${id}/deliveries${query}`), 200, deliveriesAnswerSchema)).data;
const refused = (place: string, sentence: string) => ({ error: expect.stringContaining(sentence) as unknown, details: { path: place } });

describe('POST /v1/webhooks', () => {
  it('200: shows the secret in both forms, and the defaults; later answers do not show it', async () => {
    const { hmac_key, secret, ...webhook } = await create({ destination });
    expect(hmac_key).toMatch(/^[0-9a-f]{64}$/);
    expect(Buffer.from(secret.replace('whsec_', ''), 'base64').toString('hex')).toBe(hmac_key);
    expect(webhook).toMatchObject({
      destination,
      name: null,
      includeData: true,
      config: { filter: 'all', propertyFilters: [], sampleRate: 100, events: ['request.completed'] },
      status: { state: 'enabled', pending: 0, failed_in_a_row: 0, behind_seconds: 0 },
    });
    expect(await read(webhook.id)).toEqual(webhook);
    expect(await list()).toEqual([{ ...webhook, destination: 'https://hooks.example.com/…' }]);
  });

  it('200: Helicone`s property filters become conditions of the filter, and both forms are shown', async () => {
    const propertyFilters = [{ key: 'Environment', value: 'production' }];
    const { config } = await create({ destination, config: { sampleRate: 10, propertyFilters }, includeData: false });
    expect(config).toEqual({
      filter: { request_response_rmt: { properties: { Environment: { equals: 'production' } } } },
      propertyFilters,
      sampleRate: 10,
      events: ['request.completed'],
    });
  });

  it('begins with what is stored from now on', async () => {
    stored = 4711;
    const { id } = await create({ destination });
    expect(scene.definitions.enabled().find((webhook) => webhook.id === id)?.startsAfter).toBe(4711);
  });

  it.each([
    [[], '$', 'The body is an object such as'],
    [{}, 'destination', '`destination` is the address'],
    [{ destination: 'hooks' }, 'destination', 'is not an address; write one such as'],
    [{ destination: 'https://10.0.0.1/' }, 'destination', 'GATELOG_TARGET_ALLOWLIST'],
    [{ destination: 'http://hooks.example.com/' }, 'destination', 'write a public https address'],
    [{ destination, name: '' }, 'name', '`name` takes 1 to 128'],
    [{ destination, includeData: 'yes' }, 'includeData', 'true or false'],
    [{ destination, enabled: 1 }, 'enabled', 'true or false'],
    [{ destination, config: [] }, 'config', '`config` is an object such as'],
    [{ destination, config: { sampleRate: 101 } }, 'config.sampleRate', 'from 0 to 100'],
    [{ destination, config: { events: [] } }, 'config.events', 'at least one of request.completed'],
    [{ destination, config: { events: ['request.completed', 'request.completed'] } }, 'config.events', 'each once'],
    [{ destination, config: { events: ['webhook.test'] } }, 'config.events[0]', 'request.completed, request.updated'],
    [{ destination, config: { propertyFilters: [{ key: 'a' }] } }, 'config.propertyFilters[0].value', '{"key": "Environment"'],
    [
      { destination, config: { filter: { request_response_rmt: { nonsense: { equals: 1 } } } } },
      'config.filter.request_response_rmt.nonsense',
      '',
    ],
  ])('422 for %j', async (body, place, sentence) => {
    const response = await call('POST', '', body);
    expect([response.status, await response.json()]).toMatchObject([422, refused(place, sentence)]);
    expect(await list()).toEqual([]);
  });

  it('422 for the 101st', async () => {
    for (let count = 0; count < 100; count += 1) await create({ destination });
    const response = await call('POST', '', { destination });
    expect([response.status, await response.json()]).toMatchObject([422, refused('$', 'at most 100 webhooks')]);
  });

  it('422 for a name that another webhook has, also when one is replaced; its own it may keep', async () => {
    const first = await create({ destination, name: 'errors' });
    const second = await create({ destination, name: 'costs' });
    const taken = refused('name', 'has this name');
    const [created, renamed] = [
      await call('POST', '', { destination, name: 'errors' }),
      await call('PUT', `/${second.id}`, { destination, name: 'errors' }),
    ];
    expect([created.status, await created.json()]).toMatchObject([422, taken]);
    expect([renamed.status, await renamed.json()]).toMatchObject([422, taken]);
    await checked(await call('PUT', `/${first.id}`, { destination, name: 'errors' }), 200, webhookAnswerSchema);
  });

  it('403 for every change by a key that is not admin; a key that may read sees', async () => {
    const { id } = await create({ destination });
    const changes = [
      ['POST', ''],
      ['PUT', `/${id}`],
      ['DELETE', `/${id}`],
      ['POST', `/${id}/test`],
      ['POST', `/${id}/rotate-secret`],
      ['POST', `/${id}/recover`],
    ] as const;
    for (const [method, rest] of changes) expect((await call(method, rest, {}, keyOf('rw'))).status).toBe(403);
    expect((await call('GET', `/${id}/deliveries`, undefined, keyOf('r'))).status).toBe(200);
    expect((await call('GET', '', undefined, keyOf('w'))).status).toBe(403);
  });
});

describe('PUT /v1/webhooks/{id}', () => {
  it('200: replaces everything but the secret and, unless it is said, the state', async () => {
    const { id, created_at } = await create({ destination, name: 'first', config: { sampleRate: 5 }, enabled: false });
    const put = await call('PUT', `/${id}`, { destination: `${destination}/2`, config: { events: ['alert.triggered'] } });
    const replaced = (await checked(put, 200, webhookAnswerSchema)).data;
    expect(replaced).toMatchObject({
      id,
      created_at,
      destination: `${destination}/2`,
      name: null,
      config: { sampleRate: 100, events: ['alert.triggered'] },
      status: { state: 'disabled', disabled_reason: 'by_owner' },
    });
    expect(await read(id)).toEqual(replaced);
  });

  it('a webhook that is enabled again gets what is stored from then on', async () => {
    stored = 1;
    const { id } = await create({ destination, enabled: false });
    stored = 99;
    await call('PUT', `/${id}`, { destination, enabled: true });
    expect(scene.definitions.enabled().find((webhook) => webhook.id === id)?.startsAfter).toBe(99);
    stored = 100;
    await call('PUT', `/${id}`, { destination, enabled: true });
    expect(scene.definitions.enabled().find((webhook) => webhook.id === id)?.startsAfter).toBe(99);
  });

  it('what a GET shows can be put back, and changes nothing', async () => {
    const config = { filter: { request_response_rmt: { cost: { gt: 1 } } }, propertyFilters: [{ key: 'Team', value: 'a' }] };
    const before = await create({ destination, config });
    const { destination: to, name, includeData, config: shown } = await read(before.id);
    const after = (
      await checked(await call('PUT', `/${before.id}`, { destination: to, name, includeData, config: shown }), 200, webhookAnswerSchema)
    ).data;
    expect(after.config).toEqual(before.config);
  });
});

describe('POST /v1/webhooks/{id}/test', () => {
  it('200: sends an event once and says what came back; the log has it', async () => {
    const { id } = await create({ destination: receiver.origin, enabled: false });
    const good = await test(id);
    expect(good).toMatchObject({ success: true, message: 'The destination answered 200.' });
    expect(JSON.parse(receiver.posts.at(-1)?.body ?? '')).toMatchObject({ type: 'webhook.test', data: { webhook_id: id } });
    answer = 500;
    expect(await test(id)).toMatchObject({ success: false, message: 'The receiver answered 500.', delivery: { failure: 'exhausted' } });
    expect((await deliveries(id)).map(({ state }) => state)).toEqual(['failed', 'delivered']);
    expect((await read(id)).status).toMatchObject({ failed_in_a_row: 0, pending: 0 });
  });

  it('503 while another test of the webhook is being made', async () => {
    const silent = await startReceiver(() => undefined);
    const { id } = await create({ destination: receiver.origin });
    await scene.definitions.change(rig.organizationId, id as Uuid, () => ({ destination: silent.origin }));
    expect(await scene.webhooks.find(rig.organizationId, id as Uuid)).toBeDefined();
    const both = await Promise.all([call('POST', `/${id}/test`), call('POST', `/${id}/test`)]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 503]));
  });
});

describe('the log of deliveries', () => {
  it('is paged from the newest, filtered by state, and shows the attempts of each', async () => {
    const { id } = await create({ destination: receiver.origin });
    for (const status of [200, 500, 200]) {
      answer = status;
      await test(id);
    }
    const all = await deliveries(id);
    expect(all.map(({ state, last_status }) => [state, last_status])).toEqual([
      ['delivered', 200],
      ['failed', 500],
      ['delivered', 200],
    ]);
    expect(await deliveries(id, '?state=failed')).toEqual([all[1]]);
    const page = await call('GET', `/${id}/deliveries?limit=2`);
    const cursor = page.headers.get('svc-next-cursor');
    expect((await checked(page, 200, deliveriesAnswerSchema)).data).toEqual(all.slice(0, 2));
    expect(await deliveries(id, `?limit=2&cursor=${String(cursor)}`)).toEqual(all.slice(2));
    const detail = (await checked(await call('GET', `/${id}/deliveries/${String(all[1]?.id)}`), 200, deliveryAnswerSchema)).data;
    expect(detail).toMatchObject({ ...all[1], content: { webhook_id: id }, attempt_log: [{ number: 1, outcome: 'failed', status: 500 }] });
    expect(detail.attempt_log[0]?.response_head).toMatch(/said$/);
  });

  it.each([
    ['?state=lost', 'state', '`state` is one of'],
    ['?cursor=1', 'cursor', 'svc-next-cursor'],
    ['?limit=many', 'limit', '`limit` takes'],
  ])('422 for %s', async (query, place, sentence) => {
    const { id } = await create({ destination });
    const response = await call('GET', `/${id}/deliveries${query}`);
    expect([response.status, await response.json()]).toMatchObject([422, refused(place, sentence)]);
  });

  it('a delivery is replayed under its identifier, and all failed ones are recovered', async () => {
    const { id } = await create({ destination: receiver.origin });
    answer = 500;
    const failed = [await test(id), await test(id), await test(id)].map(({ delivery }) => String(delivery?.id));
    answer = 200;
    const states = async () => (await deliveries(id)).map(({ state }) => state);
    await checked(await call('POST', `/${id}/deliveries/${String(failed[0])}/replay`), 200, doneSchema);
    await vi.waitFor(async () => expect(await states()).toEqual(['failed', 'failed', 'delivered']));
    expect(receiver.posts.at(-1)?.headers['webhook-id']).toBe(failed[0]);
    const since = new Date(Date.now() - 60_000).toISOString();
    expect((await checked(await call('POST', `/${id}/recover`, { since }), 200, recoveredAnswerSchema)).data).toEqual({ recovered: 2 });
    await vi.waitFor(async () => expect(await states()).toEqual(['delivered', 'delivered', 'delivered']));
    expect((await checked(await call('POST', `/${id}/recover`, { since: 0 }), 200, recoveredAnswerSchema)).data).toEqual({ recovered: 0 });
  });

  it('422: nothing is replayed or recovered while the webhook is disabled', async () => {
    const { id } = await create({ destination: receiver.origin, enabled: false });
    const { delivery } = await test(id);
    for (const rest of [`/deliveries/${String(delivery?.id)}/replay`, '/recover']) {
      const response = await call('POST', `/${id}${rest}`, { since: 0 });
      expect([response.status, await response.json()]).toMatchObject([422, refused('$', 'Enable it first')]);
    }
  });

  it.each([{}, { since: 'yesterday' }, { since: -1 }, { since: null }])('422 for %j as the time of a recovery', async (body) => {
    const { id } = await create({ destination });
    const response = await call('POST', `/${id}/recover`, body);
    expect([response.status, await response.json()]).toMatchObject([422, refused('since', '`since` is a time')]);
  });
});

describe('POST /v1/webhooks/{id}/rotate-secret', () => {
  it('is lost by no change beside it, nor loses one', async () => {
    const { id } = await create({ destination, name: 'before' });
    const [rotated] = await Promise.all([call('POST', `/${id}/rotate-secret`), call('PUT', `/${id}`, { destination, name: 'after' })]);
    expect(rotated.status).toBe(200);
    expect(scene.definitions.find(rig.organizationId, id as Uuid)).toMatchObject({
      name: 'after',
      secrets: { previous: { endsAt: expect.any(Number) as number } },
    });
  });

  it('200: another secret, beside which the previous one signs for a day', async () => {
    const first = await create({ destination });
    const { data } = await checked(await call('POST', `/${first.id}/rotate-secret`), 200, rotatedSecretAnswerSchema);
    expect(data.hmac_key).not.toBe(first.hmac_key);
    expect(Date.parse(data.previous_signs_until) - Date.now()).toBeGreaterThan(23 * 3_600_000);
  });
});

describe('whoever may read and not administer', () => {
  const secretPath = '/hook/planted-path?token=planted-token';

  it('sees neither path and query of an address nor a signature; an admin key sees the address', async () => {
    const { id } = await create({ destination: `${receiver.origin}${secretPath}` });
    const { delivery } = await test(id);
    const signed = receiver.posts.at(-1)?.headers ?? {};
    const signatures = ['webhook-signature', 'svc-signature', 'helicone-signature'].map((name) => String(signed[name]));
    for (const permission of ['r', 'rw', 'admin'] as const) {
      const answers = await Promise.all(
        ['', `/${id}`, `/${id}/deliveries`, `/${id}/deliveries/${String(delivery?.id)}`].map(async (rest) =>
          (await call('GET', rest, undefined, keyOf(permission))).text(),
        ),
      );
      expect(signatures.filter((signature) => answers.join().includes(signature))).toEqual([]);
      expect(answers.map((text) => text.includes('planted'))).toEqual(
        permission === 'admin' ? [true, true, false, true] : [false, false, false, false],
      );
      expect(answers[0]).toContain(receiver.origin);
      expect(answers[3]).toContain('webhook-signature: …');
    }
  });
});

describe('an identifier of another organisation, of nothing, or none at all', () => {
  it('is 404, and the answers look alike', async () => {
    const { id } = await create({ destination: receiver.origin });
    const { delivery } = await test(id);
    const theirs = rig.withPorts({ webhooks: scene.webhooks, verifyKey: () => stranger });
    const ends = [
      '',
      '/test',
      '/rotate-secret',
      '/deliveries',
      `/deliveries/${String(delivery?.id)}`,
      '/recover',
      `/deliveries/${String(delivery?.id)}/replay`,
    ];
    const methods = ['GET', 'POST', 'POST', 'GET', 'GET', 'POST', 'POST'];
    for (const [index, end] of ends.entries()) {
      const method = methods[index] ?? '';
      const body = method === 'POST' ? { body: { since: 0 } } : {};
      const answers = await Promise.all([
        rig.call(method, `/v1/webhooks/${id}${end}`, { api: theirs, ...body }),
        rig.call(method, `/v1/webhooks/${unknown}${end}`, { api, key: keyOf('admin'), ...body }),
        rig.call(method, `/v1/webhooks/mine${end}`, { api, key: keyOf('admin'), ...body }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    }
    const put = await rig.call('PUT', `/v1/webhooks/${id}`, { api: theirs, body: { destination } });
    const removal = await rig.call('DELETE', `/v1/webhooks/${id}`, { api: theirs });
    expect([put.status, removal.status]).toEqual([404, 404]);
    expect((await checked(await rig.call('GET', '/v1/webhooks', { api: theirs }), 200, webhooksAnswerSchema)).data).toEqual([]);
    expect((await read(id)).id).toBe(id);
  });
});
