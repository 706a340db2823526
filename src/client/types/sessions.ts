/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { Filter } from '../filter.ts';
import type { RequestItem } from './request-item.ts';

/** A query of sessions. */
export interface SessionQuery {
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
  /** Offset in which the timestamps of the answer are written: up to 24 it is hours, fractions allowed, above that minutes. It changes nothing else. */
  readonly timezoneDifference?: number | undefined;
  readonly filter?: Filter | undefined;
  /** Part of the identifier or the name of the session, in any case; empty: no search. */
  readonly search?: string | undefined;
  /** The whole name of the session. */
  readonly nameEquals?: string | undefined;
  /** First session of the page, counted from 0. */
  readonly offset?: number | undefined;
  /** Sessions of the page, at most 1000. */
  readonly limit?: number | undefined;
  /** Sort keys with "asc" or "desc", the first key first; over the requests that match. Of equal sessions the latest comes first, then the lesser identifier. */
  readonly sort?: {
    /** When the first of its requests arrived. */
    readonly created_at?: 'asc' | 'desc' | undefined;
    /** When the latest of its requests arrived. */
    readonly latest_request_created_at?: 'asc' | 'desc' | undefined;
    /** Cost in US dollars. */
    readonly total_cost?: 'asc' | 'desc' | undefined;
    /** Number of requests. */
    readonly total_requests?: 'asc' | 'desc' | undefined;
    /** Input and output tokens together. */
    readonly total_tokens?: 'asc' | 'desc' | undefined;
    /** Latency of a request on average; 0 when none has one. */
    readonly avg_latency?: 'asc' | 'desc' | undefined;
  } | undefined;
  /** The response header `svc-next-cursor` of the page before: the page continues behind it, and `offset` is not counted. */
  readonly cursor?: string | undefined;
}

/** One session: the requests of an organisation with one session identifier. */
export interface SessionItem {
  /** Identifier, the value of Svc-Session-Id. */
  readonly session_id: string;
  /** Newest name that is not empty, else empty. */
  readonly session_name: string;
  /** Tag of the session; null without one. */
  readonly session_tag: string | null;
  /** When its first request arrived. With the offset of the query. */
  readonly created_at: string;
  /** When its latest request arrived. With the offset of the query. */
  readonly latest_request_created_at: string;
  /** Same as latest_request_created_at. With the offset of the query. */
  readonly last_used: string;
  /** Cost of its requests in US dollars; a request without a known cost adds nothing. */
  readonly total_cost: number;
  /** How many requests it has. */
  readonly total_requests: number;
  /** Input tokens of its requests, 0 where none were reported. */
  readonly prompt_tokens: number;
  /** Output tokens of its requests, 0 where none were reported. */
  readonly completion_tokens: number;
  /** Input and output tokens together. */
  readonly total_tokens: number;
  /** Average latency in milliseconds over the requests that have one; 0 when none has. */
  readonly avg_latency: number;
  /** Users of its requests, each once, in the order of their bytes. */
  readonly user_ids: readonly string[];
  /** Properties of all its requests together: of each name the newest value. */
  readonly properties: Readonly<Record<string, string>>;
}

/** A number of sessions, with their totals. */
export interface SessionCount {
  /** How many sessions match. */
  readonly count: number;
  /** Cost of their requests in US dollars. */
  readonly total_cost: number;
  /** Cost of a session on average; 0 without sessions. */
  readonly avg_cost: number;
  /** Latency of a request on average, milliseconds; 0 when none has one. */
  readonly avg_latency: number;
  /** Requests of a session on average; 0 without sessions. */
  readonly avg_requests: number;
}

