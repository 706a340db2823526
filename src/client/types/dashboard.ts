/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { Filter } from '../filter.ts';

/** A saved view. */
export interface View {
  readonly id: string;
  /** When it was saved. */
  readonly created_at: string;
  /** When it was changed last. */
  readonly updated_at: string;
  /** Unique among the views of the page in the organisation. */
  readonly name: string;
  /** The page of the dashboard whose state it is. */
  readonly page: 'requests' | 'sessions' | 'explore';
  /** Parameters of the page's address; at most 16384 bytes of JSON. They are kept as they are, and the page reads them. */
  readonly search: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

/** The state of a page under a name. */
export interface NewView {
  /** Unique among the views of the page in the organisation. */
  readonly name: string;
  /** The page of the dashboard whose state it is. */
  readonly page: 'requests' | 'sessions' | 'explore';
  /** Parameters of the page's address; at most 16384 bytes of JSON. They are kept as they are, and the page reads them. */
  readonly search: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** As the answer shows it; ignored in what is sent. */
  readonly id?: unknown;
  /** As the answer shows it; ignored in what is sent. */
  readonly created_at?: unknown;
  /** As the answer shows it; ignored in what is sent. */
  readonly updated_at?: unknown;
}

export type ViewAnswer = View;

/** A board without its panels, which `GET /v1/boards/{id}` shows. */
export interface BoardSummary {
  readonly id: string;
  /** When it was saved. */
  readonly created_at: string;
  /** When it was changed last. */
  readonly updated_at: string;
  /** Unique in the organisation. */
  readonly name: string;
  /** Grows by one with each change. */
  readonly version: number;
  /** How many charts it has. */
  readonly panel_count: number;
}

/** Charts on one page. */
export interface NewBoard {
  /** Unique in the organisation. */
  readonly name: string;
  readonly time_range: BoardTimeRange;
  readonly panels: readonly BoardPanel[];
  /** As the answer shows it; ignored in what is sent. */
  readonly id?: unknown;
  /** As the answer shows it; ignored in what is sent. */
  readonly version?: unknown;
  /** As the answer shows it; ignored in what is sent. */
  readonly created_at?: unknown;
  /** As the answer shows it; ignored in what is sent. */
  readonly updated_at?: unknown;
}

/** The range that all panels show: relative, or between two times. */
export interface BoardTimeRange {
  /** A range that ends now: a whole number of minutes, hours or days; `today` or `month` since its beginning in the time zone of the reader; or `all`. */
  readonly last?: string | undefined;
  /** Start of the range, Unix milliseconds, inclusive; without it the range has no start. */
  readonly startTimeUnixMs?: number | undefined;
  /** End of the range, Unix milliseconds, inclusive; without it the range has no end. */
  readonly endTimeUnixMs?: number | undefined;
}

/** A chart. `metrics`, `by` (its `groupBy`), `bucket` (its `interval`), `filter`, `sort` and `limit` are a query of metrics. */
export interface BoardPanel {
  readonly title: string;
  readonly chart: 'line' | 'bars' | 'table';
  /** Metrics to compute; `GET /v1/metrics/meta` describes each. */
  readonly metrics: readonly ('count' | 'errors' | 'error_rate' | 'cached_count' | 'threats' | 'cost' | 'avg_cost' | 'unpriced_count' | 'total_tokens' | 'prompt_tokens' | 'completion_tokens' | 'prompt_cache_read_tokens' | 'prompt_cache_write_tokens' | 'reasoning_tokens' | 'prompt_audio_tokens' | 'completion_audio_tokens' | 'size_bytes' | 'avg_latency' | 'max_latency' | 'p50_latency' | 'p75_latency' | 'p90_latency' | 'p95_latency' | 'p99_latency' | 'avg_time_to_first_token' | 'max_time_to_first_token' | 'p50_time_to_first_token' | 'p75_time_to_first_token' | 'p90_time_to_first_token' | 'p95_time_to_first_token' | 'p99_time_to_first_token' | 'users' | 'sessions')[];
  /** Dimensions of the groups; without one, all requests are one group. `"properties.Team"` is short for {"property": "Team"}. */
  readonly by?: readonly ('model' | 'request_model' | 'provider' | 'status' | 'user' | 'session' | 'session_name' | 'country' | 'key' | 'path' | 'prompt' | 'cached' | 'hour_of_day' | 'weekday' | `properties.${string}` | `inputs.${string}` | {
    readonly property: string;
  } | {
    readonly input: string;
  })[] | undefined;
  /** Length of a bucket of time, the `interval` of a query. Absent: a line has one that fits the range, bars and tables show no time. */
  readonly bucket?: 'minute' | 'hour' | 'day' | 'week' | 'month' | undefined;
  readonly filter?: Filter | undefined;
  /** Metrics, and `time` of a series, with "asc" or "desc"; a value that is not known comes last. Without it: by time, then by the first metric, the greatest first. */
  readonly sort?: Readonly<Record<string, 'asc' | 'desc'>> | undefined;
  /** Rows of the answer, at most 10000. */
  readonly limit?: number | undefined;
  /** Also shows the range of the same length before; a range without an end or a start has none. */
  readonly compare?: boolean | undefined;
  /** Columns that the panel takes, of three. */
  readonly width?: 1 | 2 | 3 | undefined;
}

export type BoardAnswer = Board;

/** A stored board. */
export interface Board {
  readonly id: string;
  /** When it was saved. */
  readonly created_at: string;
  /** When it was changed last. */
  readonly updated_at: string;
  /** Unique in the organisation. */
  readonly name: string;
  readonly time_range: BoardTimeRange;
  readonly panels: readonly BoardPanel[];
  /** Grows by one with each change. */
  readonly version: number;
}

/** The whole board, as it is from now on. */
export interface ChangedBoard {
  /** Unique in the organisation. */
  readonly name: string;
  readonly time_range: BoardTimeRange;
  readonly panels: readonly BoardPanel[];
  /** The version that the change was made from, as `GET` shows it. */
  readonly version: number;
  /** As the answer shows it; ignored in what is sent. */
  readonly id?: unknown;
  /** As the answer shows it; ignored in what is sent. */
  readonly created_at?: unknown;
  /** As the answer shows it; ignored in what is sent. */
  readonly updated_at?: unknown;
}

export type ServiceHealthAnswer = ServiceHealth;

/** State of the service as a whole. Counts of what happened begin with the core; those of calls and restarts with the service. */
export interface ServiceHealth {
  /** `unavailable` goes with status 503. */
  readonly status: 'ok' | 'unavailable';
  /** Parts that do not work at the moment. */
  readonly failing: readonly string[];
  /** What works and is behind, or about to fail. */
  readonly degraded: readonly string[];
  /** When the figures were read; those of other processes are a second old. */
  readonly measured_at: string;
  readonly spool: {
    /** Bytes of all files of the spool. */
    readonly bytes: number;
    /** Bytes at which calls go on unrecorded (`GATELOG_SPOOL_MAX_BYTES`). */
    readonly max_bytes: number;
    /** Exchanges that the store does not have, ended or not. */
    readonly exchanges_open: number;
    /** Exchanges that have ended and that the store does not have yet. */
    readonly exchanges_waiting: number;
    /** How long ago the oldest of them has ended, the delay of the record; 0 while none waits. */
    readonly oldest_waiting_ms: number;
  };
  readonly ingest: {
    /** Whether batches get into the store. */
    readonly draining: boolean;
    /** Tries to store a batch that failed. */
    readonly failed_batches: number;
  };
  /** Calls that are not, or not surely, on record; null: no gateway tells the core. */
  readonly unrecorded_calls: {
    /** The spool was full. */
    readonly spool_full: number;
    /** A write failed; the record may be there. */
    readonly write_failed: number;
  } | null;
  readonly dead_letters: {
    /** Dead letters that there are now. */
    readonly kept: number;
    /** Their bytes. */
    readonly bytes: number;
    /** Bytes at which the oldest go (`GATELOG_DEAD_LETTER_MAX_BYTES`). */
    readonly max_bytes: number;
    /** Exchanges that could not be stored and became one. */
    readonly added: number;
    /** Those that were removed by age or for room. */
    readonly removed: number;
  };
  readonly prices: {
    /** The public price list: its package and version. */
    readonly list: string;
    /** Its day (UTC). */
    readonly list_published: string;
    /** Its age in days. */
    readonly list_age_days: number;
    /** Calls with tokens that were stored since midnight (UTC), or since the core began. */
    readonly calls_today: number;
    /** Those of them whose cost is not known; `gatelog report unpriced` names their models. */
    readonly unpriced_today: number;
  };
  readonly store: {
    /** Parts with a damaged file that fail what reads them. */
    readonly damaged_parts: number;
    /** Parts that could not be loaded and are in no answer. */
    readonly lost_parts: number;
    /** Requests whose bodies an upgrade has still to move. */
    readonly bodies_to_move: number;
    /** Statements that wait for a connection. */
    readonly statements_waiting: number;
  };
  /** Null: the store is a server of its own. */
  readonly disk: {
    /** Free bytes of the disk with the store. */
    readonly free_bytes: number;
    /** Below this nothing is stored (`GATELOG_STORE_SPARE_BYTES`). */
    readonly spare_bytes: number;
  } | null;
  readonly deliveries: {
    /** Messages of webhooks and alerts that wait for an attempt; null: their database cannot be read. */
    readonly pending: number | null;
    /** How long the oldest due one waits; 0 while none does, null as above. */
    readonly overdue_ms: number | null;
    /** How far the webhook that is furthest behind is behind the stored requests. */
    readonly behind_ms: number;
  };
  /** Processes that ended without having been told to; null: no supervisor tells the core. */
  readonly restarts: {
    /** Of gateway workers. */
    readonly gateway: number;
    /** Of the core. */
    readonly core: number;
  } | null;
}
