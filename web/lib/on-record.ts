import { queryOptions, skipToken } from '@tanstack/react-query';
import type { Filter } from '../../src/client/client.ts';
import { namedInHint } from '../../src/query/hints/named-in-hint.ts';
import { filterJson } from '../../src/query/language/json.ts';
import { gatelog } from './client.ts';
import { arrivedIn, type TimeRange } from './time-range.ts';

const monthMs = 30 * 86_400_000;

/** Why no request matches, as the service explains it; undefined: one does. */
export interface Nothing {
  readonly hint: string | undefined;
}

/** Whether a request of a time matches a filter; without one, whether there is a request. */
export async function whyNothing(filter: Filter | undefined, range: TimeRange, signal: AbortSignal): Promise<Nothing | undefined> {
  const within = filterJson(arrivedIn(range)) as Filter;
  const whole: Filter = filter === undefined ? within : { left: within, operator: 'and', right: filter };
  const { data, hint } = await gatelog.requests.query({ filter: whole, limit: 1, includeBodies: false }, { signal });
  return data.length > 0 ? undefined : { hint };
}

export interface OnRecord {
  readonly isThere: boolean;
  /** A value on record that is nearly the same. */
  readonly near: string | undefined;
}

/** Whether a request of the last 30 days has a value of a property. @param name undefined: nothing is asked. */
export function valueOnRecordQuery(name: string | undefined, value: string) {
  return queryOptions({
    queryKey: ['property value', name, value],
    staleTime: 60_000,
    queryFn:
      name === undefined || value === ''
        ? skipToken
        : async ({ signal }): Promise<OnRecord> => {
            const equal: Filter = { request_response_rmt: { properties: { [name]: { equals: value } } } };
            const nothing = await whyNothing(equal, { from: Date.now() - monthMs, to: undefined }, signal);
            return { isThere: nothing === undefined, near: namedInHint(nothing?.hint) };
          },
  });
}
