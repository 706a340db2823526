import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AlertRule } from '../contract/events/alerts.ts';
import { GatelogError } from '../model/errors.ts';
import type { RequestRecord } from '../model/record/request-record.ts';
import type { EventsDatabase } from '../events/database/database.ts';
import { previewAlert } from './preview.ts';
import { type AlertRig, intervalMs, openAlertRig, start } from './testing/alert-harness.ts';
import type { Evaluator } from './evaluator.ts';
import { shownGroup } from '../query/alerts/groups.ts';
import { tenant } from '../query/testing/query-harness.ts';
import { byLength } from '../../test/support/test-length.ts';

let rig: AlertRig;
beforeEach(async () => {
  rig = await openAlertRig();
});
afterEach(async () => rig.close());

const spend: AlertRule = { name: 'Spend', metric: 'cost', threshold: 10, time_window: 60_000, recover_after_ms: 20_000 };
const usd = (amount: number) => (BigInt(amount * 1e6) * 1_000_000n) as RequestRecord['cost'];
const at = (step: number): number => start + step * intervalMs;
const team = (name: string): Pick<RequestRecord, 'properties'> => ({ properties: new Map([['Team', name]]) });

async function steps(evaluator: Evaluator, from: number, to: number): Promise<void> {
  for (let step = from; step <= to; step += 1) await evaluator.evaluateAt(at(step));
}

/** What the database has of incidents, without identifiers. */
async function incidents() {
  const rows = await rig.events.queries.selectFrom('alert_incidents').selectAll().orderBy('started_at').orderBy('group_key').execute();
  return rows.map((row) => ({
    group: row.group_key,
    from: step(row.started_at),
    to: row.ended_at === null ? null : step(row.ended_at),
    peak: row.peak,
  }));
}

const order = (one: object, other: object): number => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);
const step = (ms: number): number => (ms - start) / intervalMs;

