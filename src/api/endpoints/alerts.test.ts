import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import {
  alertAnswerSchema,
  alertHistoryAnswerSchema,
  alertIncidentsAnswerSchema,
  alertPreviewAnswerSchema,
  alertsAnswerSchema,
  alertStatesAnswerSchema,
  alertTestAnswerSchema,
  incidentsAnswerSchema,
} from '../../contract/events/alert-answers.ts';
import { alertDeliveriesAnswerSchema } from '../../contract/events/deliveries.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { KeyPermissions } from '../../model/principal.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { idAt } from '../../query/testing/query-harness.ts';
import { type ApiRig, checked, keyOf, openApiRig } from '../testing/api-harness.ts';

const path = '/v1/alerts';
const spend = { name: 'Spend', metric: 'cost', threshold: 20, time_window: 3_600_000 };

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(async () => rig.close());

async function send(method: string, to: string, body?: unknown, permissions: KeyPermissions = 'admin'): Promise<Response> {
  return rig.call(method, to, { key: keyOf(permissions), ...(body === undefined ? {} : { body }) });
}

let names = 0;

async function add(rule: object = {}) {
  names += 1;
  return (await checked(await send('POST', path, { ...spend, name: `Rule ${names}`, ...rule }), 200, alertAnswerSchema)).data;
}

interface Fault {
  readonly error: string;
  readonly details: { readonly path: string };
}

async function faultOf(body: unknown): Promise<readonly [number, string, string]> {
  const response = await send('POST', path, body);
  const { error, details } = (await response.json()) as Fault;
  return [response.status, details.path, error];
}

describe('previews at once', () => {
  it('run one at a time, few wait, others of the organisation get 429, and another organisation none', async () => {
    const stranger = {
      organizationId: '01890000-0000-7000-8000-00000000fff1' as OrganizationId,
      keyId: 'k',
      keyHash: '',
      permissions: 'r' as const,
    };
    const theirs = rig.withPorts({ verifyKey: () => stranger });
    const body = { rule: spend };
    const own = Array.from({ length: 30 }, () => send('POST', `${path}/preview`, body, 'r'));
    const other = await rig.call('POST', `${path}/preview`, { api: theirs, body });
    expect(other.status).toBe(200);
    const answers = await Promise.all(own);
    const passed = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect(passed.length).toBeGreaterThanOrEqual(4);
    expect(refused.length).toBeGreaterThan(0);
    expect(passed.length + refused.length).toBe(30);
    const [first] = refused;
    expect([first?.headers.get('retry-after'), await first?.json()]).toMatchObject(['5', { code: 'too_many_previews' }]);
    expect((await send('POST', `${path}/preview`, body, 'r')).status).toBe(200);
  });
});

