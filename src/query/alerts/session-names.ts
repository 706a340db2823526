import { allOf, anyOf, condition, type FilterNode } from '../filter/ast.ts';
import { utc } from '../metrics/buckets.ts';
import type { MetricsPlan } from '../metrics/plan.ts';
import type { MetricsRow } from '../metrics/statement.ts';
import type { GroupValue } from './groups.ts';
import type { AlertPlan } from './plan.ts';

/** The conditions of a filter are limited. */
const maxSessions = 500;
const maxNames = 10_000;

type ShownGroup = Readonly<Record<string, GroupValue>>;

/** The sessions among groups, those of the first groups; none of a rule that does not group by sessions. */
export function sessionsOf(groups: readonly ShownGroup[]): readonly string[] {
  const named = groups.flatMap(({ session }) => (typeof session === 'string' && session !== '' ? [session] : []));
  return [...new Set(named)].slice(0, maxSessions);
}

/** Which names some sessions have. @param within bounds of time. */
export function sessionNamesPlan(
  { tenant }: AlertPlan,
  [first, ...others]: readonly [string, ...string[]],
  within: FilterNode,
): MetricsPlan {
  return {
    tenant,
    filter: allOf([within, anyOf([isSession(first), ...others.map(isSession)])]),
    metrics: ['count'],
    dimensions: [
      { kind: 'column', name: 'session' },
      { kind: 'column', name: 'session_name' },
    ],
    interval: undefined,
    zone: utc,
    // Of several names of one session that of most requests is the last.
    sort: [{ by: 'count', direction: 'asc' }],
    limit: maxNames,
    offset: 0,
    other: false,
    totals: false,
  };
}

function isSession(id: string): FilterNode {
  const reference = { group: 'sessions_request_response_rmt', field: 'session_session_id' } as const;
  return condition(reference, { family: 'text', operator: 'equals', value: id });
}

/** @param rows of {@link sessionNamesPlan}. */
export function sessionNamesOf(rows: readonly MetricsRow[]): ReadonlyMap<string, string> {
  return new Map(
    rows.flatMap(({ dimension_0: session, dimension_1: name }) =>
      typeof session === 'string' && typeof name === 'string' && name !== '' ? [[session, name]] : [],
    ),
  );
}
