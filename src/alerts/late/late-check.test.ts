import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AlertRule } from '../../contract/events/alerts.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { tenant } from '../../query/testing/query-harness.ts';
import type { Evaluator } from '../evaluator.ts';
import { type AlertRig, intervalMs, openAlertRig, start } from '../testing/alert-harness.ts';
import { DirtyMinutes } from './dirty-minutes.ts';
import { checkLate } from './late-check.ts';

const rule: AlertRule = { name: 'Spend', metric: 'cost', threshold: 10, time_window: 60_000, recover_after_ms: 0 };
const usd = (amount: number) => (BigInt(amount * 1e6) * 1_000_000n) as RequestRecord['cost'];
const named = (name: string) => ({ properties: new Map([['Tenant', name]]) });
const at = (step: number): number => start + step * intervalMs;

let rig: AlertRig;
let changed: DirtyMinutes;
beforeEach(async () => {
  rig = await openAlertRig();
  changed = new DirtyMinutes(() => start);
  rig.store.rowChanges.watch(changed.note);
});
afterEach(async () => rig.close());

async function steps(evaluator: Evaluator, from: number, to: number): Promise<void> {
  for (let step = from; step <= to; step += 1) await evaluator.evaluateAt(at(step));
}

function fails(): never {
  throw new Error('the database is away');
}

async function check(evaluator: Evaluator, step: number, events = rig.events): Promise<number> {
  const ready = rig.definitions.of(tenant).map((alert) => evaluator.readyOf(alert));
  const options = { changed, run: rig.store.run, events, linkOf: () => '', subscribers: () => [], outbox: { wake: () => undefined } };
  return checkLate(options, tenant, ready, { at: at(step), signal: new AbortController().signal, maxMs: 10_000 });
}

async function lateRows() {
  const rows = await rig.events.queries.selectFrom('alert_history').selectAll().where('late', '=', 1).orderBy('seq').execute();
  return rows.map((row) => ({
    from: (row.window_from - start) / intervalMs,
    state: row.state,
    before: row.value_before,
    after: row.value,
    isIncident: row.incident_id !== null,
  }));
}