describe('POST /v1/alerts', () => {
  it('200: stores a rule, and shows it with its state', async () => {
    const rule = {
      ...spend,
      name: 'Spend of a tenant',
      grouping: [{ property: 'Tenant' }],
      filter: { request_response_rmt: { model: { contains: 'gpt' } } },
      for_ms: 60_000,
      mute_until: '2026-02-01T00:00:00Z',
    };
    const shown = await add(rule);
    expect(shown).toMatchObject({
      ...rule,
      mute_until: '2026-02-01T00:00:00.000Z',
      channels: [],
      offered: false,
      status: { state: 'new', firing: 0, error: null },
    });
    expect((await checked(await send('GET', `${path}/${shown.id}`, undefined, 'r'), 200, alertAnswerSchema)).data).toEqual(shown);
  });

  it('200: characters of a pager`s key are shown to admin keys alone', async () => {
    const { id } = await add({ channels: [{ type: 'pagerduty', routingKey: 'e93facc04764012d7bfb002500d5d1a6' }] });
    for (const [permissions, routingKey] of [
      ['r', '…'],
      ['rw', '…'],
      ['admin', '…d1a6'],
    ] as const) {
      const one = await checked(await send('GET', `${path}/${id}`, undefined, permissions), 200, alertAnswerSchema);
      const all = await checked(await send('GET', path, undefined, permissions), 200, alertsAnswerSchema);
      expect([one.data, ...all.data.filter((rule) => rule.id === id)].map(({ channels }) => channels[0]?.routingKey)).toEqual([
        routingKey,
        routingKey,
      ]);
    }
  });

  it.each<readonly [string, object]>([
    ['upstream`s error rate', { metric: 'response.status', aggregation: 'sum', threshold: 5 }],
    ['upstream`s percentile', { metric: 'latency', aggregation: 'percentile', percentile: 95, threshold: 2000 }],
    ['upstream`s grouping by user', { grouping: 'user' }],
    ['upstream`s grouping by a property', { grouping: 'Tenant', grouping_is_property: true }],
    ['a metric of /v1/metrics/query', { metric: 'p99_time_to_first_token', threshold: 900 }],
    ['a calendar month', { time_window: undefined, window: { calendar: 'month', timezone: 'America/New_York' } }],
    ['a baseline', { baseline: { days: 7 }, threshold: 300 }],
    ['a budget', { enforce: true }],
    ['two dimensions and a property', { grouping: ['model', 'user', { property: 'Tenant' }] }],
  ])('200: %s', async (_, rule) => {
    expect((await add(rule)).name).toContain('Rule');
  });

  it.each<readonly [string, object, string, RegExp]>([
    ['no name', { name: undefined }, 'name', /1 to 256 characters/],
    ['an unknown metric', { metric: 'costs' }, 'metric', /Did you mean `cost`\?/],
    ['an aggregation of a whole metric', { metric: 'p95_latency', aggregation: 'avg' }, 'aggregation', /leave `aggregation` out/],
    ['a percentile without its aggregation', { percentile: 95 }, 'percentile', /"aggregation": "percentile"/],
    ['no window', { time_window: undefined }, 'time_window', /300000, or a `window`/],
    ['both windows', { window: { calendar: 'day' } }, 'window', /exclude each other/],
    ['a window too short', { time_window: 1000 }, 'time_window', /from 30000 to 2592000000/],
    [
      'an unknown place',
      { time_window: undefined, window: { calendar: 'day', timezone: 'Europe/Atlantis' } },
      'window.timezone',
      /Europe\/Berlin/,
    ],
    ['an unknown dimension', { grouping: 'modle' }, 'grouping[0]', /Did you mean `model`\?/],
    ['four dimensions', { grouping: ['model', 'user', 'session', 'key'] }, 'grouping', /at most 3 dimensions/],
    ['a group of hours', { grouping: ['hour_of_day'] }, 'grouping[0]', /take another dimension/],
    [
      'a filter with two fields',
      { filter: { request_response_rmt: { model: { equals: 'a' }, cost: { gt: 1 } } } },
      'filter.request_response_rmt',
      /two/i,
    ],
    ['a threshold that everything has', { threshold: 0 }, 'threshold', /always fire/],
    ['a threshold that nothing has', { threshold: 0, comparison: 'lt' }, 'threshold', /never fire/],
    ['a share above 1', { metric: 'error_rate', threshold: 5 }, 'threshold', /`response.status` takes percent/],
    ['a baseline of a long window', { baseline: {}, time_window: 172_800_000 }, 'baseline', /a day/],
    ['a budget of something else', { metric: 'count', enforce: true }, 'enforce', /sum of `cost`/],
    ['a budget below a threshold', { comparison: 'lt', enforce: true }, 'enforce', /comparison `gte`/],
    ['a budget of half a second', { time_window: 60_500, enforce: true }, 'time_window', /whole seconds/],
    [
      'a budget of some requests',
      { filter: { request_response_rmt: { model: { equals: 'a' } } }, enforce: true },
      'filter',
      /group by the property/,
    ],
    ['a budget of less than counts', { threshold: 1.234_567_891_23, enforce: true }, 'threshold', /millionth of a cent/],
    ['a budget that holds later', { for_ms: 60_000, enforce: true }, 'for_ms', /without a wait/],
    ['a budget that waits', { minimum_request_count: 5, enforce: true }, 'minimum_request_count', /first call/],
    ['a budget by model', { grouping: 'model', enforce: true }, 'grouping', /each value of one property/],
    ['a budget by two dimensions', { grouping: ['user', { property: 'Team' }], enforce: true }, 'grouping', /one property/],
    ['a budget that no policy holds', { threshold: 1e9, enforce: true }, 'threshold', /10 million dollars/],
    ['a mute that is no time', { mute_until: 'tomorrow' }, 'mute_until', /ISO 8601/],
    ['a channel that cannot be told', { channels: [{ type: 'fax' }] }, 'channels[0].type', /webhook, email/],
  ])('422 for %s, with the place and the remedy', async (_, rule, place, sentence) => {
    expect(await faultOf({ ...spend, name: 'Faulty', ...rule })).toEqual([422, place, expect.stringMatching(sentence)]);
  });

  it('422 for a name that is taken', async () => {
    const { name } = await add();
    expect(await faultOf({ ...spend, name })).toEqual([422, 'name', expect.stringContaining('write another name')]);
  });

  it('403 for a key that is not admin', async () => {
    for (const permissions of ['rw', 'r', 'w'] as const) expect((await send('POST', path, spend, permissions)).status).toBe(403);
  });
});

