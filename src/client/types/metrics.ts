/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { Filter } from '../filter.ts';

/** A question for one figure. */
export interface NamedTotalQuery {
  readonly filter?: Filter | undefined;
  /** The range of arrival times; without it, all time. */
  readonly timeFilter?: {
    /** Start of the range, inclusive. */
    readonly start?: string | undefined;
    /** End of the range, inclusive. */
    readonly end?: string | undefined;
  } | undefined;
}

/** A number. */
export type MetricTotalRequestsAnswer = number;

/** A question for a number of requests. */
export interface NamedCountQuery {
  readonly filter?: Filter | undefined;
  /** The range of arrival times; without it, all time. */
  readonly timeFilter?: {
    /** Start of the range, inclusive. */
    readonly start?: string | undefined;
    /** End of the range, inclusive. */
    readonly end?: string | undefined;
  } | undefined;
  /** True counts only answers from the response cache. */
  readonly isCached?: boolean | undefined;
}

/** A number. */
export type MetricRequestCountAnswer = number;

/** A number. */
export type MetricTotalCostAnswer = number;

/** A number. */
export type MetricAverageLatencyAnswer = number;

/** A number. */
export type MetricAverageTimeToFirstTokenAnswer = number;

/** A number. */
export type MetricTotalThreatsAnswer = number;

/** A number. */
export type MetricActiveUsersAnswer = number;

/** An object {average_prompt_tokens_per_response, average_completion_tokens_per_response, average_total_tokens_per_response}. */
export interface MetricAverageTokensPerRequestAnswer {
  readonly average_prompt_tokens_per_response: number;
  readonly average_completion_tokens_per_response: number;
  readonly average_total_tokens_per_response: number;
}

/** A question for figures over time. */
export interface NamedSeriesQuery {
  readonly filter?: Filter | undefined;
  /** The range of arrival times; without it, all time. */
  readonly timeFilter?: {
    /** Start of the range, inclusive. */
    readonly start?: string | undefined;
    /** End of the range, inclusive. */
    readonly end?: string | undefined;
  } | undefined;
  /** Length of a bucket of time. */
  readonly dbIncrement?: 'min' | 'hour' | 'day' | 'week' | 'month' | 'year' | undefined;
  /** Where a bucket begins: up to 24 hours from UTC, above that minutes; negative west of it. */
  readonly timeZoneDifference?: number | undefined;
}

/** A list of {time, count}, by time; buckets without a request are left out. */
export type MetricRequestOverTimeAnswer = readonly {
  readonly time: string;
  readonly count: number;
}[];

/** A list of {time, cost}, by time; buckets without a request are left out. */
export type MetricCostOverTimeAnswer = readonly {
  readonly time: string;
  readonly cost: number;
}[];

/** A list of {time, prompt_tokens, completion_tokens}, by time; buckets without a request are left out. */
export type MetricTokensOverTimeAnswer = readonly {
  readonly time: string;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}[];

/** A list of {time, prompt_tokens, completion_tokens, reasoning_tokens, prompt_cache_read_tokens, prompt_cache_write_tokens}, by time; buckets without a request are left out. */
export type MetricDetailedTokensOverTimeAnswer = readonly {
  readonly time: string;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly reasoning_tokens: number;
  readonly prompt_cache_read_tokens: number;
  readonly prompt_cache_write_tokens: number;
}[];

/** A list of {time, model, request_count, total_tokens}, by time; buckets without a request are left out. */
export type MetricModelUsageOverTimeAnswer = readonly {
  readonly time: string;
  readonly model: string;
  readonly request_count: number;
  readonly total_tokens: number;
}[];

/** A list of {time, duration}, by time; buckets without a request are left out. */
export type MetricLatencyOverTimeAnswer = readonly {
  readonly time: string;
  readonly duration: number;
}[];

/** A list of {time, ttft}, by time; buckets without a request are left out. */
export type MetricTimeToFirstTokenAnswer = readonly {
  readonly time: string;
  readonly ttft: number;
}[];

/** A list of {time, count}, by time; buckets without a request are left out. */
export type MetricUsersOverTimeAnswer = readonly {
  readonly time: string;
  readonly count: number;
}[];

/** A list of {time, count}, by time; buckets without a request are left out. */
export type MetricThreatsOverTimeAnswer = readonly {
  readonly time: string;
  readonly count: number;
}[];

/** A list of {time, count}, by time; buckets without a request are left out. */
export type MetricErrorOverTimeAnswer = readonly {
  readonly time: string;
  readonly count: number;
}[];

/** A list of {time, status, count}, by time; buckets without a request are left out. */
export type MetricRequestStatusOverTimeAnswer = readonly {
  readonly time: string;
  readonly status: number;
  readonly count: number;
}[];

/** A question for figures by model or country. */
export interface NamedListQuery {
  readonly filter?: Filter | undefined;
  /** The range of arrival times; without it, all time. */
  readonly timeFilter?: {
    /** Start of the range, inclusive. */
    readonly start?: string | undefined;
    /** End of the range, inclusive. */
    readonly end?: string | undefined;
  } | undefined;
  /** First row, counted from 0. */
  readonly offset?: number | undefined;
  /** Rows of the answer, at most 10000. */
  readonly limit?: number | undefined;
}

/** A list of {model, total_requests, total_completion_tokens, total_prompt_token, total_tokens, cost}, most requests first. */
export type MetricModelsAnswer = readonly {
  readonly model: string;
  readonly total_requests: number;
  readonly total_completion_tokens: number;
  readonly total_prompt_token: number;
  readonly total_tokens: number;
  readonly cost: number;
}[];