describe('a rule over the store', () => {
  test('fires when its window has the threshold, and recovers', async () => {
    await rig.add(spend);
    await rig.insert([
      { createdAt: at(0) + 1, cost: usd(9) },
      { createdAt: at(2) + 1, cost: usd(3) },
    ]);
    const opened: number[] = [];
    await steps(await rig.open({ onIncidents: (count) => opened.push(count) }), 1, 12);
    expect(opened).toEqual([0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0]);
    // The first request leaves the window after step 6.
    expect(await incidents()).toEqual([{ group: '[]', from: 3, to: 9, peak: 12 }]);
    const notified = await rig.notified();
    expect(notified.map(({ kind, open }) => [kind, open])).toEqual([
      ['triggered', 1],
      ['resolved', 0],
    ]);
    expect(notified[0]).toMatchObject({
      ruleName: 'Spend',
      metric: 'cost',
      unit: 'usd',
      threshold: 10,
      peak: 12,
      more: 0,
      groups: [{ group: {}, value: 12 }],
      startedAt: at(3),
      window: { from: at(3) - 60_000, to: at(3) },
    });
    expect(notified[1]?.dedupKey).toBe(notified[0]?.dedupKey);
  });

  test('groups: one notice for those that fire together, counted where they are too many, closed with the last one', async () => {
    await rig.add({ ...spend, grouping: [{ property: 'Team' }], new_group_delay_ms: 0, max_groups: 2, recover_after_ms: 0 });
    await rig.insert(
      ['a', 'b', 'c', 'd'].map((name, index) => ({ createdAt: at(index === 3 ? 3 : 0) + 1, cost: usd(10 + index), ...team(name) })),
    );
    await rig.insert([
      { createdAt: at(0) + 1, cost: usd(1), ...team('e') },
      { createdAt: at(4) + 1, cost: usd(20), ...team('a') },
    ]);
    await steps(await rig.open(), 1, 12);
    const notified = await rig.notified();
    expect(notified.map(({ kind, groups, more, open }) => [kind, groups.map(({ group }) => group['properties.Team']), more, open])).toEqual(
      [
        ['triggered', ['c', 'b'], 1, 3],
        ['triggered', ['d'], 0, 1],
        // The pager is not told of "b" and "c": "a" is still open.
        ['resolved', ['d'], 0, 0],
        ['resolved', ['a'], 0, 0],
      ],
    );
    expect(notified[3]?.dedupKey).toBe(notified[0]?.dedupKey);
  });

  test('5,000 groups of a property are told in one message, and known', async () => {
    const alert = await rig.add({ ...spend, grouping: 'Tenant', grouping_is_property: true, new_group_delay_ms: 0 });
    await rig.insert(
      Array.from({ length: 5000 }, (_, index) => ({
        createdAt: at(0) + 1,
        cost: usd(index < 91 ? 11 : 1),
        properties: new Map([['Tenant', `t${index}`]]),
      })),
    );
    const evaluator = await rig.open();
    await steps(evaluator, 1, 1);
    const [message] = await rig.notified();
    expect([message?.groups.length, message?.more]).toEqual([50, 41]);
    expect(evaluator.stateOf(alert.id).memories.size).toBe(5000);
    expect(await incidents()).toHaveLength(91);
  });

  test('rules of other filters, windows and groupings are right beside each other', async () => {
    const rules: AlertRule[] = ['a', 'b', 'c', 'd', 'e'].flatMap((name) => [
      { ...spend, name: `${name} minute`, filter: { request_response_rmt: { properties: { Team: { equals: name } } } } },
      {
        ...spend,
        name: `${name} hour`,
        metric: 'count',
        threshold: 2,
        time_window: 3_600_000,
        filter: { request_response_rmt: { properties: { Team: { contains: name } } } },
      },
    ]);
    for (const rule of rules) await rig.add(rule);
    await rig.insert([
      { createdAt: at(0) + 1, cost: usd(10), ...team('a') },
      { createdAt: at(-300), cost: usd(50), ...team('b') },
      { createdAt: at(0) + 2, cost: usd(1), ...team('b') },
      { createdAt: at(0) + 3, cost: usd(10), ...team('c') },
    ]);
    await steps(await rig.open(), 1, 1);
    expect((await rig.notified()).map(({ ruleName }) => ruleName).toSorted()).toEqual(['a minute', 'b hour', 'c minute']);
  });

  test('an evaluation that fails three times in a row is told, ends no incident, and is told when it works again', async () => {
    const alert = await rig.add(spend);
    await rig.insert([{ createdAt: at(0) + 1, cost: usd(10) }]);
    let failing = false;
    const evaluator = await rig.open({
      run: (...asked) => (failing ? Promise.reject(new GatelogError('query_timeout', 'too slow')) : rig.store.run(...asked)),
    });
    await steps(evaluator, 1, 2);
    failing = true;
    await steps(evaluator, 3, 9);
    expect((await rig.notified()).map(({ kind, reason }) => [kind, reason])).toEqual([
      ['triggered', null],
      ['error', 'too slow'],
    ]);
    expect(evaluator.stateOf(alert.id).seen).toMatchObject({ errors: 7, error: 'too slow' });
    expect(await incidents()).toEqual([{ group: '[]', from: 1, to: null, peak: 10 }]);
    failing = false;
    await steps(evaluator, 10, 12);
    expect((await rig.notified()).map(({ kind, incidentId }) => [kind, incidentId === null])).toEqual([
      ['triggered', false],
      ['error', true],
      ['resolved', true],
      ['resolved', false],
    ]);
  });

  test('a rule that measures something else starts over, and one that is deleted leaves nothing', async () => {
    const alert = await rig.add(spend);
    await rig.insert([{ createdAt: at(0) + 1, cost: usd(10) }]);
    const evaluator = await rig.open();
    await steps(evaluator, 1, 1);
    await rig.definitions.replace({ ...alert, rule: { ...spend, metric: 'count' } });
    await steps(evaluator, 2, 2);
    expect(await incidents()).toEqual([{ group: '[]', from: 1, to: 2, peak: 10 }]);
    expect((await rig.notified()).map(({ kind }) => kind)).toEqual(['triggered', 'resolved']);
    await rig.definitions.remove(tenant, alert.id);
    await steps(evaluator, 3, 3);
    expect(await incidents()).toEqual([]);
    expect(await rig.events.queries.selectFrom('alert_rules_seen').selectAll().execute()).toEqual([]);
  });

  test('what ends because the rule measures something else is told in the words of before', async () => {
    const alert = await rig.add({ ...spend, grouping: [{ property: 'Team' }], new_group_delay_ms: 0 });
    await rig.insert([{ createdAt: at(0) + 1, cost: usd(10), ...team('a') }]);
    const evaluator = await rig.open();
    await steps(evaluator, 1, 1);
    await rig.definitions.replace({ ...alert, rule: { ...spend, metric: 'latency', grouping: ['user'], time_window: 30_000 } });
    await steps(evaluator, 2, 2);
    const [, ended] = await rig.notified();
    expect(ended).toMatchObject({
      kind: 'resolved',
      metric: 'cost',
      unit: 'usd',
      peak: 10,
      groups: [{ group: { 'properties.Team': 'a' }, value: null }],
      window: { from: at(2) - 60_000, to: at(2) },
      reason: 'The rule measures something else now.',
    });
    const [incident] = await rig.events.queries.selectFrom('alert_incidents').selectAll().execute();
    expect(incident).toMatchObject({ dimensions: '["properties.Team"]', group_key: '["a"]', ended_at: at(2) });
    const rows = await rig.events.queries.selectFrom('alert_history').selectAll().where('state', '=', 'ok').execute();
    expect(rows).toMatchObject([{ dimensions: '["properties.Team"]', group_key: '["a"]' }]);
  });

  test('a baseline: percent of the same hours of the days before, without the days that have none', async () => {
    const dayMs = 86_400_000;
    await rig.add({ ...spend, metric: 'count', threshold: 300, baseline: { days: 4 }, time_window: 60_000 });
    // Two a day on three of four days; a request beside the window does not count.
    const past = [1, 2, 4].flatMap((days) => [1, 2, 60_500].map((ms) => ({ createdAt: at(0) - days * dayMs + ms })));
    await rig.insert([...past, ...[1, 2, 3, 4, 5].map((ms) => ({ createdAt: at(5) + ms }))]);
    const evaluator = await rig.open();
    await steps(evaluator, 6, 6);
    expect(await incidents()).toEqual([]);
    await rig.insert([{ createdAt: at(6) + 1 }]);
    await steps(evaluator, 6, 6);
    expect(await incidents()).toEqual([]);
  });
});

