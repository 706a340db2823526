import { queryOptions } from '@tanstack/react-query';
import { allOf, type Comparison, condition, type FilterNode } from '../../../src/query/filter/ast.ts';
import { SearchFault } from '../../../src/query/language/fault.ts';
import { fieldNamed } from '../../../src/query/language/fields.ts';
import { negated } from '../../../src/query/language/negate.ts';
import { parseSearch } from '../../../src/query/language/parse.ts';
import { printSearch } from '../../../src/query/language/print.ts';
import { gatelog } from '../client.ts';
import { ownOf } from '../own.ts';

/** A dimension as it stands in the address and in `groupBy`: `model`, `properties.Team`. */
export type Dimension = string;

/** A value of a dimension; null: the request has none. */
export type DimensionValue = string | number | boolean | null;

const titles: Readonly<Record<string, string>> = {
  model: 'Model',
  request_model: 'Requested model',
  provider: 'Provider',
  status: 'Status',
  failure_type: 'Failure',
  client: 'Client',
  client_version: 'Client version',
  user: 'User',
  session: 'Session',
  session_name: 'Session name',
  country: 'Country',
  key: 'Key',
  path: 'Path',
  prompt: 'Prompt',
  prompt_version: 'Prompt version',
  streamed: 'Streamed',
  cached: 'Cached',
  hour_of_day: 'Hour of day',
  weekday: 'Weekday',
};

export function dimensionTitle(dimension: Dimension): string {
  return ownOf(titles, dimension) ?? dimension.replace(/^properties\./, '').replace(/^inputs\./, 'Input ');
}

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

/** What stands where a request has no value. */
const absent: Readonly<Record<string, string>> = {
  failure_type: 'no type',
  session: 'no session',
  session_name: 'no session',
  user: 'no user',
  client: 'unknown client',
};

/** Whether a dimension tells users or sessions apart, of which a request may have none. */
export function isOfSomebody(dimension: Dimension): boolean {
  return dimension === 'user' || dimension === 'session' || dimension === 'session_name';
}

export function valueTitle(dimension: Dimension, value: DimensionValue): string {
  if (value === null) return ownOf(absent, dimension) ?? 'none';
  if (dimension === 'hour_of_day') return `${String(value).padStart(2, '0')}:00`;
  if (dimension === 'weekday') return weekdays[Number(value) - 1] ?? String(value);
  return value === '' ? 'empty' : String(value);
}

/** Of one value. An absent text equals the empty one. @returns undefined where no filter says it, as of an hour of the day. */
export function conditionOf(dimension: Dimension, value: DimensionValue): FilterNode | undefined {
  if (dimension === 'hour_of_day' || dimension === 'weekday') return undefined;
  const { reference, definition } = fieldNamed(dimension);
  if (value === null) {
    return definition.family === 'text' ? condition(reference, { family: 'text', operator: 'equals', value: '' }) : undefined;
  }
  return condition(reference, { family: definition.family, operator: 'equals', value } as Comparison);
}

/** The condition of a key: of each of its values. @returns undefined where one of them cannot be said. */
export function conditionOfKey(by: readonly Dimension[], key: readonly DimensionValue[]): FilterNode | undefined {
  const nodes = by.map((dimension, index) => conditionOf(dimension, key[index] ?? null));
  return nodes.some((node) => node === undefined) ? undefined : allOf(nodes.filter((node) => node !== undefined));
}

/** A search with one more condition, or with its denial. @returns undefined where the search says no such thing. */
export function searchWith(q: string, node: FilterNode | undefined, isDenied = false): string | undefined {
  const added = node === undefined || !isDenied ? node : negated(node);
  if (added === undefined) return undefined;
  try {
    return printSearch(allOf([parseSearch(q).filter, added]));
  } catch (error) {
    if (error instanceof SearchFault) return undefined;
    throw error;
  }
}

/** A search with another one beside it; undefined where both are empty. */
export function searchAnd(q: string, search: string | undefined): string | undefined {
  if (search === undefined) return q === '' ? undefined : q;
  return searchWith(q, parseSearch(search).filter);
}

/** The search for one group of requests; undefined where no search says it. */
export function searchOfKey(q: string, by: readonly Dimension[], key: readonly DimensionValue[]): string | undefined {
  const node = conditionOfKey(by, key);
  return node === undefined ? undefined : searchWith(q, node);
}

/** The metrics and dimensions that every organisation has. */
export const metricsMetaQuery = queryOptions({
  queryKey: ['metrics meta'],
  staleTime: 60_000,
  queryFn: async ({ signal }) => (await gatelog.metrics.describe({ signal })).data,
});
