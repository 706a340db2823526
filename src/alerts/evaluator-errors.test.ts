import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AlertRule } from '../contract/events/alerts.ts';
import type { RequestRecord } from '../model/record/request-record.ts';
import { tenant } from '../query/testing/query-harness.ts';
import type { Evaluator } from './evaluator.ts';
import type { Alert } from './machine/rule.ts';
import { type AlertRig, intervalMs, openAlertRig, start } from './testing/alert-harness.ts';

let rig: AlertRig;
beforeEach(async () => {
  rig = await openAlertRig();
});
afterEach(async () => rig.close());

const spend: AlertRule = { name: 'Spend', metric: 'cost', threshold: 10, time_window: 60_000, recover_after_ms: 20_000 };
const usd = (amount: number) => (BigInt(amount * 1e6) * 1_000_000n) as RequestRecord['cost'];
const at = (step: number): number => start + step * intervalMs;
const other = '01970000-0000-7000-8000-00000000ffff' as typeof tenant;

const channelOf = (id: string) => ({ kind: 'channel', alertId: id, channelId: 'pager' });

async function steps(evaluator: Evaluator, from: number, to: number): Promise<void> {
  for (let step = from; step <= to; step += 1) await evaluator.evaluateAt(at(step));
}

/** All that the database has of groups. */
async function everything(): Promise<string> {
  const tables = ['alert_groups', 'alert_incidents', 'alert_history', 'alert_windows'] as const;
  return JSON.stringify(await Promise.all(tables.map((table) => rig.events.queries.selectFrom(table).selectAll().execute())));
}

test('a rule that cannot be evaluated at all, as of a later version, keeps no other from it', async () => {
  await rig.add({ ...spend, name: 'Broken', metric: 'of a later version' }, { organizationId: other });
  await rig.add({ ...spend, name: 'Broken', metric: 'of a later version' });
  await rig.add(spend);
  await rig.insert([{ createdAt: at(0) + 1, cost: usd(10) }]);
  await expect((await rig.open()).evaluateAt(at(1))).rejects.toThrow(/was stored although it is not valid/);
  expect((await rig.notified()).map(({ kind, ruleName }) => [kind, ruleName])).toEqual([['triggered', 'Spend']]);
});

test('what fails for one organisation keeps no other from it', async () => {
  await rig.add(spend, { organizationId: other });
  await rig.add(spend);
  await rig.insert([{ createdAt: at(0) + 1, cost: usd(10) }]);
  const evaluator = await rig.open({
    definitions: new Proxy(rig.definitions, {
      get: (target, name) => {
        if (name === 'find') {
          return (organization: typeof tenant, id: Alert['id']) => {
            if (organization === other) throw new Error('a fault');
            return target.find(organization, id);
          };
        }
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    }),
  });
  await expect(evaluator.evaluateAt(at(1))).rejects.toThrow('a fault');
  expect((await rig.notified()).map(({ kind }) => kind)).toEqual(['triggered']);
});

test('a rule that is deleted ends what it told; its channels are there for a minute, and then the outbox is woken for them', async () => {
  const woken: unknown[] = [];
  const alert = await rig.add(spend);
  const calm = await rig.add({ ...spend, name: 'Calm', threshold: 1000 });
  await rig.insert([{ createdAt: at(0) + 1, cost: usd(10) }]);
  const evaluator = await rig.open({
    outbox: { wake: (targets) => woken.push(...[...targets].map(({ target }) => target)) },
  });
  await steps(evaluator, 1, 1);
  await rig.definitions.remove(tenant, alert.id);
  await rig.definitions.remove(tenant, calm.id);
  await steps(evaluator, 2, 7);
  expect(rig.definitions.deletedRuleIds()).toEqual([alert.id]);
  const [began, ended, ...more] = await rig.notified();
  expect([began?.kind, ended?.kind, more]).toEqual(['triggered', 'resolved', []]);
  expect(ended).toMatchObject({ dedupKey: began?.dedupKey, open: 0, reason: 'The rule was deleted.', groups: [{ group: {} }] });
  expect(await rig.events.queries.selectFrom('alert_incidents').selectAll().execute()).toEqual([]);
  await steps(evaluator, 8, 9);
  expect(rig.definitions.deletedRuleIds()).toEqual([]);
  expect(woken).toEqual([channelOf(alert.id), channelOf(alert.id), channelOf(calm.id), channelOf(alert.id)]);
});

describe('an erased user', () => {
  const byUser: AlertRule = { ...spend, grouping: ['user'], new_group_delay_ms: 0 };
  test('is in no state, incident, history or window any more, and what was told of it ends without its name', async () => {
    const alert = await rig.add(byUser);
    await rig.insert([
      { createdAt: at(0) + 1, cost: usd(11), userId: 'ann "a"' },
      { createdAt: at(3) + 1, cost: usd(12), userId: 'bob' },
    ]);
    const evaluator = await rig.open();
    await steps(evaluator, 1, 7);
    expect(await everything()).toContain('ann');
    await evaluator.eraseMentions(tenant, 'ann "a"');
    expect(await everything()).not.toContain('ann');
    expect(await everything()).toContain('bob');
    expect([...evaluator.stateOf(alert.id).memories.keys()]).toEqual(['["bob"]']);
    const notified = await rig.notified();
    const [first, , last] = notified;
    expect(notified.map(({ kind, groups, open }) => [kind, groups.length, open])).toEqual([
      ['triggered', 1, 1],
      ['triggered', 1, 1],
      ['resolved', 0, 0],
    ]);
    expect(last?.dedupKey).toBe(first?.dedupKey);
    expect(JSON.stringify(last)).not.toContain('ann');
  });

  test('is not written back by a round that measured before', async () => {
    await rig.add(byUser);
    await rig.insert([{ createdAt: at(0) + 1, cost: usd(11), userId: 'ann' }]);
    const evaluator = await rig.open();
    await Promise.all([steps(evaluator, 1, 1), evaluator.eraseMentions(tenant, 'ann')]);
    expect(await everything()).not.toContain('ann');
  });

  test('of another organisation stays', async () => {
    await rig.add(byUser);
    await rig.insert([{ createdAt: at(0) + 1, cost: usd(11), userId: 'ann' }]);
    const evaluator = await rig.open();
    await steps(evaluator, 1, 7);
    const before = await everything();
    await evaluator.eraseMentions(other, 'ann');
    expect(await everything()).toBe(before);
  });
});