describe('PUT /v1/alerts/{id}', () => {
  it('200: what GET shows can be put back without a warning, and changed', async () => {
    const shown = await add({ grouping: [{ property: 'Team' }] });
    const response = await send('PUT', `${path}/${shown.id}`, { ...shown, threshold: 30 });
    const answer = (await response.json()) as { readonly data: { readonly threshold: number }; readonly warnings?: unknown };
    expect([response.status, answer.data.threshold, answer.warnings]).toEqual([200, 30, undefined]);
  });

  it('422 for a channel that the rule does not have', async () => {
    const { id, name } = await add();
    const response = await send('PUT', `${path}/${id}`, { ...spend, name, channels: [{ id: '01890000-0000-7000-8000-000000000001' }] });
    expect([response.status, ((await response.json()) as Fault).details.path]).toEqual([422, 'channels[0].id']);
  });
});

test('GET /v1/alerts: newest first, by pages; the offered rules are there and off', async () => {
  const { id } = await add();
  const { data } = await checked(await send('GET', `${path}?limit=2`, undefined, 'r'), 200, alertsAnswerSchema);
  expect(data.map((alert) => alert.id)[0]).toBe(id);
  expect(data).toHaveLength(2);
  const all = (await checked(await send('GET', `${path}?limit=1000`), 200, alertsAnswerSchema)).data;
  expect(all.filter(({ offered }) => offered).map(({ metric, status }) => [metric, status.state])).toEqual([
    ['response.status', 'off'],
    ['cost', 'off'],
  ]);
});

describe('what a rule has', () => {
  it('200: states, incidents, history and deliveries, empty before anything happened', async () => {
    const { id } = await add();
    expect((await checked(await send('GET', `${path}/${id}/states`, undefined, 'r'), 200, alertStatesAnswerSchema)).data).toEqual([]);
    expect((await checked(await send('GET', `${path}/${id}/incidents`, undefined, 'r'), 200, alertIncidentsAnswerSchema)).data).toEqual([]);
    expect((await checked(await send('GET', '/v1/incidents', undefined, 'r'), 200, incidentsAnswerSchema)).data).toEqual([]);
    expect((await checked(await send('GET', `${path}/${id}/history`, undefined, 'r'), 200, alertHistoryAnswerSchema)).data).toEqual([]);
    expect((await checked(await send('GET', `${path}/${id}/deliveries`, undefined, 'r'), 200, alertDeliveriesAnswerSchema)).data).toEqual(
      [],
    );
  });

  it('200: a message to a webhook of the organisation is among the deliveries', async () => {
    const made = await send('POST', '/v1/webhooks', { name: 'ops', destination: 'https://example.com/hook' });
    const { data: webhook } = (await made.json()) as { readonly data: { readonly id: string } };
    const { id, channels } = await add({ channels: [{ type: 'webhook', webhookId: webhook.id }] });
    await send('POST', `${path}/${id}/test`);
    const { data } = await checked(await send('GET', `${path}/${id}/deliveries`, undefined, 'r'), 200, alertDeliveriesAnswerSchema);
    const receiver = { channel: 'webhook', channel_id: channels[0]?.id, webhook_id: webhook.id, webhook_name: 'ops' };
    expect(data).toMatchObject([{ type: 'alert.triggered', ...receiver }]);
  });

  it('200: a test message, at most one a second', async () => {
    const { id } = await add();
    expect((await checked(await send('POST', `${path}/${id}/test`), 200, alertTestAnswerSchema)).data).toEqual({ channels: 0 });
    expect((await send('POST', `${path}/${id}/test`)).status).toBe(422);
  });

  it('200: is deleted', async () => {
    const { id } = await add();
    expect([(await send('DELETE', `${path}/${id}`)).status, (await send('GET', `${path}/${id}`)).status]).toEqual([200, 404]);
  });

  it('404 for another organisation`s, an unknown one and no identifier; all look alike', async () => {
    const { id } = await add();
    const organizationId = '01890000-0000-7000-8000-00000000ffff' as OrganizationId;
    const api = rig.withPorts({ verifyKey: () => ({ organizationId, keyId: 'k', keyHash: '', permissions: 'admin' }) });
    const calls: readonly (readonly [string, string])[] = [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['GET', '/states'],
      ['GET', '/incidents'],
      ['GET', '/history'],
      ['GET', '/deliveries'],
      ['POST', '/test'],
    ];
    for (const [method, rest] of calls) {
      const body = method === 'PUT' ? { ...spend, name: 'Mine now' } : undefined;
      for (const [of, given] of [
        [id, { api }],
        ['01890000-0000-7000-8000-000000000000', {}],
        ['mine', {}],
      ] as const) {
        const response = await rig.call(method, `${path}/${of}${rest}`, {
          key: keyOf('admin'),
          ...(body === undefined ? {} : { body }),
          ...given,
        });
        expect([method, rest, response.status, ((await response.json()) as Fault).error]).toEqual([
          method,
          rest,
          404,
          'The organisation has no such rule; GET /v1/alerts lists them.',
        ]);
      }
    }
  });
});

