import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AlertRule } from '../contract/events/alerts.ts';
import type { OrganizationId } from '../model/ids.ts';
import { type AlertRig, intervalMs, openAlertRig, start } from './testing/alert-harness.ts';

let rig: AlertRig;
beforeEach(async () => {
  rig = await openAlertRig();
});
afterEach(async () => rig.close());

const organization = (letter: string): OrganizationId => `01970000-0000-7000-8000-00000000000${letter}` as OrganizationId;
const dear = ['a', 'b', 'c', 'd', 'e'].map(organization);
const cheap = organization('f');
const spend: AlertRule = { name: 'Spend', metric: 'cost', threshold: 10, time_window: 60_000 };
/** Each is a statement of its own. */
const searches = Array.from({ length: 20 }, (_, index): AlertRule => {
  return { ...spend, name: `search ${index}`, filter: { request: { prompt: { contains: `word ${index}` } } } };
});

test('organisations whose rules take long come last, and all of them take less than half a minute of a round', async () => {
  for (const organizationId of dear) for (const rule of searches) await rig.add(rule, { organizationId });
  await rig.add(spend, { organizationId: cheap });
  let now = 0;
  let asked: OrganizationId[] = [];
  const evaluator = await rig.open({
    clock: { now: () => start, monotonic: () => now },
    run: (statement, ...rest) => {
      const { tenant } = statement;
      asked.push(tenant);
      now += tenant === cheap ? 10 : 1000;
      return rig.store.run(statement, ...rest);
    },
  });
  await evaluator.evaluateAt(start + intervalMs);
  asked = [];
  const since = now;
  await evaluator.evaluateAt(start + 2 * intervalMs);
  expect(asked[0]).toBe(cheap);
  expect(new Set(asked).size).toBe(6);
  expect(now - since).toBeLessThan(30_000);
  const unreached = [...rig.definitions.all()].map(({ id }) => evaluator.stateOf(id).seen?.error ?? '').filter((error) => error !== '');
  expect(unreached.every((error) => error.includes('was not reached'))).toBe(true);
});
