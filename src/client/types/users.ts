/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { UserFilter } from '../filter.ts';

/** A query of users with what they cost. */
export interface UserQuery {
  /** Only these users; without it, all. */
  readonly userIds?: readonly string[] | undefined;
  /** The range of arrival times; without it, all time. */
  readonly timeFilter?: {
    /** Start of the range, Unix seconds, inclusive. */
    readonly startTimeUnixSeconds?: number | undefined;
    /** End of the range, Unix seconds, inclusive. */
    readonly endTimeUnixSeconds?: number | undefined;
  } | undefined;
}

/** A user with what the requests cost. */
export interface UserItem {
  /** Requests. */
  readonly count: number;
  /** Input tokens. */
  readonly prompt_tokens: number;
  /** Output tokens. */
  readonly completion_tokens: number;
  readonly user_id: string;
  /** Cost in US dollars. */
  readonly cost: number;
}

/** A query of users with their totals. */
export interface UserMetricsQuery {
  readonly filter?: UserFilter | undefined;
  /** The range of arrival times; without it, all time. */
  readonly timeFilter?: {
    /** Start of the range, Unix seconds, inclusive. */
    readonly startTimeUnixSeconds?: number | undefined;
    /** End of the range, Unix seconds, inclusive. */
    readonly endTimeUnixSeconds?: number | undefined;
  } | undefined;
  /** Where a day of activity begins: minutes from UTC, negative west of it. */
  readonly timeZoneDifferenceMinutes?: number | undefined;
  /** Sort keys with "asc" or "desc", the first key first; then the identifier. Without it the latest active first. */
  readonly sort?: {
    readonly user_id?: 'asc' | 'desc' | undefined;
    readonly active_for?: 'asc' | 'desc' | undefined;
    readonly first_active?: 'asc' | 'desc' | undefined;
    readonly last_active?: 'asc' | 'desc' | undefined;
    readonly total_requests?: 'asc' | 'desc' | undefined;
    readonly average_requests_per_day_active?: 'asc' | 'desc' | undefined;
    readonly average_tokens_per_request?: 'asc' | 'desc' | undefined;
    readonly total_completion_tokens?: 'asc' | 'desc' | undefined;
    readonly total_prompt_tokens?: 'asc' | 'desc' | undefined;
    readonly cost?: 'asc' | 'desc' | undefined;
  } | undefined;
  /** First user, counted from 0. */
  readonly offset?: number | undefined;
  /** Users of the page, at most 1000. */
  readonly limit?: number | undefined;
}

/** A page of users. */
export interface UserMetricsAnswer {
  readonly users: readonly UserMetricsItem[];
  /** Users that match, pages aside. */
  readonly count: number;
  /** Whether any request of the organisation names a user. */
  readonly hasUsers: boolean;
}

/** A user with totals over the requests that match. */
export interface UserMetricsItem {
  /** Same as user_id. */
  readonly id: string;
  readonly user_id: string;
  /** Days with a request. */
  readonly active_for: number;
  /** When the first request arrived. */
  readonly first_active: string;
  /** When the latest request arrived. */
  readonly last_active: string;
  /** Requests. */
  readonly total_requests: number;
  /** Requests for each day with one. */
  readonly average_requests_per_day_active: number;
  /** Input and output tokens for each request. */
  readonly average_tokens_per_request: number;
  /** Output tokens. */
  readonly total_completion_tokens: number;
  /** Input tokens. */
  readonly total_prompt_tokens: number;
  /** Cost in US dollars. */
  readonly cost: number;
}

/** A question about how users are spread. */
export interface UserOverviewQuery {
  readonly filter?: UserFilter | undefined;
  /** The share of the smallest values that a histogram shows. */
  readonly pSize?: 'p50' | 'p75' | 'p95' | 'p99' | 'p99.9' | undefined;
  /** True: a histogram shows the values near the quartiles instead of the share of pSize. */
  readonly useInterquartile?: boolean | undefined;
}

/** How the users that match are spread. */
export interface UserOverviewAnswer {
  /** Histogram of the requests of a user: ten ranges of one width. */
  readonly request_count: readonly {
    readonly range_start: number;
    readonly range_end: number;
    /** How many users are in it. */
    readonly value: number;
  }[];
  /** Histogram of the cost of a user in US dollars. */
  readonly user_cost: readonly {
    readonly range_start: number;
    readonly range_end: number;
    /** How many users are in it. */
    readonly value: number;
  }[];
}

/** What an erasure has taken out, by where it was; every count is final. */
export interface ErasureAnswer {
  readonly user_id: string;
  /** What came from the user up to this time is gone. */
  readonly erased_at: string;
  /** Requests that were on record, with their history. */
  readonly requests: number;
  /** Recorded bodies, of a request and of its response each one. */
  readonly bodies: number;
  /** Replies that were kept to be given again. */
  readonly cache_entries: number;
  /** Records that were on their way to the store and never reached it. */
  readonly spool_records: number;
  /** Exchanges that could not be interpreted or stored and were kept aside. */
  readonly dead_letters: number;
  /** Bodies that lay outside of the store; this version keeps none there. */
  readonly blobs: number;
}