/** A list of {country, total_requests}, most requests first; country is empty where it is not known. */
export type MetricCountryAnswer = readonly {
  readonly country: string;
  readonly total_requests: number;
}[];

/** A question for quantiles over time. */
export interface NamedQuantilesQuery {
  readonly filter?: Filter | undefined;
  /** The range of arrival times; without it, all time. */
  readonly timeFilter?: {
    /** Start of the range, inclusive. */
    readonly start?: string | undefined;
    /** End of the range, inclusive. */
    readonly end?: string | undefined;
  } | undefined;
  /** Length of a bucket of time. */
  readonly dbIncrement?: 'min' | 'hour' | 'day' | 'week' | 'month' | 'year' | undefined;
  /** Where a bucket begins: up to 24 hours from UTC, above that minutes; negative west of it. */
  readonly timeZoneDifference?: number | undefined;
  readonly metric?: 'latency' | 'time_to_first_token' | undefined;
}

/** A list of {time, p75, p90, p95, p99}, milliseconds, by time; buckets without a value have 0. */
export type MetricQuantilesAnswer = readonly {
  readonly time: string;
  readonly p75: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
}[];

/** A query of metrics. */
export interface MetricsQuery {
  /** Metrics to compute; `GET /v1/metrics/meta` describes each. */
  readonly metrics: readonly ('count' | 'errors' | 'error_rate' | 'cached_count' | 'threats' | 'cost' | 'avg_cost' | 'unpriced_count' | 'total_tokens' | 'prompt_tokens' | 'completion_tokens' | 'prompt_cache_read_tokens' | 'prompt_cache_write_tokens' | 'reasoning_tokens' | 'prompt_audio_tokens' | 'completion_audio_tokens' | 'size_bytes' | 'avg_latency' | 'max_latency' | 'p50_latency' | 'p75_latency' | 'p90_latency' | 'p95_latency' | 'p99_latency' | 'avg_time_to_first_token' | 'max_time_to_first_token' | 'p50_time_to_first_token' | 'p75_time_to_first_token' | 'p90_time_to_first_token' | 'p95_time_to_first_token' | 'p99_time_to_first_token' | 'users' | 'sessions')[];
  /** Dimensions of the groups; without one, all requests are one group. `"properties.Team"` is short for {"property": "Team"}. */
  readonly groupBy?: readonly ('model' | 'request_model' | 'provider' | 'status' | 'user' | 'session' | 'session_name' | 'country' | 'key' | 'path' | 'prompt' | 'cached' | 'hour_of_day' | 'weekday' | `properties.${string}` | `inputs.${string}` | {
    readonly property: string;
  } | {
    readonly input: string;
  })[] | undefined;
  /** Length of a bucket of time. A week begins on Monday. Buckets without a request are left out. */
  readonly interval?: 'minute' | 'hour' | 'day' | 'week' | 'month' | undefined;
  /** IANA time zone of buckets, hours of the day and weekdays, with its daylight saving; not with `timezoneDifference`. */
  readonly timezone?: string | undefined;
  /** A fixed distance from UTC instead: up to 24 it is hours, above that minutes; negative west of UTC. */
  readonly timezoneDifference?: number | undefined;
  readonly filter?: Filter | undefined;
  /** Start of the range, Unix milliseconds, inclusive. Without it the range has no start. */
  readonly startTimeUnixMs?: number | undefined;
  /** End of the range, Unix milliseconds, inclusive. Without it the range has no end. */
  readonly endTimeUnixMs?: number | undefined;
  /** The range as an object; it wins over the two fields beside it. */
  readonly timeFilter?: {
    /** Start of the range, Unix milliseconds, inclusive. Without it the range has no start. */
    readonly startTimeUnixMs?: number | undefined;
    /** End of the range, Unix milliseconds, inclusive. Without it the range has no end. */
    readonly endTimeUnixMs?: number | undefined;
  } | undefined;
  /** Metrics, and `time` of a series, with "asc" or "desc"; a value that is not known comes last. Without it: by time, then by the first metric, the greatest first. */
  readonly sort?: Readonly<Record<string, 'asc' | 'desc'>> | undefined;
  /** Rows of the answer, at most 10000. */
  readonly limit?: number | undefined;
  /** First row, counted from 0. */
  readonly offset?: number | undefined;
  /** True adds a row `{"other": true, …}` with what all groups that are not shown make together. */
  readonly other?: boolean | undefined;
  /** True adds a last row `{"total": true, …}` over all groups. */
  readonly totals?: boolean | undefined;
}

/** The group under the names of its dimensions, such as `model` or `properties.Team`, null where a request has none; `time`, the start of the bucket; the metrics. */
export type MetricsRow = Readonly<Record<string, unknown>>;

/** The metrics, dimensions, operators and intervals that there are. */
export interface MetricsMeta {
  readonly metrics: readonly {
    readonly name: string;
    readonly unit: string;
    readonly additive: boolean;
    readonly description: string;
  }[];
  readonly dimensions: readonly {
    /** As written in `groupBy`. */
    readonly name: string | Readonly<Record<string, string>>;
    readonly type: 'text' | 'number' | 'boolean';
    readonly description: string;
  }[];
  /** Operators of filters by the family of a field. */
  readonly operators: Readonly<Record<string, readonly string[]>>;
  readonly intervals: readonly string[];
  readonly limits: {
    readonly metrics: number;
    readonly dimensions: number;
    readonly rows: number;
    readonly offset: number;
    readonly exact_distinct: number;
  };
  /** Where names of time zones are listed. */
  readonly timezones: string;
}