/** How long the requests come, and after how many steps the longest window over them has passed. */
const trafficMs = byLength(300_000, 600_000);
const lastStep = trafficMs / intervalMs + 10;

/** Requests of five teams, with gaps. */
function traffic(): readonly Partial<RequestRecord>[] {
  let state = 7;
  const random = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: 150 }, () => ({
    createdAt: at(0) + Math.floor(random() * trafficMs),
    cost: usd(Math.floor(random() * 8)),
    status: random() < 0.3 ? 500 : 200,
    latencyMs: Math.floor(random() * 900),
    ...team('abcde'[Math.floor(random() * 5)] ?? 'a'),
  }));
}

const shortly = { recover_after_ms: 30_000, new_group_delay_ms: 20_000 };
const variety: Readonly<Record<string, AlertRule>> = {
  'a sum by a property': { ...spend, ...shortly, grouping: [{ property: 'Team' }] },
  'a quantile': {
    name: 'p',
    metric: 'latency',
    aggregation: 'percentile',
    percentile: 90,
    threshold: 800,
    time_window: 45_000,
    for_ms: 20_000,
    ...shortly,
  },
  'a share, kept without data': {
    name: 'e',
    metric: 'response.status',
    threshold: 40,
    time_window: 30_000,
    no_data: 'keep',
    ...shortly,
    grouping: [{ property: 'Team' }],
  },
  'no data': {
    name: 'n',
    metric: 'avg_latency',
    threshold: 1000,
    time_window: 30_000,
    no_data: 'alert',
    ...shortly,
    grouping: [{ property: 'Team' }],
  },
  'too few, by model': { name: 'f', metric: 'count', comparison: 'lt', threshold: 12, time_window: 60_000, ...shortly },
  'a calendar day': {
    name: 'c',
    metric: 'cost',
    threshold: 100,
    window: { calendar: 'day', timezone: 'Asia/Kathmandu' },
    ...shortly,
    grouping: ['model'],
  },
};

