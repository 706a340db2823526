import { type Fragment, join, sql } from '../../sql/sql.ts';
import { identifier } from '../../sql/identifier.ts';

/** A whole number as the store sends it: text when its settings quote 64-bit integers. */
export type NumberCell = number | string;

/** A row of a page as JSONEachRow gives it. Empty text is absent text, times are Unix milliseconds, JSON columns are still text. */
export interface RequestRow {
  readonly id: string;
  readonly organization: string;
  readonly created_ms: NumberCell;
  readonly response_created_ms: NumberCell | null;
  readonly updated_ms: NumberCell;
  readonly path: string;
  readonly referrer: string;
  readonly target_url: string;
  readonly provider: string;
  readonly country_code: string;
  readonly request_model: string;
  readonly response_model: string;
  readonly model_override: string;
  readonly model: string;
  readonly user_id: string;
  readonly session_id: string;
  readonly session_name: string;
  readonly session_path: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly aliased_names: boolean;
  readonly node_id: string;
  readonly job_id: string;
  readonly prompt_id: string;
  readonly prompt_version: string;
  readonly response_id: string;
  readonly status: NumberCell;
  readonly latency: NumberCell | null;
  readonly time_to_first_token: NumberCell | null;
  readonly gateway_overhead: NumberCell | null;
  readonly attempts: string;
  readonly prompt_tokens: NumberCell | null;
  readonly completion_tokens: NumberCell | null;
  readonly prompt_cache_read_tokens: NumberCell | null;
  readonly prompt_cache_write_tokens: NumberCell | null;
  readonly prompt_audio_tokens: NumberCell | null;
  readonly completion_audio_tokens: NumberCell | null;
  readonly reasoning_tokens: NumberCell | null;
  readonly total_tokens: NumberCell | null;
  readonly usage_estimated: boolean;
  readonly usage_raw: string;
  /** Decimal text of US dollars. */
  readonly cost_text: string | null;
  readonly cost_source: string;
  readonly cache_enabled: boolean;
  readonly cached: boolean;
  readonly cache_reference_id: string;
  readonly threat: boolean | null;
  readonly is_passthrough_billing: boolean | null;
  readonly assets: readonly string[];
  readonly scores: Readonly<Record<string, number>>;
  readonly feedback_number: NumberCell | null;
  readonly feedback_rating: boolean | null;
  readonly feedback_created_ms: NumberCell | null;
  readonly size_bytes: NumberCell;
  readonly request_body_cut: boolean;
  readonly response_body_cut: boolean;
  readonly storage_location: string;
  /** Only when the plan asks for inputs. */
  readonly inputs?: Readonly<Record<string, string>>;
}

/** A row of `bodies` as JSONEachRow gives it. */
export interface BodiesRow {
  readonly id: string;
  readonly request_kind: string;
  readonly request_text: string;
  readonly request_content_type: string;
  readonly response_kind: string;
  readonly response_text: string;
  readonly response_content_type: string;
}

/**
 * Columns of a page that are not taken as they are.
 * TRICKY: none of these names is a column of the table, because the engine would read the alias in WHERE and ORDER BY too.
 */
const computed = {
  id: sql`id_text`,
  organization: sql`org_text`,
  created_ms: sql`toUnixTimestamp64Milli(created_at)`,
  response_created_ms: sql`toUnixTimestamp64Milli(response_created_at)`,
  updated_ms: sql`toUnixTimestamp64Milli(updated_at)`,
  feedback_created_ms: sql`toUnixTimestamp64Milli(feedback_created_at)`,
  cost_text: sql`toString(cost)`,
} as const satisfies Partial<Record<keyof RequestRow, Fragment>>;

type PlainColumn = Exclude<keyof RequestRow, keyof typeof computed | 'inputs'>;

/** The keys say which columns are read; a row type that gains one does not compile until it stands here. */
const plain: Readonly<Record<PlainColumn, true>> = {
  path: true,
  referrer: true,
  target_url: true,
  provider: true,
  country_code: true,
  request_model: true,
  response_model: true,
  model_override: true,
  model: true,
  user_id: true,
  session_id: true,
  session_name: true,
  session_path: true,
  properties: true,
  aliased_names: true,
  node_id: true,
  job_id: true,
  prompt_id: true,
  prompt_version: true,
  response_id: true,
  status: true,
  latency: true,
  time_to_first_token: true,
  gateway_overhead: true,
  attempts: true,
  prompt_tokens: true,
  completion_tokens: true,
  prompt_cache_read_tokens: true,
  prompt_cache_write_tokens: true,
  prompt_audio_tokens: true,
  completion_audio_tokens: true,
  reasoning_tokens: true,
  total_tokens: true,
  usage_estimated: true,
  usage_raw: true,
  cost_source: true,
  cache_enabled: true,
  cached: true,
  cache_reference_id: true,
  threat: true,
  is_passthrough_billing: true,
  assets: true,
  scores: true,
  feedback_number: true,
  feedback_rating: true,
  size_bytes: true,
  request_body_cut: true,
  response_body_cut: true,
  storage_location: true,
};

/** Columns of {@link RequestRow} for a query over `requests`. */
export const requestRowColumns: Fragment = join(
  [...Object.entries(computed).map(([name, value]) => sql`${value} AS ${identifier(name)}`), ...Object.keys(plain).map(identifier)],
  ', ',
);

/** Columns of {@link BodiesRow} for a query over `bodies`, which has no alias column for the text of an identifier. */
export const bodiesRowColumns: Fragment = sql`UUIDNumToString(reverse(reinterpretAsFixedString(request_id))) AS id, request_kind, concat(request_body, request_rest) AS request_text, request_content_type, response_kind, concat(response_body, response_rest) AS response_text, response_content_type`;
