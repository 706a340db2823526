import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AlertRule } from '../contract/events/alerts.ts';
import type { RequestRecord } from '../model/record/request-record.ts';
import { shownAlert, shownStates } from './shown.ts';
import { type AlertRig, intervalMs, openAlertRig, start } from './testing/alert-harness.ts';

let rig: AlertRig;
beforeEach(async () => {
  rig = await openAlertRig();
});
afterEach(async () => rig.close());

const usd = (amount: number) => (BigInt(amount * 1e6) * 1_000_000n) as RequestRecord['cost'];
const spent = { a: 12, b: 3, c: 40, d: 7, e: 25 };
const rule: AlertRule = {
  name: 'Spend',
  metric: 'cost',
  threshold: 10,
  time_window: 60_000,
  grouping: [{ property: 'Team' }],
  new_group_delay_ms: 0,
};

test.each([
  ['above', 'gte', ['c', 'e', 'a', 'd', 'b']],
  ['below', 'lt', ['b', 'd', 'a', 'e', 'c']],
] as const)(
  'groups of a rule that fires %s its threshold: those that fire first, the farthest beyond it before the others',
  async (_where, comparison, teams) => {
    const alert = await rig.add({ ...rule, comparison });
    await rig.insert(
      Object.entries(spent).map(([team, amount], index) => ({
        createdAt: start + 1 + index,
        cost: usd(amount),
        properties: new Map([['Team', team]]),
      })),
    );
    const evaluator = await rig.open();
    const at = start + intervalMs;
    await evaluator.evaluateAt(at);
    const shown = shownStates(evaluator.readyOf(alert), evaluator.stateOf(alert.id), at);
    expect(shown.map(({ group }) => Object.values(group)[0])).toEqual(teams);
  },
);

test('a rule has the state of its groups from the moment of a restart on', async () => {
  const alert = await rig.add({ ...rule, grouping: null });
  await rig.insert([{ createdAt: start + 1, cost: usd(40) }]);
  const at = start + intervalMs;
  await (await rig.open()).evaluateAt(at);
  const evaluator = await rig.open();
  const ready = evaluator.readyOf(alert);
  const known = { ready, state: evaluator.stateOf(alert.id), channels: [], lastIncidentAt: null, isDeliveryFailing: false, now: at };
  expect(shownStates(ready, known.state, at).map(({ state }) => state)).toEqual(['firing']);
  expect(shownAlert(alert, known).status.state).toBe('firing');
});
