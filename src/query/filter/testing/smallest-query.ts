import { isJsonObject } from '../../../model/text.ts';
import type { RandomQuery } from './random-queries.ts';

/**
 * The query cut down, part by part, as far as it still fails. It goes further than fast-check's own shrinking, which keeps a branch whose one
 * side alone would do.
 */
export async function smallestFailing(query: RandomQuery, fails: (query: RandomQuery) => Promise<boolean>): Promise<RandomQuery> {
  for (const simpler of simplerQueries(query)) if (await fails(simpler)) return smallestFailing(simpler, fails);
  return query;
}

function* simplerQueries(query: RandomQuery): Generator<RandomQuery> {
  for (const filter of simplerFilters(query.filter)) yield { ...query, filter };
  for (const term of query.sort) yield { ...query, sort: query.sort.filter((other) => other !== term) };
  if (query.offset > 0) yield { ...query, offset: 0 };
  if (query.limit < 1000) yield { ...query, limit: 1000 };
  for (const flag of ['isCached', 'isScored', 'isPartOfExperiment'] as const) if (query[flag]) yield { ...query, [flag]: false };
}

function* simplerFilters(filter: unknown): Generator {
  if (!isJsonObject(filter) || !('operator' in filter)) return;
  const { left, right } = filter;
  yield left;
  yield right;
  for (const simpler of simplerFilters(left)) yield { ...filter, left: simpler };
  for (const simpler of simplerFilters(right)) yield { ...filter, right: simpler };
}