/** A database whose transactions fail where the caller says. */
function failingAt(events: EventsDatabase, isHit: () => boolean): EventsDatabase {
  const queries = new Proxy(events.queries, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (name !== 'connection') return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      return () => ({
        execute: (work: (one: typeof events.queries) => Promise<unknown>) =>
          target.connection().execute((one) =>
            work(
              new Proxy(one, {
                get: (own, key) => {
                  if ((key === 'insertInto' || key === 'deleteFrom' || key === 'updateTable') && isHit()) throw new Error('killed');
                  const value: unknown = Reflect.get(own, key);
                  return typeof value === 'function' ? (value.bind(own) as unknown) : value;
                },
              }),
            ),
          ),
      });
    },
  });
  return { ...events, queries };
}

describe.each(Object.entries(variety))('%s', (_, rule) => {
  test('the preview over the same requests has the incidents of the evaluator', async () => {
    await rig.add(rule);
    await rig.insert(traffic());
    const evaluator = await rig.open();
    await steps(evaluator, 0, lastStep);
    const {
      isExact,
      stepMs,
      incidents: previewed,
    } = await previewAlert(rig.store.run, {
      organizationId: tenant,
      rule,
      range: { from: at(0), to: at(lastStep) },
      intervalMs,
    });
    expect({ isExact, stepMs }).toEqual({ isExact: true, stepMs: intervalMs });
    const live = await incidents();
    const [first] = rig.definitions.all();
    if (first === undefined) throw new Error('There is no rule.');
    const { plan } = evaluator.readyOf(first);
    const shown = previewed.map(({ group, startedAt, endedAt, peak }) => ({
      group,
      from: step(startedAt),
      to: endedAt === null ? null : step(endedAt),
      peak,
    }));
    const expected = live.map(({ group, ...rest }) => ({ group: shownGroup(plan.dimensions, JSON.parse(group) as string[]), ...rest }));
    expect(shown.toSorted(order)).toEqual(expected.toSorted(order));
    expect(live.length).toBeGreaterThan(0);
  });
});

test.each(byLength(['no data'], ['a sum by a property', 'no data', 'a calendar day']))(
  '%s: a kill at any write and a restart loses and doubles no incident and no message',
  async (named) => {
    await rig.add(variety[named] ?? spend);
    await rig.insert(traffic());
    const last = byLength(16, 40);
    await steps(await rig.open(), 0, last);
    const [calm, calmTold] = [await incidents(), (await rig.notified()).map(({ kind, groups, at: when }) => [kind, groups.length, when])];
    for (const table of [
      'alert_groups',
      'alert_incidents',
      'alert_history',
      'alert_rules_seen',
      'alert_progress',
      'alert_windows',
      'deliveries',
    ] as const) {
      await rig.events.queries.deleteFrom(table).execute();
    }
    let writes = 0;
    let kills = 0;
    for (let index = 0; index <= last; index += 1) {
      // Each attempt of the step is killed one write later than the one before, until it gets through.
      for (let passing = 0; ; passing += 1) {
        writes = 0;
        const events = failingAt(rig.events, () => (writes += 1) > passing);
        try {
          await (await rig.open({ events })).evaluateAt(at(index));
          break;
        } catch (error) {
          if (!String(error).includes('killed')) throw error;
          kills += 1;
        }
      }
    }
    expect(await incidents()).toEqual(calm);
    expect((await rig.notified()).map(({ kind, groups, at: when }) => [kind, groups.length, when])).toEqual(calmTold);
    expect(kills).toBeGreaterThan(last);
  },
);
