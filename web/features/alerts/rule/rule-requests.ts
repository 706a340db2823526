import type { NewAlert } from '../../../../src/client/client.ts';
import { metrics } from '../../../../src/model/vocabulary/metrics.ts';
import { windowAt } from '../../../../src/query/alerts/windows.ts';
import { searchOfFilter } from '../../../lib/filter-text.ts';
import type { DimensionValue } from '../../../lib/metrics/dimensions.ts';
import { requestsOfGroup, requestsOfMetric } from '../../../lib/metrics/requests-of.ts';
import type { RequestsOfBucket } from '../../../ui/chart/chart-data.ts';

/** The API's window of a rule that says none. */
const standardWindowMs = 3_600_000;

export type MeasuredRule = Pick<NewAlert, 'metric' | 'filter' | 'time_window' | 'window'>;

/**
 * The requests that a rule measured at a time: those of the window that ended then. @param group of one group alone. @returns undefined
 * where no search says which they are.
 */
export function requestsOfRule(
  { metric, filter, time_window: ms = standardWindowMs, window }: MeasuredRule,
  at: number,
  group: Readonly<Record<string, DimensionValue>> = {},
): RequestsOfBucket | undefined {
  const q = searchOfFilter(filter);
  if (q === undefined) return undefined;
  const calendar = window ?? undefined;
  const range = windowAt(
    calendar === undefined ? { kind: 'rolling', ms } : { kind: 'calendar', unit: calendar.calendar, timezone: calendar.timezone ?? 'UTC' },
    at,
  );
  const asked = { q, range, by: Object.keys(group), key: Object.values(group) };
  const found = isNamed(metric) ? requestsOfMetric(asked, metric) : requestsOfGroup(asked);
  return found === undefined ? undefined : { ...range, q: found.q };
}

function isNamed(metric: NewAlert['metric']): metric is NewAlert['metric'] & keyof typeof metrics {
  return Object.hasOwn(metrics, metric);
}