describe('a request that is stored after its window has ended', () => {
  test('and that the rule would have fired for, is an incident that is told as begun and ended', async () => {
    await rig.add(rule);
    const evaluator = await rig.open();
    await rig.insert([{ createdAt: at(1) + 1, cost: usd(4) }]);
    await steps(evaluator, 0, 30);
    await rig.insert([{ createdAt: at(2), cost: usd(7) }]);
    await steps(evaluator, 31, 31);
    expect(await rig.notified()).toEqual([]);
    // Windows end at every sixth step: two have the minute.
    expect(await check(evaluator, 31)).toBeGreaterThan(0);
    expect(await lateRows()).toEqual([{ from: 0, state: 'firing', before: 4, after: 11, isIncident: true }]);
    expect(
      (await rig.notified()).map(({ kind, reason, peak, startedAt, open }) => [
        kind,
        reason?.includes('stored late'),
        peak,
        startedAt,
        open,
      ]),
    ).toEqual([
      ['triggered', true, 11, at(6), 1],
      ['resolved', true, 11, at(6), 0],
    ]);
    const [incident] = await rig.events.queries.selectFrom('alert_incidents').selectAll().execute();
    expect(incident).toMatchObject({ late: 1, started_at: at(6), ended_at: at(6), peak: 11, window_from: at(0), window_to: at(6) });
    // Once told, it is known.
    await rig.insert([{ createdAt: at(2) + 1, cost: usd(1) }]);
    await check(evaluator, 40);
    expect(await lateRows()).toEqual([
      { from: 0, state: 'firing', before: 4, after: 11, isIncident: true },
      { from: 0, state: 'ok', before: 11, after: 12, isIncident: false },
    ]);
    expect(await rig.notified()).toHaveLength(2);
  });

  test('and that alters a value alone, is told in the history, with the value before and after', async () => {
    await rig.add(rule);
    const evaluator = await rig.open();
    await rig.insert([{ createdAt: at(1) + 1, cost: usd(4) }]);
    await steps(evaluator, 0, 30);
    await check(evaluator, 30);
    await rig.insert([{ createdAt: at(2), cost: usd(1) }]);
    await check(evaluator, 31);
    expect(await lateRows()).toEqual([{ from: 0, state: 'ok', before: 4, after: 5, isIncident: false }]);
    expect(await rig.notified()).toEqual([]);
  });

  test('and shortly after its end, is no news unless the rule would have fired', async () => {
    await rig.add(rule);
    const evaluator = await rig.open();
    await steps(evaluator, 0, 6);
    await rig.insert([{ createdAt: at(2), cost: usd(1) }]);
    await check(evaluator, 7);
    expect(await lateRows()).toEqual([]);
    await rig.insert([{ createdAt: at(3), cost: usd(1) }]);
    await check(evaluator, 30);
    expect(await lateRows()).toEqual([{ from: 0, state: 'ok', before: 1, after: 2, isIncident: false }]);
  });

  test('and whose group has fired, is no second incident', async () => {
    await rig.add(rule);
    const evaluator = await rig.open();
    await rig.insert([{ createdAt: at(1) + 1, cost: usd(14) }]);
    await steps(evaluator, 0, 30);
    await rig.insert([{ createdAt: at(2), cost: usd(7) }]);
    await check(evaluator, 31);
    expect(await lateRows()).toEqual([{ from: 0, state: 'ok', before: 14, after: 21, isIncident: false }]);
    expect(await rig.events.queries.selectFrom('alert_incidents').selectAll().execute()).toHaveLength(1);
  });

  test('and whose window has more groups than are kept, is the only one that is told', async () => {
    await rig.add({ ...rule, grouping: [{ property: 'Tenant' }], new_group_delay_ms: 0 });
    const evaluator = await rig.open();
    await rig.insert(
      Array.from({ length: 150 }, (_, index) => ({ createdAt: at(1) + 1, cost: usd(index < 120 ? 2 : 1), ...named(`t${index}`) })),
    );
    await steps(evaluator, 0, 12);
    await check(evaluator, 30);
    await rig.insert([
      { createdAt: at(2), cost: usd(7), ...named('t140') },
      { createdAt: at(2), cost: usd(12), ...named('new') },
    ]);
    await check(evaluator, 31);
    const rows = await rig.events.queries.selectFrom('alert_history').selectAll().where('late', '=', 1).orderBy('seq').execute();
    expect(rows.map(({ group_key: key, state, value_before: before, value }) => [key, state, before, value])).toEqual([
      ['["new"]', 'firing', null, 12],
      ['["t140"]', 'ok', null, 8],
    ]);
  });

  test('and that the rule would have fired for in many groups, is told once, with all of them', async () => {
    await rig.add({ ...rule, grouping: [{ property: 'Tenant' }], new_group_delay_ms: 0 });
    const evaluator = await rig.open();
    await rig.insert([{ createdAt: at(1) + 1, cost: usd(1), ...named('t0') }]);
    await steps(evaluator, 0, 30);
    await rig.insert(Array.from({ length: 150 }, (_, index) => ({ createdAt: at(2), cost: usd(11 + index), ...named(`t${index}`) })));
    await check(evaluator, 31);
    const notified = await rig.notified();
    expect(notified.map(({ kind, groups, more, open, peak }) => [kind, groups.length, more, open, peak])).toEqual([
      ['triggered', 50, 100, 150, 160],
      ['resolved', 50, 100, 0, 160],
    ]);
    expect(notified[0]?.groups[0]).toEqual({ group: { 'properties.Tenant': 't149' }, value: 160 });
    expect(await rig.events.queries.selectFrom('alert_incidents').selectAll().execute()).toHaveLength(150);
  });

  test('and whose window has more groups without a value than are kept, tells of none of those', async () => {
    const slow: Partial<AlertRule> = { metric: 'time_to_first_token', aggregation: 'avg', comparison: 'lt', threshold: 10 };
    await rig.add({ ...rule, ...slow, grouping: [{ property: 'Tenant' }], new_group_delay_ms: 0 });
    const evaluator = await rig.open();
    await rig.insert([
      ...Array.from({ length: 150 }, (_, index) => ({ createdAt: at(1) + 1, timeToFirstTokenMs: null, ...named(`none${index}`) })),
      ...Array.from({ length: 20 }, (_, index) => ({ createdAt: at(1) + 1, timeToFirstTokenMs: 100 + index, ...named(`t${index}`) })),
    ]);
    await steps(evaluator, 0, 12);
    await check(evaluator, 30);
    await rig.insert([{ createdAt: at(2), timeToFirstTokenMs: 20, ...named('t0') }]);
    await check(evaluator, 31);
    expect(await lateRows()).toEqual([{ from: 0, state: 'ok', before: 100, after: 60, isIncident: false }]);
  });

  test('is found by the next check when one fails', async () => {
    await rig.add(rule);
    const evaluator = await rig.open();
    await rig.insert([{ createdAt: at(1) + 1, cost: usd(4) }]);
    await steps(evaluator, 0, 30);
    await check(evaluator, 30);
    await rig.insert([{ createdAt: at(2), cost: usd(1) }]);
    const broken = { ...rig.events, queries: new Proxy(rig.events.queries, { get: () => () => fails() }) };
    await expect(check(evaluator, 31, broken)).rejects.toThrow('the database is away');
    expect(await check(evaluator, 31)).toBe(1);
    expect(await lateRows()).toEqual([{ from: 0, state: 'ok', before: 4, after: 5, isIncident: false }]);
  });

  test('what was not changed is not measured again', async () => {
    await rig.add(rule);
    const evaluator = await rig.open();
    await rig.insert([{ createdAt: at(1) + 1, cost: usd(4) }]);
    await steps(evaluator, 0, 60);
    await check(evaluator, 60);
    expect(await check(evaluator, 60)).toBe(0);
    await rig.insert([{ createdAt: at(2), cost: usd(1) }]);
    expect(await check(evaluator, 60)).toBe(1);
  });
});

