import { queryOptions } from '@tanstack/react-query';
import { type ScoreMetric, scorePrefix } from '../../../src/model/vocabulary/metrics.ts';
import { gatelog } from '../client.ts';

const readRequests = 200;

/** The metrics of the scores that the newest requests with a score have, by name. */
export const scoreMetricsQuery = queryOptions({
  queryKey: ['score metrics'],
  staleTime: 60_000,
  queryFn: async ({ signal }): Promise<readonly ScoreMetric[]> => {
    const query = { filter: 'all', isScored: true, sort: { created_at: 'desc' }, limit: readRequests, includeBodies: false } as const;
    const { data } = await gatelog.requests.query(query, { signal });
    return scoreMetricsOf(data);
  },
});

export function scoreMetricsOf(requests: readonly { readonly scores: Readonly<Record<string, unknown>> }[]): readonly ScoreMetric[] {
  const names = new Set(requests.flatMap(({ scores }) => Object.keys(scores)));
  return [...names].toSorted().map((name): ScoreMetric => `${scorePrefix}${name}`);
}