describe('POST /v1/alerts/preview', () => {
  const at = Date.UTC(2026, 2, 1, 12);
  const cost = BigInt(15e12) as RequestRecord['cost'];

  it('200: what the rule would have done', async () => {
    await rig.insert(
      [0, 30_000].map((ms, n) => ({ createdAt: at + ms, requestId: idAt(at + ms, n), cost, properties: new Map([['Team', 'a']]) })),
    );
    const rule = {
      metric: 'cost',
      threshold: 20,
      time_window: 60_000,
      recover_after_ms: 0,
      grouping: ['properties.Team'],
      new_group_delay_ms: 0,
    };
    const timeFilter = { startTimeUnixMs: at - 60_000, endTimeUnixMs: at + 300_000 };
    const { data } = await checked(await send('POST', `${path}/preview`, { rule, timeFilter }, 'r'), 200, alertPreviewAnswerSchema);
    const group = { 'properties.Team': 'a' };
    expect(data).toEqual({
      step_ms: 10_000,
      exact: true,
      groups_left_out: 0,
      series: [
        { time: '2026-03-01T12:00:10.000Z', group, value: 15 },
        { time: '2026-03-01T12:00:40.000Z', group, value: 30 },
        { time: '2026-03-01T12:01:10.000Z', group, value: 15 },
        { time: '2026-03-01T12:01:40.000Z', group, value: 0 },
      ],
      incidents: [{ group, started_at: '2026-03-01T12:00:40.000Z', ended_at: '2026-03-01T12:01:10.000Z', peak: 30 }],
      unpriced: { requests: 0, models: [] },
      session_names: {},
    });
  });

  it('200: a rule on costs names the requests of its windows that have no price, and other rules none', async () => {
    const noon = Date.UTC(2026, 2, 2, 12);
    const models = ['acme-rerank-7b', 'acme-rerank-7b', 'other'];
    await rig.insert(models.map((model, n) => ({ createdAt: noon + n, requestId: idAt(noon + n, n), model, status: 200, cost: null })));
    const timeFilter = { startTimeUnixMs: noon, endTimeUnixMs: noon + 60_000 };
    const unpricedOf = async (rule: object) => {
      const body = { rule: { threshold: 20, time_window: 60_000, ...rule }, timeFilter };
      return (await checked(await send('POST', `${path}/preview`, body, 'r'), 200, alertPreviewAnswerSchema)).data.unpriced;
    };
    const rerank = { model: 'acme-rerank-7b', requests: 2 };
    expect(await unpricedOf({ metric: 'cost' })).toEqual({ requests: 3, models: [rerank, { model: 'other', requests: 1 }] });
    const filter = { request_response_rmt: { model: { equals: 'acme-rerank-7b' } } };
    expect(await unpricedOf({ metric: 'avg_cost', filter })).toEqual({ requests: 2, models: [rerank] });
    expect(await unpricedOf({ metric: 'count' })).toBeNull();
  });

  it('200: a long range is stepped through more coarsely, and says so', async () => {
    const rule = { metric: 'count', threshold: 20, time_window: 3_600_000 };
    const timeFilter = { startTimeUnixMs: at - 30 * 86_400_000, endTimeUnixMs: at };
    const { data } = await checked(await send('POST', `${path}/preview`, { rule, timeFilter }), 200, alertPreviewAnswerSchema);
    expect([data.exact, data.step_ms]).toEqual([false, 290_000]);
  });

  it('422 for a faulty rule or range, with its place', async () => {
    const faulty = await send('POST', `${path}/preview`, { rule: { metric: 'costs', threshold: 1, time_window: 60_000 } });
    expect([faulty.status, ((await faulty.json()) as Fault).details.path]).toEqual([422, 'rule.metric']);
    const rule = { metric: 'cost', threshold: 1, time_window: 60_000 };
    const late = await send('POST', `${path}/preview`, { rule, timeFilter: { startTimeUnixMs: Date.now() + 1e6 } });
    expect([late.status, ((await late.json()) as Fault).details.path]).toEqual([422, 'timeFilter']);
  });
});

