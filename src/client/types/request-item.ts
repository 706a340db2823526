/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */

/** One recorded request. */
export interface RequestItem {
  /** Identifier, the value of the response header svc-id. */
  readonly request_id: string;
  /** When the request arrived. */
  readonly request_created_at: string;
  /** Path of the call. */
  readonly request_path: string | null;
  /** Referer header of the call. */
  readonly request_referrer: string | null;
  /** Body of the request: JSON as such, other text as a string, bytes as {"base64", "content_type"}; null when it was not kept or not asked for. */
  readonly request_body: unknown;
  /** User of the application, empty when none was named. */
  readonly request_user_id: string;
  /** Custom properties by name. */
  readonly request_properties: Readonly<Record<string, string>>;
  /** Model that the request names. */
  readonly request_model: string | null;
  /** Value of Svc-Model-Override. */
  readonly model_override: string | null;
  /** Value of Svc-Node-Id. */
  readonly node_id: string | null;
  /** Value of Svc-Job-Id. */
  readonly job_id: string | null;
  /** Trace of the call: of its `traceparent`, or of the span that told of it. */
  readonly trace_id: string | null;
  /** Span of the call: of its `traceparent`, or the one that told of it. */
  readonly span_id: string | null;
  /** The provider's identifier of its response. */
  readonly response_id: string | null;
  /** When the response had ended. */
  readonly response_created_at: string | null;
  /** HTTP status of the provider; 499 the client left, 502 the provider broke off, 0 no response. */
  readonly response_status: number;
  /** Body of the response: JSON as such, other text as a string, bytes as {"base64", "content_type"}; null when it was not kept or not asked for. */
  readonly response_body: unknown;
  /** Model that the response names. */
  readonly response_model: string | null;
  /** The override, else the response's, else the request's model, else `unknown`. */
  readonly model: string;
  /** Provider in upper case. */
  readonly provider: string;
  /** Address that was called. */
  readonly target_url: string | null;
  /** Country of the caller, ISO 3166 alpha-2. */
  readonly country_code: string | null;
  /** Same as latency. */
  readonly delay_ms: number | null;
  /** Milliseconds from the request to the end of the response. */
  readonly latency: number | null;
  /** Milliseconds from the request to the first byte of the response body, for event streams; null for other replies. */
  readonly time_to_first_token: number | null;
  /** Milliseconds that the gateway spent on the call before it went out, the wait for its body left out: also what `Server-Timing` on its reply says. Passing the reply on is not in it. */
  readonly gateway_overhead_ms: number | null;
  /** All input tokens, cached ones included. */
  readonly prompt_tokens: number | null;
  /** All output tokens, reasoning included. */
  readonly completion_tokens: number | null;
  /** Input and output tokens together. */
  readonly total_tokens: number | null;
  /** Output tokens spent on reasoning. */
  readonly reasoning_tokens: number | null;
  /** The provider's usage object as received. */
  readonly usage_raw: unknown;
  /** The attempts at providers, retries and fallbacks, when there was more than one, else null. The item is of the last. */
  readonly attempts: readonly {
    /** Provider that was tried. */
    readonly provider: string;
    /** Its HTTP status, 0 without a response. */
    readonly status: number;
    /** Milliseconds that the try took. */
    readonly ms: number;
    /** Why there was no whole response: provider_unreachable, provider_timeout, provider_broke, client_left. */
    readonly error?: string | undefined;
  }[] | null;
  /** Input tokens read from the cache of the provider. */
  readonly prompt_cache_read_tokens: number | null;
  /** Input tokens written to the cache of the provider. */
  readonly prompt_cache_write_tokens: number | null;
  /** Audio tokens of the input. */
  readonly prompt_audio_tokens: number | null;
  /** Audio tokens of the output. */
  readonly completion_audio_tokens: number | null;
  /** True when the counts are estimates, because the provider reported none. */
  readonly usage_estimated: boolean;
  /** Cost in US dollars. */
  readonly cost: number | null;
  /** Same as cost. */
  readonly costUSD: number | null;
  /** Where the cost comes from. */
  readonly cost_source: 'price-book' | 'provider' | 'header' | 'none';
  /** Custom properties by name. */
  readonly properties: Readonly<Record<string, string>>;
  /** Scores by name. */
  readonly scores: Readonly<Record<string, number>>;
  /** Identifiers of assets. */
  readonly assets: readonly string[];
  /** Same as assets. */
  readonly asset_ids: readonly string[];
  /** Addresses of assets by identifier. */
  readonly asset_urls: Readonly<Record<string, string>> | null;
  /** Value of Svc-Prompt-Id. */
  readonly prompt_id: string | null;
  /** Value of Svc-Prompt-Version. */
  readonly prompt_version: string | null;
  /** Prompt inputs by name; null unless asked for. */
  readonly inputs: Readonly<Record<string, string>> | null;
  /** Whether the caller enabled the response cache. */
  readonly cache_enabled: boolean;
  /** Whether the answer came from the response cache. */
  readonly cached: boolean;
  /** Identifier of the request whose answer was reused. */
  readonly cache_reference_id: string | null;
  /** Whether the security check flagged the request. */
  readonly threat: boolean | null;
  /** Whether the provider was paid through the gateway. */
  readonly is_passthrough_billing: boolean | null;
  /** Session that the request belongs to. */
  readonly session_id: string | null;
  /** Name of the session. */
  readonly session_name: string | null;
  /** Place of the request in its session. */
  readonly session_path: string | null;
  /** Organisation that owns the record. */
  readonly organization_id: string;
  /** Always null; kept for older clients. */
  readonly helicone_user: null;
  /** When the feedback was given. */
  readonly feedback_created_at: string | null;
  /** Number of the feedback, as text. */
  readonly feedback_id: string | null;
  /** The feedback: true is good, false is bad. */
  readonly feedback_rating: boolean | null;
  /** Address that returns both bodies without a key, for an hour. */
  readonly signed_body_url: string | null;
  /** Always null; kept for older clients. */
  readonly llmSchema: null;
  /** Always empty; kept for older clients. */
  readonly ai_gateway_body_mapping: '';
  /** Where the bodies are; `clickhouse` in this version. */
  readonly storage_location: string;
  /** Bytes of both bodies as they passed. */
  readonly size_bytes: number;
  /** True when less of the request body is recorded than passed. */
  readonly request_body_cut: boolean;
  /** True when less of the response body is recorded than passed. */
  readonly response_body_cut: boolean;
  /** When the record changed last. */
  readonly updated_at: string;
}
