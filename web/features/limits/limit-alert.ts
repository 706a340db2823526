import { searchFor } from '../../lib/search-text.ts';
import type { NewAlertSearch } from '../alerts/search.ts';
import type { Policy } from './policy.ts';

/** Of its amount: where an alert on a limit fires, before calls are refused. */
const alertShare = 0.8;

/** An alert on the requests of a limit, as the form of rules begins. @param value the only one of its segment that the limit counts. */
export function alertBefore({ quota, unit, window, segment }: Policy, value?: string): NewAlertSearch {
  return {
    ...(unit === 'cents'
      ? { metric: 'cost' as const, threshold: Number(((quota * alertShare) / 100).toFixed(8)) }
      : { metric: 'count' as const, threshold: Math.ceil(Number((quota * alertShare).toFixed(6))) }),
    ...(typeof window === 'number' ? { minutes: window / 60 } : { calendar: window.unit, zone: window.timezone }),
    ...requestsOf(segment, value),
  };
}

function requestsOf(segment: string | undefined, value: string | undefined): Pick<NewAlertSearch, 'by' | 'q'> {
  if (segment === undefined) return {};
  const dimension = segment === 'user' ? 'user' : `properties.${segment}`;
  return value === undefined ? { by: [dimension] } : { q: searchFor(dimension, value) };
}
