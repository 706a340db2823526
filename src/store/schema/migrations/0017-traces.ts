import type { Migration } from './migration.ts';

const display = `toJSONString(tuple(
    toUnixTimestamp64Milli(response_created_at), path, target_url, provider, request_model, response_model, model,
    response_id, status, latency, gateway_overhead, total_tokens, prompt_tokens, completion_tokens, usage_raw, size_bytes,
    storage_location, user_id, time_to_first_token, prompt_cache_read_tokens, reasoning_tokens, referrer, country_code,
    model_override, node_id, job_id, prompt_id, prompt_version, attempts, prompt_cache_write_tokens, prompt_audio_tokens,
    completion_audio_tokens, usage_estimated, cache_enabled, cached, cache_reference_id, threat, is_passthrough_billing,
    assets, request_body_cut, response_body_cut, aliased_names,
    trace_id, span_id
))`;

/**
 * The span of a call, and of the spans that tell of it: by these, and by the provider's identifier of its response, what is told of a call
 * later finds its record. Parts from before have the indexes after their next merge.
 */
export const traces: Migration = {
  number: 17,
  name: 'traces',
  statements: [
    'ALTER TABLE requests ADD COLUMN IF NOT EXISTS trace_id String',
    'ALTER TABLE requests ADD COLUMN IF NOT EXISTS span_id String',
    'ALTER TABLE requests ADD COLUMN IF NOT EXISTS span_links Array(String)',
    `ALTER TABLE requests MODIFY COLUMN display String DEFAULT ${display} CODEC(ZSTD(1))`,
    'ALTER TABLE requests ADD INDEX IF NOT EXISTS trace_id_bloom trace_id TYPE bloom_filter GRANULARITY 1',
    'ALTER TABLE requests ADD INDEX IF NOT EXISTS response_id_bloom response_id TYPE bloom_filter GRANULARITY 1',
  ],
};
