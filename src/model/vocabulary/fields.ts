import type { OperatorFamily } from './operators.ts';

/**
 * `scalar`: one value of a family. `map`: an object of names, each with its own operator object. `key`: tests whether a name is present;
 * takes `equals` only.
 */
export type FieldShape = 'scalar' | 'map' | 'key';

export interface FieldDefinition {
  readonly shape: FieldShape;
  readonly family: OperatorFamily;
  /** `equals` reads its value as a case-insensitive pattern, as `ilike` does. */
  readonly equalsIsPattern?: true;
  /** `equals` and `not-equals` ignore case. */
  readonly equalsIgnoresCase?: true;
  /** One sentence for the OpenAPI document. */
  readonly description: string;
  /** Display name, where it is not the field's name with spaces. */
  readonly label?: string;
  /** Unit of its numbers. */
  readonly unit?: string;
}

type Wording = Pick<FieldDefinition, 'label' | 'unit'>;

/** A definition whose shape and family are known to the compiler. */
type Known<Shape extends FieldShape, Family extends OperatorFamily> = FieldDefinition & { shape: Shape; family: Family };

function scalar<Family extends OperatorFamily>(family: Family, description: string, wording: Wording = {}): Known<'scalar', Family> {
  return { shape: 'scalar', family, description, ...wording };
}

function map<Family extends OperatorFamily>(family: Family, description: string, wording: Wording = {}): Known<'map', Family> {
  return { shape: 'map', family, description, ...wording };
}

/** Group `request_response_rmt`: the record of one request. */
export const requestFields = {
  country_code: scalar('text', 'Country of the caller, ISO 3166 alpha-2.', { label: 'country' }),
  provider: {
    ...scalar('text', 'Provider, such as OPENAI; `equals` and `not-equals` take it in any case.'),
    equalsIgnoresCase: true,
  },
  model: scalar('text', 'Model: the override, else the one the response names, else the requested one.'),
  user_id: scalar('text', 'User of the application, from Svc-User-Id or the body.', { label: 'user' }),
  failure_type: scalar('text', "Why the call failed in the provider's own word, such as rate_limit_error, or the code of Gatelog's error."),
  client: scalar('text', 'Program that made the call, such as claude-code or openai-node, by its user agent.'),
  client_version: scalar('text', 'Version of the program that made the call.'),
  organization_id: scalar('text', 'Organisation that owns the record.', { label: 'organisation' }),
  node_id: scalar('text', 'Value of Svc-Node-Id.', { label: 'node' }),
  job_id: scalar('text', 'Value of Svc-Job-Id.', { label: 'job' }),
  trace_id: scalar('text', 'Trace of the call, 32 hexadecimal digits: of its `traceparent`, or of the span that told of it.', {
    label: 'trace',
  }),
  span_id: scalar('text', 'Span of the call, 16 hexadecimal digits: of its `traceparent`, or the one that told of it.', { label: 'span' }),
  request_id: scalar('text', 'Identifier of the request, the value of the response header svc-id.', { label: 'request' }),
  target_url: scalar('text', 'Address that was called.', { label: 'target address' }),
  scores_column: scalar('text', 'All scores as the text of a JSON object.', { label: 'scores as JSON' }),
  request_body: scalar('text', 'Text of the request body.'),
  response_body: scalar('text', 'Text of the response body; streams are put together first.'),
  cache_reference_id: scalar('text', 'For a cache hit: identifier of the request whose answer was reused.', { label: 'cached original' }),
  assets: scalar('text', 'Asset identifiers as the text of a JSON array.', { label: 'assets as JSON' }),
  prompt_id: scalar('text', 'Value of Svc-Prompt-Id.', { label: 'prompt' }),
  prompt_version: scalar('text', 'Value of Svc-Prompt-Version.'),
  request_referrer: scalar('text', 'Referer header of the call.', { label: 'referrer' }),
  latency: scalar('number', 'Milliseconds from the request to the end of the response.', { unit: 'ms' }),
  cost: scalar('number', 'Cost in US dollars.', { unit: 'USD' }),
  time_to_first_token: scalar(
    'number',
    'Milliseconds from the request to the first piece of content of the response; recorded for event streams only, else absent.',
    { unit: 'ms' },
  ),
  time_to_first_byte: scalar('number', 'Milliseconds from the request to the first byte of the response body.', { unit: 'ms' }),
  status: scalar('number', 'HTTP status of the provider; 499 the client left, 502 the provider broke off, 0 no response.'),
  prompt_tokens: scalar('number', 'Input tokens, cached ones included.'),
  completion_tokens: scalar('number', 'Output tokens, reasoning included.'),
  prompt_cache_read_tokens: scalar('number', 'Input tokens that the provider read from its cache.'),
  prompt_cache_write_tokens: scalar('number', 'Input tokens that the provider wrote to its cache.'),
  total_tokens: scalar('number', 'Input and output tokens together.'),
  request_created_at: scalar('timestamp', 'When the request arrived.', { label: 'time' }),
  response_created_at: scalar('timestamp', 'When the response had ended.', { label: 'end of response' }),
  failed: scalar(
    'boolean',
    'Whether the call failed: by its status (but 499, a client that left), by an error in its reply, or without a whole reply.',
  ),
  streamed: scalar('boolean', 'Whether the response was an event stream.'),
  threat: scalar('boolean', 'Whether the security check flagged the request.'),
  cache_enabled: scalar('boolean', 'Whether the caller enabled the response cache.', { label: 'response cache enabled' }),
  cached: scalar('boolean', 'Whether the answer came from the response cache.'),
  'svc-score-feedback': scalar('boolean', 'Feedback rating; a request without one matches neither value.', { label: 'feedback rating' }),
  is_passthrough_billing: scalar('boolean', 'Whether the provider was paid through the gateway.', { label: 'paid through the gateway' }),
  property_key: { shape: 'key', family: 'text', description: 'The request has a property of this name.' },
  properties: map('text', 'Custom properties by name; names are case-sensitive.', { label: 'property' }),
  search_properties: {
    ...map('text', 'Like properties, with equals read as a case-insensitive pattern.', { label: 'property' }),
    equalsIsPattern: true,
  },
  scores: map('number', 'Scores by name; the score has to be present.', { label: 'score' }),
} as const satisfies Record<string, FieldDefinition>;

