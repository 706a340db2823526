import { sortKeys } from '../../model/vocabulary/sort.ts';

/** Short names of columns, as filters and metrics have them, and the fields of a request that they show. */
export const shortColumns: Readonly<Record<string, string>> = {
  id: 'request_id',
  time: 'request_created_at',
  status: 'response_status',
  user: 'request_user_id',
  user_id: 'request_user_id',
  session: 'session_id',
  path: 'request_path',
  tokens: 'total_tokens',
};

const furtherColumns = `model provider cost latency time_to_first_byte time_to_first_token streamed client client_version prompt_tokens completion_tokens total_tokens cached session_name session_path
  country_code target_url input_preview output_preview request_body response_body properties properties. scores scores. inputs.`;

/** Columns that a shell completes. */
export const suggestedColumns: readonly string[] = [...Object.keys(shortColumns), ...furtherColumns.split(/\s+/)];

/** Columns of an export that a shell completes: fields alone. */
export const exportedColumns: readonly string[] = [...new Set([...Object.values(shortColumns), ...furtherColumns.split(/\s+/)])];

/** Keys of an order, by the names that columns have. */
export const shortSorts: Readonly<Record<string, string>> = {
  time: 'created_at',
  user: 'user_id',
  model: 'body_model',
  tokens: 'total_tokens',
  cached: 'is_cached',
};

/** Orders that a shell completes. */
export const suggestedSorts: readonly string[] = [
  ...Object.keys(shortSorts),
  ...Object.keys(sortKeys).filter((key) => !Object.values(shortSorts).includes(key)),
  'properties.',
];
