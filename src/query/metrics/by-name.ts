import { RawJson } from '../../model/json/raw.ts';
import type { MetricsQuery } from '../../contract/metrics/query.ts';
import type { NamedMetricsQuery, NamedShape } from '../../contract/metrics/by-name.ts';
import { type DimensionName, dimensions, type Interval, type MetricName } from '../../model/vocabulary/metrics.ts';

/** A row of a metrics answer. */
type Row = Readonly<Record<string, unknown>>;

/** One of upstream's metrics: the question of {@link MetricsQuery} behind it, and its shape. */
export interface NamedMetric {
  readonly name: string;
  readonly kind: 'total' | 'count' | 'series' | 'quantiles' | 'list';
  readonly summary: string;
  /** The shape of `data` in words. */
  readonly shape: string;
  readonly answer: NamedShape;
  readonly metrics: readonly MetricName[] | 'quantiles';
  readonly groupBy?: readonly string[];
  /** Makes an item of a row; a total has one row. */
  readonly item: (row: Row) => unknown;
}

/** Upstream has 0 where nothing is known. */
const known = (value: unknown): unknown => value ?? 0;

function total(name: string, summary: string, metric: MetricName): NamedMetric {
  return { name, kind: 'total', summary, shape: 'A number.', answer: 'number', metrics: [metric], item: (row) => known(row[metric]) };
}

function series(
  name: string,
  summary: string,
  columns: Readonly<Record<string, MetricName>>,
  groupBy: readonly DimensionName[] = [],
): NamedMetric {
  const shown = Object.entries(columns);
  return {
    name,
    kind: 'series',
    summary,
    shape: `A list of {${['time', ...groupBy, ...Object.keys(columns)].join(', ')}}, by time; buckets without a request are left out.`,
    answer: {
      list: {
        time: 'text',
        ...Object.fromEntries(groupBy.map((key) => [key, dimensions[key].type === 'text' ? 'text' : 'number'] as const)),
        ...Object.fromEntries(Object.keys(columns).map((key) => [key, 'number' as const])),
      },
    },
    metrics: [...new Set(Object.values(columns))],
    groupBy,
    item: (row) => ({
      time: row['time'],
      ...Object.fromEntries(groupBy.map((key) => [key, row[key]])),
      ...Object.fromEntries(shown.map(([key, metric]) => [key, known(row[metric])])),
    }),
  };
}

const levels = ['p75', 'p90', 'p95', 'p99'] as const;

