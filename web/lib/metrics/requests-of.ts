import { type AskedMetric, definitionOf } from '../../../src/model/vocabulary/metrics.ts';
import type { RequestsOfSeries } from '../../ui/chart/chart-data.ts';
import type { RangeSearch } from '../time-range.ts';
import { type Dimension, searchAnd, searchOfKey } from './dimensions.ts';
import type { GroupKey } from './groups.ts';

/** A group of requests; without a dimension all that a page counts. */
export interface GroupRequests {
  /** The search of the page. */
  readonly q: string | undefined;
  readonly range: RangeSearch;
  readonly by: readonly Dimension[];
  readonly key: GroupKey;
}

/** @returns undefined where no search says which requests they are. */
export function requestsOfGroup({ q = '', range, by, key }: GroupRequests): RequestsOfSeries | undefined {
  const search = searchOfKey(q, by, key);
  return search === undefined ? undefined : { ...range, q: search === '' ? undefined : search };
}

/** Of what counts some requests only, the search for those; null: none says it. */
const searches: Readonly<Partial<Record<AskedMetric, string | null>>> = {
  errors: 'failed:true',
  left: 'status:499',
  cached_count: 'cached:true',
  threats: 'threat:true',
  unpriced_count: null,
};

/** Whether a metric counts every request of a group, so that it leads where the name of the group does. */
export function countsAll(metric: AskedMetric): boolean {
  return searches[metric] === undefined;
}

/** The requests of a group that a metric counts. @returns undefined where no search says which they are. */
export function requestsOfMetric(group: GroupRequests, metric: AskedMetric): RequestsOfSeries | undefined {
  const search = searches[metric];
  const whole = search === null ? undefined : requestsOfGroup(group);
  if (whole === undefined || search === undefined || search === null) return whole;
  const q = searchAnd(whole.q ?? '', search);
  return q === undefined ? undefined : { ...whole, q };
}

/** As {@link requestsOfMetric}, of a value that is known; a number of 0 requests leads to none. */
export function requestsOfFigure(
  group: GroupRequests,
  metric: AskedMetric,
  value: number | null | undefined,
): RequestsOfSeries | undefined {
  if (value === null || value === undefined) return undefined;
  return value === 0 && definitionOf(metric).unit === 'requests' ? undefined : requestsOfMetric(group, metric);
}