/** Group `sessions_request_response_rmt`: the session that a request belongs to, over all its requests. */
export const sessionFields = {
  session_session_id: scalar('text', 'Identifier of the session.', { label: 'session' }),
  session_session_name: scalar('text', 'Newest name of the session that is not empty.', { label: 'session name' }),
  session_tag: scalar('text', 'Tag of the session.'),
  session_total_cost: scalar('number', 'Cost of all its requests in US dollars.', { unit: 'USD' }),
  session_total_tokens: scalar('number', 'Input and output tokens of all its requests.'),
  session_prompt_tokens: scalar('number', 'Input tokens of all its requests.'),
  session_completion_tokens: scalar('number', 'Output tokens of all its requests.'),
  session_total_requests: scalar('number', 'How many requests it has.', { label: 'requests of the session' }),
  session_created_at: scalar('timestamp', 'When its first request arrived.', { label: 'session start' }),
  session_latest_request_created_at: scalar('timestamp', 'When its latest request arrived.', { label: 'latest time of the session' }),
} as const satisfies Record<string, FieldDefinition>;

/** Group `session`. */
export const sessionPropertyFields = {
  properties: map('text', 'Properties of the whole session by name: the newest value of each.', { label: 'session property' }),
} as const satisfies Record<string, FieldDefinition>;