async function limits(): Promise<readonly unknown[]> {
  const answer = (await (await send('GET', '/v1/rate-limits')).json()) as { readonly data: readonly unknown[] };
  return answer.data;
}

describe('a rule with `enforce`', () => {
  beforeAll(async () => {
    const { data } = (await (await send('GET', `${path}?limit=1000`)).json()) as { readonly data: readonly { readonly id: string }[] };
    for (const { id } of data) await send('DELETE', `${path}/${id}`);
  });

  it('is a limit of calls as long as it stands, which only the rule changes', async () => {
    const own = { policy: '10;w=60', key_id: null };
    await send('PUT', '/v1/rate-limits', [own]);
    const { id, name } = await add({ enforce: true, threshold: 2.5, grouping: { property: 'Team' } });
    const ofRule = { policy: '250;w=3600;u=cents;s=Team', key_id: null, alert_id: id, alert_name: name };
    expect(await limits()).toEqual([own, ofRule]);

    expect((await send('PUT', '/v1/rate-limits', [ofRule])).status).toBe(200);
    expect(await limits()).toEqual([ofRule]);
    const changed = await send('PUT', '/v1/rate-limits', [own, { ...ofRule, policy: '999;w=3600;u=cents;s=Team' }]);
    expect([changed.status, await changed.json()]).toMatchObject([422, { details: { path: '[1].alert_id' } }]);
    expect(await limits()).toEqual([ofRule]);

    for (const [threshold, cents] of [
      [0.29, '29'],
      [1.1, '110'],
      [0.000_000_01, '0.000001'],
      [19.99, '1999'],
    ] as const) {
      await send('PUT', `${path}/${id}`, { ...spend, name, threshold, enforce: true });
      expect(await limits()).toMatchObject([{ policy: `${cents};w=3600;u=cents` }]);
    }
    await send('PUT', `${path}/${id}`, { ...spend, name, threshold: 0.07, enforce: true, grouping: 'user' });
    expect(await limits()).toEqual([{ ...ofRule, policy: '7;w=3600;u=cents;s=user' }]);
    const window = { calendar: 'month', timezone: 'Europe/Berlin' };
    await send('PUT', `${path}/${id}`, { ...spend, name, threshold: 50, time_window: undefined, window, enforce: true });
    expect(await limits()).toEqual([{ ...ofRule, policy: '5000;calendar=month;tz=Europe/Berlin;u=cents' }]);
    await send('PUT', `${path}/${id}`, { ...spend, name });
    expect(await limits()).toEqual([]);
    await send('PUT', `${path}/${id}`, { ...spend, name, enforce: true });
    expect(await limits()).toHaveLength(1);
    await send('DELETE', `${path}/${id}`);
    expect(await limits()).toEqual([]);
  });

  it('is one of at most 32', async () => {
    const made = [];
    for (let count = 0; count < 32; count += 1) made.push(await add({ enforce: true }));
    expect(await faultOf({ ...spend, name: 'One more', enforce: true })).toEqual([422, 'enforce', expect.stringContaining('at most 32')]);
    for (const { id } of made) await send('DELETE', `${path}/${id}`);
  });
});
