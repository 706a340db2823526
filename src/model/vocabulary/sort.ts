/** Sort keys that take a direction, each with its sentence for the OpenAPI document. */
export const sortKeys = {
  created_at: 'When the request arrived.',
  cache_created_at: 'When the cached original was made.',
  latency: 'Milliseconds from the request to the end of the response.',
  last_active: 'The latest request of the same user.',
  total_tokens: 'Input and output tokens together.',
  completion_tokens: 'Output tokens.',
  prompt_tokens: 'Input tokens.',
  user_id: 'User of the application.',
  body_model: 'Model that the response names.',
  is_cached: 'Whether the answer came from the response cache.',
  request_prompt: 'Text of the last user message.',
  response_text: 'Text of the first choice.',
  cost: 'Cost in US dollars.',
  time_to_first_token: 'Milliseconds to the first byte of a streamed response.',
} as const satisfies Record<string, string>;

export type SortKey = keyof typeof sortKeys;

/** Sort keys that take an object of names, each with a direction. */
export const namedSortKeys = {
  properties: 'Text of a property by its name.',
  values: 'Text of a prompt input by its name.',
} as const satisfies Record<string, string>;

export type NamedSortKey = keyof typeof namedSortKeys;

export const sessionSortKeys = {
  created_at: 'When the first of its requests arrived.',
  latest_request_created_at: 'When the latest of its requests arrived.',
  total_cost: 'Cost in US dollars.',
  total_requests: 'Number of requests.',
  failed: 'Number of requests that failed.',
  total_tokens: 'Input and output tokens together.',
  avg_latency: 'Latency of a request on average; 0 when none has one.',
} as const satisfies Record<string, string>;

export type SessionSortKey = keyof typeof sessionSortKeys;

export const sortDirections = ['asc', 'desc'] as const;

export type SortDirection = (typeof sortDirections)[number];

/** Keys that users can be sorted by; `query/users/view.ts` has what they mean. */
export const userSortKeys = [
  'user_id',
  'active_for',
  'first_active',
  'last_active',
  'total_requests',
  'failed',
  'average_requests_per_day_active',
  'average_tokens_per_request',
  'total_completion_tokens',
  'total_prompt_tokens',
  'cost',
] as const;
