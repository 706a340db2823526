import type { Migration } from './migration.ts';

const display = `toJSONString(tuple(
    toUnixTimestamp64Milli(response_created_at), path, target_url, provider, request_model, response_model, model,
    response_id, status, latency, gateway_overhead, total_tokens, prompt_tokens, completion_tokens, usage_raw, size_bytes,
    storage_location, user_id, time_to_first_token, prompt_cache_read_tokens, reasoning_tokens, referrer, country_code,
    model_override, node_id, job_id, prompt_id, prompt_version, attempts, prompt_cache_write_tokens, prompt_audio_tokens,
    completion_audio_tokens, usage_estimated, cache_enabled, cached, cache_reference_id, threat, is_passthrough_billing,
    assets, request_body_cut, response_body_cut, aliased_names,
    trace_id, span_id,
    time_to_first_byte, streamed, failure_kind, failure_type, failure_message, client, client_version
))`;

const failureOfStatus = "multiIf(status = 0, 'no_reply', (status < 200 OR status >= 400) AND status != 499, 'status', '')";

/**
 * What made a call, how its response came, and why it failed. Of calls from before, those with a first token had a stream, and their status
 * says whether they failed.
 */
export const factsOfCalls: Migration = {
  number: 20,
  name: 'facts of calls',
  statements: [
    'ALTER TABLE requests ADD COLUMN IF NOT EXISTS time_to_first_byte Nullable(UInt64) DEFAULT time_to_first_token',
    'ALTER TABLE requests ADD COLUMN IF NOT EXISTS streamed Bool DEFAULT time_to_first_token IS NOT NULL',
    `ALTER TABLE requests ADD COLUMN IF NOT EXISTS failure_kind LowCardinality(String) DEFAULT ${failureOfStatus}`,
    'ALTER TABLE requests ADD COLUMN IF NOT EXISTS failure_type LowCardinality(String)',
    'ALTER TABLE requests ADD COLUMN IF NOT EXISTS failure_message String',
    'ALTER TABLE requests ADD COLUMN IF NOT EXISTS client LowCardinality(String)',
    'ALTER TABLE requests ADD COLUMN IF NOT EXISTS client_version LowCardinality(String)',
    `ALTER TABLE requests MODIFY COLUMN display String DEFAULT ${display} CODEC(ZSTD(1))`,
  ],
};