export const namedMetrics: readonly NamedMetric[] = [
  total('totalRequests', 'Number of requests', 'count'),
  { ...total('requestCount', 'Number of requests', 'count'), kind: 'count' },
  total('totalCost', 'Cost in US dollars', 'cost'),
  total('averageLatency', 'Latency on average, milliseconds', 'avg_latency'),
  total('averageTimeToFirstToken', 'Time to first token on average, milliseconds', 'avg_time_to_first_token'),
  total('totalThreats', 'Requests that the security check flagged', 'threats'),
  total('activeUsers', 'Number of users', 'users'),
  {
    name: 'averageTokensPerRequest',
    kind: 'total',
    summary: 'Tokens of a request on average',
    shape: 'An object {average_prompt_tokens_per_response, average_completion_tokens_per_response, average_total_tokens_per_response}.',
    answer: {
      object: {
        average_prompt_tokens_per_response: 'number',
        average_completion_tokens_per_response: 'number',
        average_total_tokens_per_response: 'number',
      },
    },
    metrics: ['count', 'prompt_tokens', 'completion_tokens', 'total_tokens'],
    item: (row) => {
      const each = (metric: MetricName): number => ratio(row[metric], row['count']);
      return {
        average_prompt_tokens_per_response: each('prompt_tokens'),
        average_completion_tokens_per_response: each('completion_tokens'),
        average_total_tokens_per_response: each('total_tokens'),
      };
    },
  },
  series('requestOverTime', 'Requests over time', { count: 'count' }),
  series('costOverTime', 'Cost over time, US dollars', { cost: 'cost' }),
  series('tokensOverTime', 'Tokens over time', { prompt_tokens: 'prompt_tokens', completion_tokens: 'completion_tokens' }),
  series('detailedTokensOverTime', 'Tokens over time by kind', {
    prompt_tokens: 'prompt_tokens',
    completion_tokens: 'completion_tokens',
    reasoning_tokens: 'reasoning_tokens',
    prompt_cache_read_tokens: 'prompt_cache_read_tokens',
    prompt_cache_write_tokens: 'prompt_cache_write_tokens',
  }),
  series('modelUsageOverTime', 'Requests and tokens by model over time', { request_count: 'count', total_tokens: 'total_tokens' }, [
    'model',
  ]),
  series('latencyOverTime', 'Latency on average over time, milliseconds', { duration: 'avg_latency' }),
  series('timeToFirstToken', 'Time to first token on average over time, milliseconds', { ttft: 'avg_time_to_first_token' }),
  series('usersOverTime', 'Users over time', { count: 'users' }),
  series('threatsOverTime', 'Flagged requests over time', { count: 'threats' }),
  series('errorOverTime', 'Failed requests over time', { count: 'errors' }),
  series('requestStatusOverTime', 'Requests by status over time', { count: 'count' }, ['status']),
  {
    name: 'models',
    kind: 'list',
    summary: 'Requests, tokens and cost by model',
    shape: 'A list of {model, total_requests, total_completion_tokens, total_prompt_token, total_tokens, cost}, most requests first.',
    answer: {
      list: {
        model: 'text',
        total_requests: 'number',
        total_completion_tokens: 'number',
        total_prompt_token: 'number',
        total_tokens: 'number',
        cost: 'number',
      },
    },
    metrics: ['count', 'completion_tokens', 'prompt_tokens', 'total_tokens', 'cost'],
    groupBy: ['model'],
    item: (row) => ({
      model: row['model'] ?? '',
      total_requests: row['count'],
      total_completion_tokens: row['completion_tokens'],
      total_prompt_token: row['prompt_tokens'],
      total_tokens: row['total_tokens'],
      cost: row['cost'],
    }),
  },
  {
    name: 'country',
    kind: 'list',
    summary: 'Requests by country',
    shape: 'A list of {country, total_requests}, most requests first; country is empty where it is not known.',
    answer: { list: { country: 'text', total_requests: 'number' } },
    metrics: ['count'],
    groupBy: ['country'],
    item: (row) => ({ country: row['country'] ?? '', total_requests: row['count'] }),
  },
  {
    name: 'quantiles',
    kind: 'quantiles',
    summary: 'Quantiles of latency or time to first token over time',
    shape: `A list of {time, ${levels.join(', ')}}, milliseconds, by time; buckets without a value have 0.`,
    answer: { list: { time: 'text', ...Object.fromEntries(levels.map((level) => [level, 'number' as const])) } },
    metrics: 'quantiles',
    item: (row) => ({
      time: row['time'],
      ...Object.fromEntries(levels.map((level) => [level, known(row[`${level}_latency`] ?? row[`${level}_time_to_first_token`])])),
    }),
  },
];

/** Sums may be raw JSON, with more digits than a number holds. */
function ratio(over: unknown, under: unknown): number {
  const [upper, lower] = [numberOf(over), numberOf(under)];
  return lower === 0 ? 0 : upper / lower;
}

const intervals: Readonly<Record<NonNullable<NamedMetricsQuery['dbIncrement']>, Interval>> = {
  min: 'minute',
  hour: 'hour',
  day: 'day',
  week: 'week',
  month: 'month',
  year: 'year',
};

/** Upstream's names of a range and its buckets as those of a metrics query. */
export function metricsRange({
  timeFilter,
  dbIncrement = 'hour',
  timeZoneDifference,
}: Pick<NamedMetricsQuery, 'timeFilter' | 'dbIncrement' | 'timeZoneDifference'>): Pick<
  MetricsQuery,
  'startTimeUnixMs' | 'endTimeUnixMs' | 'interval' | 'timezoneDifference'
> {
  return {
    startTimeUnixMs: timeFilter?.start,
    endTimeUnixMs: timeFilter?.end,
    interval: intervals[dbIncrement],
    timezoneDifference: timeZoneDifference,
  };
}

/** The metrics query behind a question for a named metric. */
export function namedMetricsQuery({ kind, metrics, groupBy = [] }: NamedMetric, given: NamedMetricsQuery): MetricsQuery {
  const { interval, ...range } = metricsRange(given);
  const { metric = 'latency', limit, offset } = given;
  const filter = given.isCached === true ? { left: given.filter ?? {}, operator: 'and', right: isCached } : given.filter;
  const isSeries = kind === 'series' || kind === 'quantiles';
  return {
    metrics: metrics === 'quantiles' ? levels.map((level) => `${level}_${metric}`) : metrics,
    groupBy,
    ...range,
    ...(isSeries ? { interval, limit: maxRows } : { limit: kind === 'list' ? (limit ?? defaultRows) : 1, offset: offset ?? 0 }),
    ...(filter === undefined ? {} : { filter }),
  };
}

const isCached = { request_response_rmt: { cached: { equals: true } } };

/** Rows of a series, and of a list that asks for no number. */
export const maxRows = 10_000;
const defaultRows = 100;

function numberOf(value: unknown): number {
  return Number(value instanceof RawJson ? value.text : value);
}