/** A question about sessions by their names. */
export interface SessionNameQuery {
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
  /** Offset in which the timestamps of the answer are written: up to 24 it is hours, fractions allowed, above that minutes. It changes nothing else. */
  readonly timezoneDifference?: number | undefined;
  readonly filter?: Filter | undefined;
  /** Part of the name of the session, in any case; empty: every session. */
  readonly nameContains?: string | undefined;
  /** The share of the smallest values that a histogram shows. */
  readonly pSize?: 'p50' | 'p75' | 'p95' | 'p99' | 'p99.9' | undefined;
  /** True: a histogram shows the values that are at most one and a half times the distance of the quartiles away from them, instead of the share of pSize. */
  readonly useInterquartile?: boolean | undefined;
}

/** Sessions that have one name. */
export interface SessionName {
  /** Name of the sessions; empty for those without one. */
  readonly name: string;
  /** When the first of their requests arrived. */
  readonly created_at: string;
  /** Same as created_at. */
  readonly first_used: string;
  /** When the latest of their requests arrived. */
  readonly last_used: string;
  /** How many sessions have the name. */
  readonly session_count: number;
  /** Latency of a request on average, milliseconds; 0 when none has one. */
  readonly avg_latency: number;
}

/** How the sessions that match are spread. */
export interface SessionMetrics {
  /** Histogram of the requests of a session: ten ranges of one width, one where all values are equal. */
  readonly session_count: readonly SessionBucket[];
  /** Histogram of the milliseconds from the first to the latest request of a session: ten ranges of one width, one where all values are equal. */
  readonly session_duration: readonly SessionBucket[];
  /** Histogram of the cost of a session in US dollars: ten ranges of one width, one where all values are equal. */
  readonly session_cost: readonly SessionBucket[];
  readonly average: {
    /** Average of the requests of a session, one element. */
    readonly session_count: readonly {
      /** Over all sessions that match; 0 without any. */
      readonly average: number;
    }[];
    /** Average of the milliseconds from the first to the latest request of a session, one element. */
    readonly session_duration: readonly {
      /** Over all sessions that match; 0 without any. */
      readonly average: number;
    }[];
    /** Average of the cost of a session in US dollars, one element. */
    readonly session_cost: readonly {
      /** Over all sessions that match; 0 without any. */
      readonly average: number;
    }[];
  };
}

/** One range of a histogram. */
export interface SessionBucket {
  /** Least value of the range, inclusive. */
  readonly range_start: number;
  /** Greatest value of the range, inclusive in the last one alone. */
  readonly range_end: number;
  /** How many sessions are in it. */
  readonly value: number;
}

/** One session with its requests. */
export interface SessionAnswer {
  readonly session: SessionItem;
  /** Its requests, the oldest first; requests of one millisecond by identifier. */
  readonly requests: readonly RequestItem[];
  /** The root of the tree. */
  readonly tree: readonly SessionNode[];
}

/** A place in the tree that Svc-Session-Path makes of a session. */
export interface SessionNode {
  /** Path of the node, `/` for the root. */
  readonly path: string;
  /** Its last segment, `/` for the root. */
  readonly name: string;
  /** Requests of this answer at the node itself, in time order. */
  readonly request_ids: readonly string[];
  /** Nodes right below, in the order of their first requests. */
  readonly children: readonly SessionNode[];
  readonly totals: SessionNodeTotals;
}

/** Totals over all requests of the session at a node and below it. */
export interface SessionNodeTotals {
  /** How many requests. */
  readonly requests: number;
  /** Their cost in US dollars; 0 where none is known. */
  readonly cost: number;
  /** Their input tokens. */
  readonly prompt_tokens: number;
  /** Their output tokens. */
  readonly completion_tokens: number;
  /** Both. */
  readonly total_tokens: number;
  /** Their mean latency in milliseconds; 0 where none has one. */
  readonly avg_latency: number;
  /** Milliseconds from the arrival of the first to the end of whichever ended last. */
  readonly duration: number;
  /** When the first of them arrived. */
  readonly created_at: string;
}

/** The tag of a session. A later one replaces it. */
export interface SessionTag {
  /** The tag; null or the empty text takes it away. */
  readonly tag: string | null;
}

/** The tag, null when there is none. */
export type SessionTagAnswer = string | null;
