import { minBaselineDays } from '../../model/events/alert-vocabulary.ts';
import { groupKeyOf } from '../../query/alerts/groups.ts';
import type { AlertPlan } from '../../query/alerts/plan.ts';
import type { Sample, Samples } from '../../query/alerts/statement.ts';

/**
 * What a rule compares with its threshold: the value of each group, or with a baseline its percent of the mean of the same hours of the
 * days before. A day without requests tells nothing of a usual one and is left out; with fewer than three days there is no value, so that
 * a new deployment or a new group raises no alarm.
 */
export function comparedSamples({ baselineDays }: Pick<AlertPlan, 'baselineDays'>, [current = [], ...before]: Samples): readonly Sample[] {
  if (baselineDays === 0) return current;
  const past = new Map<string, number[]>();
  for (const { group, value } of before.flat()) {
    if (value === null) continue;
    const key = groupKeyOf(group);
    const values = past.get(key);
    if (values === undefined) past.set(key, [value]);
    else values.push(value);
  }
  const least = Math.min(minBaselineDays, baselineDays);
  return current.map((sample) => ({ ...sample, value: percentOf(sample.value, past.get(groupKeyOf(sample.group)) ?? [], least) }));
}

function percentOf(value: number | null, past: readonly number[], least: number): number | null {
  if (value === null || past.length < least) return null;
  const mean = past.reduce((sum, one) => sum + one, 0) / past.length;
  return mean === 0 ? null : (100 * value) / mean;
}