test('minutes of one organisation are ranges, and any request stands for the last day', () => {
  const minutes = new DirtyMinutes(() => start);
  for (const ms of [0, 59_999, 60_000, 240_000]) minutes.note(1n, ms);
  const organization = '00000000-0000-0000-0000-000000000001' as typeof tenant;
  expect(minutes.take(organization)).toEqual([
    { from: 0, to: 120_000 },
    { from: 240_000, to: 300_000 },
  ]);
  expect(minutes.take(organization)).toEqual([]);
  minutes.note(1n, undefined);
  expect(minutes.take(organization)).toEqual([{ from: start - 86_400_000, to: start + 60_000 }]);
});

test('minutes of an organisation whose rules are off are not kept', async () => {
  const evaluator = await rig.open({ late: { check: async () => 0, retain: (organizations) => changed.retain(organizations) } });
  await rig.insert([{ createdAt: at(1) }]);
  await evaluator.evaluateAt(at(2));
  expect(changed.take(tenant)).toEqual([]);
});

test('beyond so many minutes the last day stands for all, and no minute more is kept', () => {
  const minutes = new DirtyMinutes(() => start);
  for (let minute = 0; minute < 20_000; minute += 1) minutes.note(1n, 2 * minute * 60_000);
  for (let index = 0; index < 1000; index += 1) minutes.note(1n, (100_000 + 2 * index) * 60_000);
  const ranges = minutes.take('00000000-0000-0000-0000-000000000001' as typeof tenant);
  expect(ranges).toContainEqual({ from: start - 86_400_000, to: start + 60_000 });
  expect(ranges).toHaveLength(20_001);
});