/** Legacy group `request`: older names for parts of the same record. */
export const legacyRequestFields = {
  prompt: scalar('text', 'Text of all messages of the request.', { label: 'text of the prompt' }),
  user_id: scalar('text', 'Same as user_id of request_response_rmt.', { label: 'user' }),
  auth_hash: scalar('text', 'Hash of the key that was used.', { label: 'hash of the key' }),
  org_id: scalar('text', 'Organisation that owns the record.', { label: 'organisation' }),
  id: scalar('text', 'Identifier of the request.', { label: 'request' }),
  node_id: scalar('text', 'Value of Svc-Node-Id.', { label: 'node' }),
  model: scalar('text', 'Model that the request names.', { label: 'requested model' }),
  modelOverride: scalar('text', 'Value of Svc-Model-Override.', { label: 'model override' }),
  path: scalar('text', 'Path of the call.'),
  country_code: scalar('text', 'Country of the caller, ISO 3166 alpha-2.', { label: 'country' }),
  prompt_id: scalar('text', 'Value of Svc-Prompt-Id.', { label: 'prompt' }),
  created_at: scalar('timestamp', 'When the request arrived.', { label: 'time' }),
} as const satisfies Record<string, FieldDefinition>;

/** Legacy group `response`. */
export const legacyResponseFields = {
  body_tokens: scalar('number', 'Input and output tokens together.', { label: 'total tokens' }),
  status: scalar('number', 'HTTP status of the provider.'),
  body_model: scalar('text', 'Model that the response names.', { label: 'response model' }),
  body_completion: scalar('text', 'Text of the first choice.', { label: 'text of the completion' }),
  model: scalar('text', 'Model that the response names.', { label: 'response model' }),
} as const satisfies Record<string, FieldDefinition>;

/** Legacy group `feedback`; absent without feedback. */
export const legacyFeedbackFields = {
  id: scalar('number', 'Number of the feedback.', { label: 'feedback number' }),
  created_at: scalar('timestamp', 'When it was given.', { label: 'time of feedback' }),
  rating: scalar('boolean', 'True is good, false is bad.', { label: 'feedback rating' }),
  response_id: scalar('text', "The provider's identifier of the rated response.", { label: 'rated response' }),
} as const satisfies Record<string, FieldDefinition>;

/** Filter groups (wrapper keys of a leaf) with their fields. */
export const fieldGroups = {
  request_response_rmt: requestFields,
  sessions_request_response_rmt: sessionFields,
  session: sessionPropertyFields,
  request: legacyRequestFields,
  response: legacyResponseFields,
  feedback: legacyFeedbackFields,
} as const satisfies Record<string, Record<string, FieldDefinition>>;

/** Group `users_view`, in queries of users alone: a user's totals over the requests that match. */
export const userFields = {
  user_user_id: scalar('text', 'Identifier of the user.', { label: 'user' }),
  user_active_for: scalar('number', 'Days with a request.', { label: 'active days', unit: 'd' }),
  user_first_active: scalar('timestamp', 'When the first request arrived.', { label: 'first request' }),
  user_last_active: scalar('timestamp', 'When the latest request arrived.', { label: 'latest request' }),
  user_total_requests: scalar('number', 'Requests.', { label: 'requests' }),
  user_failed: scalar('number', 'Requests that failed.', { label: 'failed requests' }),
  user_average_requests_per_day_active: scalar('number', 'Requests for each day with one.', { label: 'requests per active day' }),
  user_average_tokens_per_request: scalar('number', 'Input and output tokens for each request.', { label: 'tokens per request' }),
  user_total_completion_tokens: scalar('number', 'Output tokens.', { label: 'output tokens' }),
  user_total_prompt_tokens: scalar('number', 'Input tokens.', { label: 'input tokens' }),
  user_cost: scalar('number', 'Cost in US dollars.', { label: 'cost', unit: 'USD' }),
} as const satisfies Record<`user_${string}`, FieldDefinition>;

/** A wrapper key of a leaf that holds a field. */
export type FieldGroup = keyof typeof fieldGroups;

/** Wrapper keys of a leaf that hold names themselves: `{"values": {"city": {"equals": "Oslo"}}}`. */
export const mapWrappers = {
  values: map('text', 'Prompt inputs by name.', { label: 'input' }),
} as const satisfies Record<string, FieldDefinition>;

export type MapWrapper = keyof typeof mapWrappers;
