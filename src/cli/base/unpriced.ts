import { and, type Filter, type GatelogClient, or, where } from '../../client/client.ts';

/** Values that one query asks about: the conditions of a filter are limited. */
const askedAtOnce = 500;

const fields = { session: 'session_session_id', user: 'user_id' } as const;

export interface UnpricedQuestion {
  readonly of: keyof typeof fields;
  readonly values: readonly string[];
  /** Of the requests that count. */
  readonly filter: Filter;
  readonly startTimeUnixMs?: number | undefined;
  readonly endTimeUnixMs?: number | undefined;
}

/** Those of these sessions or users with a request whose price nobody knows: what they cost is not known either. */
export async function unpricedAmong(
  client: GatelogClient,
  { of, values, filter, ...range }: UnpricedQuestion,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let from = 0; from < values.length; from += askedAtOnce) {
    const [first, ...others] = values.slice(from, from + askedAtOnce).map((value) => where(fields[of], 'equals', value));
    if (first === undefined) break;
    const { data } = await client.metrics.query({
      ...range,
      metrics: ['unpriced_count'],
      groupBy: [of],
      filter: and(filter, or(first, ...others)),
      limit: askedAtOnce,
    });
    for (const row of data) if ((row.unpriced_count ?? 0) > 0) found.add(String(row[of]));
  }
  return found;
}
