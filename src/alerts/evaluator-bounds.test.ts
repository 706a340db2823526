import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AlertRule } from '../contract/events/alerts.ts';
import type { OrganizationId } from '../model/ids.ts';
import type { RequestRecord } from '../model/record/request-record.ts';
import { groupBytes } from './machine/evaluate.ts';
import type { Evaluator } from './evaluator.ts';
import { type AlertRig, intervalMs, openAlertRig, start } from './testing/alert-harness.ts';

let rig: AlertRig;
beforeEach(async () => {
  rig = await openAlertRig();
});
afterEach(async () => rig.close());

const other = '01970000-0000-7000-8000-00000000000b' as OrganizationId;
const at = (step: number): number => start + step * intervalMs;
const usd = (amount: number) => (BigInt(amount * 1e6) * 1_000_000n) as RequestRecord['cost'];
const spend: AlertRule = { name: 'Spend', metric: 'cost', threshold: 10, time_window: 3_600_000, grouping: 'user', new_group_delay_ms: 0 };
const users = 1500;
const maxBytes = 1024 * 1024;

/** Costs of 1 to 15 dollars: those from 10 on fire. */
const costOf = (index: number): number => 1 + (index % 15);

async function spendOfUsers(count: number, given: Partial<RequestRecord> = {}): Promise<void> {
  await rig.insert(
    Array.from({ length: count }, (_, index) => ({ createdAt: at(0) + 1, cost: usd(costOf(index)), userId: `user-${index}`, ...given })),
  );
}

const bytesOf = (evaluator: Evaluator, ids: readonly string[]): number =>
  ids.flatMap((id) => [...evaluator.stateOf(id).memories.keys()]).reduce((sum, key) => sum + groupBytes(key), 0);
const firing = (evaluator: Evaluator, id: string): number =>
  [...evaluator.stateOf(id).memories.values()].filter(({ state }) => state === 'firing').length;

describe('groups of all rules of an organisation', () => {
  test('have one bound, which small rules do not feel and large ones share; what is left out is said, and no other organisation notices', async () => {
    const large: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      // Other windows, so that each rule has its own values.
      large.push((await rig.add({ ...spend, name, time_window: 3_600_000 + large.length * 1000 })).id);
    }
    const small = (await rig.add({ ...spend, name: 'small', filter: { request_response_rmt: { user_id: { like: 'user-12%' } } } })).id;
    const theirs = (await rig.add({ ...spend, name: 'theirs' }, { organizationId: other })).id;
    await spendOfUsers(users);
    await spendOfUsers(users, { organizationId: other });
    const evaluator = await rig.open({ groupsMaxBytes: maxBytes });
    for (const step of [1, 2, 3]) await evaluator.evaluateAt(at(step));
    expect(bytesOf(evaluator, [...large, small])).toBeLessThanOrEqual(maxBytes);
    const sizes = large.map((id) => evaluator.stateOf(id).memories.size);
    expect(Math.min(...sizes)).toBeGreaterThan(0.8 * Math.max(...sizes));
    for (const id of large) {
      const { memories, groupsLeftOut } = evaluator.stateOf(id);
      expect(groupsLeftOut).toBe(users - memories.size);
      // The most severe have a state.
      expect(firing(evaluator, id)).toBe(Math.min(memories.size, users * 0.4));
    }
    expect(evaluator.stateOf(small)).toMatchObject({ groupsLeftOut: 0, memories: { size: 111 } });
    expect(evaluator.stateOf(theirs)).toMatchObject({ groupsLeftOut: 0, memories: { size: users } });
  });

  test('that were stored are read within it, and incidents of those that are not end', async () => {
    const id = (await rig.add(spend)).id;
    const theirs = (await rig.add({ ...spend, name: 'theirs' }, { organizationId: other })).id;
    await spendOfUsers(3000);
    await spendOfUsers(100, { organizationId: other });
    await (await rig.open()).evaluateAt(at(1));
    const before = await rig.events.queries.selectFrom('alert_groups').select('group_key').execute();
    expect(before).toHaveLength(1200 + 37);
    const bound = 100 * 1024;
    const again = await rig.open({ groupsMaxBytes: bound });
    const { memories } = again.stateOf(id);
    expect(bytesOf(again, [id])).toBeLessThanOrEqual(bound);
    expect(memories.size).toBeGreaterThan(200);
    expect(again.stateOf(theirs).memories.size).toBe(37);
    const left = await rig.events.queries.selectFrom('alert_groups').select('group_key').where('rule_id', '=', id).execute();
    expect(new Set(left.map(({ group_key: key }) => key))).toEqual(new Set(memories.keys()));
    const open = await rig.events.queries
      .selectFrom('alert_incidents')
      .select('group_key')
      .where('rule_id', '=', id)
      .where('ended_at', 'is', null)
      .execute();
    expect(new Set(open.map(({ group_key: key }) => key))).toEqual(new Set(memories.keys()));
    await again.evaluateAt(at(2));
    expect(again.stateOf(id).groupsLeftOut).toBe(3000 - again.stateOf(id).memories.size);
  });
});
