import { wrongNameLength } from './limits.ts';

/** What a metric counts. */
export type MetricUnit = 'requests' | 'usd' | 'tokens' | 'milliseconds' | 'bytes' | 'users' | 'sessions' | 'ratio' | 'score';

export interface MetricDefinition {
  readonly unit: MetricUnit;
  /** The values of disjoint sets of requests add up exactly to the value of all of them. */
  readonly additive: boolean;
  /** Approximate above {@link exactDistinct}. */
  readonly distinct?: true;
  readonly description: string;
}

function sum(unit: MetricUnit, description: string): MetricDefinition {
  return { unit, additive: true, description };
}

function own(unit: MetricUnit, description: string): MetricDefinition {
  return { unit, additive: false, description };
}

export const quantileLevels = { p50: 0.5, p75: 0.75, p90: 0.9, p95: 0.95, p99: 0.99 } as const;

export type QuantileName = keyof typeof quantileLevels;

type OfTime<Name extends string> = Readonly<Record<`avg_${Name}` | `max_${Name}` | `${QuantileName}_${Name}`, MetricDefinition>>;

function ofTime<Name extends string>(name: Name, what: string): OfTime<Name> {
  const quantiles = Object.entries(quantileLevels).map(([prefix, level]) => [
    `${prefix}_${name}`,
    own('milliseconds', `${what}: the quantile ${level}, between two values by linear interpolation; null without one.`),
  ]);
  return {
    [`avg_${name}`]: own('milliseconds', `${what}, on average; null without one.`),
    [`max_${name}`]: own('milliseconds', `${what}, the greatest; null without one.`),
    ...Object.fromEntries(quantiles),
  } as OfTime<Name>;
}

/** Up to so many, `users` and `sessions` are exact; above, the error is about half a percent. */
export const exactDistinct = 10_000;

