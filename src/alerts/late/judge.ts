import type { AlertIncidentsTable, AlertWindowsTable } from '../../events/schema/alert-tables.ts';
import { groupKeyOf } from '../../query/alerts/groups.ts';
import type { Sample } from '../../query/alerts/statement.ts';
import { maxKeptGroups, valuesKept } from '../evaluation/kept-windows.ts';
import type { ReadyAlert } from '../machine/rule.ts';
import { breaches, gravityRank } from '../machine/state.ts';

/** A window has so long after its end until what is stored of it counts as late: calls of usual length have ended by then. */
const settledAfterMs = 120_000;

/** A value of a window that has ended is another one now. */
export interface LateValue {
  readonly key: string;
  readonly before: number | null;
  readonly after: number | null;
  /** The rule would have fired, and did not. */
  readonly isMissed: boolean;
}

export interface Judged {
  /** Told in the history. */
  readonly late: readonly LateValue[];
  /** Values of all groups now. */
  readonly values: readonly (readonly [key: string, value: number | null])[];
  readonly isChanged: boolean;
}

interface Measured {
  readonly samples: readonly Sample[];
  /** Of the rule, from the window's start. */
  readonly incidents: readonly AlertIncidentsTable[];
  readonly at: number;
}

/**
 * What requests that were stored or changed after a window's end make of its values. A value that is another one is late; shortly after
 * the end, only one that an incident should have come of. The rule has fired for a group when it has an incident at any time from the
 * window's start until another window's length behind its end. Of a group whose value was not kept, among too many, a value is another one
 * when it is graver than all that were not kept. A rule that waits longer than its window before it fires is not fired by
 * one window.
 */
export function judgeWindow({ plan, rules }: ReadyAlert, window: AlertWindowsTable, { samples, incidents, at }: Measured): Judged {
  const before = valuesKept(window);
  const after = new Map(samples.map((sample) => [groupKeyOf(sample.group), sample]));
  const lengthMs = window.ends_at - window.starts_at;
  const isSettled = at - window.ends_at >= settledAfterMs;
  const covered = coveredGroups(window, incidents);
  const none = plan.zeroWithoutRequests ? 0 : null;
  const gravity = (value: number | null): number => gravityRank(value, plan.comparison);
  const isCut = before.size >= maxKeptGroups;
  const leastKept = gravity([...before.values()].at(-1) ?? null);
  const changed = [...new Set([...before.keys(), ...after.keys()])].flatMap((key): readonly LateValue[] => {
    const sample = after.get(key);
    const value = sample === undefined ? none : sample.value;
    const isUnknown = isCut && !before.has(key);
    const known = isUnknown ? null : (before.get(key) ?? none);
    if (isUnknown ? gravity(value) >= leastKept : value === known) return [];
    const isBreach = value !== null && (sample?.count ?? 0) >= rules.minimumCount && breaches(value, rules);
    return [{ key, before: known, after: value, isMissed: isBreach && rules.forMs <= lengthMs && !covered.has(key) }];
  });
  return {
    late: changed
      .filter(({ isMissed }) => isSettled || isMissed)
      .toSorted((one, other) => Number(other.isMissed) - Number(one.isMissed) || gravity(one.after) - gravity(other.after)),
    values: [...after].map(([key, { value }]) => [key, value] as const),
    isChanged: changed.length > 0,
  };
}

function coveredGroups({ starts_at: starts, ends_at: ends }: AlertWindowsTable, incidents: Measured['incidents']): ReadonlySet<string> {
  const open = incidents.filter(({ started_at: from, ended_at: to }) => from <= ends + (ends - starts) && (to === null || to >= starts));
  return new Set(open.map(({ group_key: key }) => key));
}