export const metrics = {
  count: sum('requests', 'Requests.'),
  errors: sum(
    'requests',
    'Requests that failed: without a whole reply, with a failed status (all but 499), or with an error in the reply.',
  ),
  error_rate: own('ratio', '`errors` ÷ `count`; null without requests.'),
  left: sum('requests', 'Requests whose client left before the end of the reply (status 499).'),
  cached_count: sum('requests', 'Requests that the response cache answered.'),
  threats: sum('requests', 'Requests that the security check flagged.'),
  cost: sum('usd', 'Cost in US dollars. A request of unknown cost adds nothing; `unpriced_count` counts those.'),
  avg_cost: own('usd', 'Cost of a request whose cost is known, on average; null without one.'),
  unpriced_count: sum(
    'requests',
    'Requests whose cost nobody knows although the provider answered (status 200 to 399, or 499 and 502 for what broke off). Those that failed or broke off without tokens, and logged steps without tokens, such as calls of tools, are not among them.',
  ),
  total_tokens: sum('tokens', 'Input and output tokens together.'),
  prompt_tokens: sum('tokens', 'Input tokens, cached ones included.'),
  completion_tokens: sum('tokens', 'Output tokens, reasoning included.'),
  avg_prompt_tokens: own('tokens', 'Input tokens of a request that has a number of them, on average; null without one.'),
  avg_completion_tokens: own('tokens', 'Output tokens of a request that has a number of them, on average; null without one.'),
  prompt_cache_read_tokens: sum('tokens', 'Input tokens read from the cache of the provider.'),
  prompt_cache_read_rate: own('ratio', '`prompt_cache_read_tokens` ÷ `prompt_tokens`; null without input tokens.'),
  prompt_cache_savings: sum(
    'usd',
    'What input tokens read from the cache of the provider would have cost more without it: the difference of the two rates at which the request was priced. A request whose cost was stated, or whose price has no rate for cached input, adds nothing.',
  ),
  prompt_cache_write_tokens: sum('tokens', 'Input tokens written to the cache of the provider.'),
  reasoning_tokens: sum('tokens', 'Output tokens spent on reasoning.'),
  prompt_audio_tokens: sum('tokens', 'Audio tokens of the input.'),
  completion_audio_tokens: sum('tokens', 'Audio tokens of the output.'),
  size_bytes: sum('bytes', 'Bytes of both bodies as they passed.'),
  ...ofTime('latency', 'From the request to the end of the response'),
  ...ofTime('time_to_first_byte', 'From the request to the first byte of the response body'),
  ...ofTime('time_to_first_token', 'From the request to the first byte of a streamed response'),
  users: { ...own('users', `Distinct users; exact up to ${exactDistinct}, above within about half a percent.`), distinct: true },
  sessions: { ...own('sessions', `Distinct sessions; exact up to ${exactDistinct}, above within about half a percent.`), distinct: true },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof metrics;

export const metricNames = Object.keys(metrics) as readonly MetricName[];

/** What stands before the name of a score in the name of its metric. */
export const scorePrefix = 'avg_score.';

export type ScoreMetric = `${typeof scorePrefix}${string}`;

/** A metric of a query: one of the list, or that of a score. */
export type AskedMetric = MetricName | ScoreMetric;

export const scoreDefinition = own('score', 'The score of that name, on average over the requests that have it; null without one.');

/** The name of the score of a metric; undefined for any other. */
export function scoreOf(metric: string): string | undefined {
  return metric.startsWith(scorePrefix) ? metric.slice(scorePrefix.length) : undefined;
}

export function isAskedMetric(name: unknown): name is AskedMetric {
  if (typeof name !== 'string') return false;
  const score = scoreOf(name);
  return score === undefined ? Object.hasOwn(metrics, name) : wrongNameLength('', score) === undefined;
}

export function definitionOf(metric: AskedMetric): MetricDefinition {
  return Object.hasOwn(metrics, metric) ? metrics[metric as MetricName] : scoreDefinition;
}

export interface DimensionDefinition {
  readonly type: 'text' | 'number' | 'boolean';
  readonly description: string;
}

/** Dimensions with a name of their own; a value that is absent is null. */
export const dimensions = {
  model: { type: 'text', description: "The override, else the response's, else the request's model." },
  request_model: { type: 'text', description: 'Model that the request names.' },
  provider: { type: 'text', description: 'Provider in upper case.' },
  status: { type: 'number', description: 'HTTP status; 499 the client left, 502 the provider broke off, 0 no response.' },
  user: { type: 'text', description: 'User of the application.' },
  session: { type: 'text', description: 'Identifier of the session.' },
  session_name: { type: 'text', description: 'Name of the session.' },
  country: { type: 'text', description: 'Country of the caller, ISO 3166 alpha-2.' },
  failure_type: { type: 'text', description: "Why the call failed, in the provider's own word or as the code of Gatelog's error." },
  client: { type: 'text', description: 'Program that made the call, by its user agent.' },
  client_version: { type: 'text', description: 'Version of that program.' },
  key: { type: 'text', description: 'SHA-256 of the key that sent the request, as `hashedKey` of /v1/api-keys.' },
  path: { type: 'text', description: 'Path of the call.' },
  prompt: { type: 'text', description: 'Value of Svc-Prompt-Id.' },
  prompt_version: { type: 'text', description: 'Value of Svc-Prompt-Version.' },
  streamed: { type: 'boolean', description: 'Whether the response was an event stream.' },
  cached: { type: 'boolean', description: 'Whether the response cache answered.' },
  hour_of_day: { type: 'number', description: 'Hour of the arrival in the time zone, 0 to 23.' },
  weekday: { type: 'number', description: 'Day of the arrival in the time zone, 1 Monday to 7 Sunday.' },
} as const satisfies Readonly<Record<string, DimensionDefinition>>;

export type DimensionName = keyof typeof dimensions;

/** Dimensions that take a name, with the prefix of their key in an answer. */
export const namedDimensions = { property: 'properties', input: 'inputs' } as const;

export type NamedDimension = keyof typeof namedDimensions;

export const intervals = ['minute', '5m', '15m', 'hour', '3h', '6h', 'day', 'week', 'month'] as const;

/** With the one that only endpoints in upstream's shape have. */
export const allIntervals = [...intervals, 'year'] as const;

export type Interval = (typeof allIntervals)[number];

export const metricsLimits = {
  metrics: 20,
  dimensions: 3,
  rows: 10_000,
  defaultRows: 1000,
  offset: 1_000_000,
  queries: 24,
  rowsOfAll: 100_000,
} as const;
