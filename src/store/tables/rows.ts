import { uuidToNumber } from '../../model/ids.ts';
import { moneyText } from '../../model/money.ts';
import type { RecordedBody, RequestRecord } from '../../model/request-record.ts';
import { totalTokens } from '../../model/usage.ts';

/** A record's line for the table `requests`, as JSONEachRow. @param storedAt Unix milliseconds. */
export function requestRow(record: RequestRecord, storedAt: number): string {
  const { usage } = record;
  return JSON.stringify({
    ...keyColumns(record),
    response_created_at: timeText(record.responseCreatedAt),
    updated_at: timeText(storedAt),
    key_hash: record.keyHash,
    method: record.method,
    path: record.path,
    referrer: record.referrer,
    target_url: record.targetUrl,
    provider: record.provider,
    country_code: record.countryCode,
    request_model: record.requestModel,
    response_model: record.responseModel,
    model_override: record.modelOverride,
    model: record.model,
    user_id: record.userId,
    session_id: record.sessionId,
    session_name: record.sessionName,
    session_path: record.sessionPath,
    properties: Object.fromEntries(record.properties),
    node_id: record.nodeId,
    job_id: record.jobId,
    prompt_id: record.promptId,
    prompt_version: record.promptVersion,
    experiment_id: record.experimentId,
    inputs: Object.fromEntries(record.inputs),
    response_id: record.responseId,
    status: record.status,
    latency: record.latencyMs,
    time_to_first_token: record.timeToFirstTokenMs,
    gateway_overhead: record.gatewayOverheadMs,
    attempts: record.attempts.length > 1 ? JSON.stringify(record.attempts) : '',
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    prompt_cache_read_tokens: usage.promptCacheReadTokens,
    prompt_cache_write_tokens: usage.promptCacheWriteTokens,
    prompt_audio_tokens: usage.promptAudioTokens,
    completion_audio_tokens: usage.completionAudioTokens,
    reasoning_tokens: usage.reasoningTokens,
    total_tokens: totalTokens(usage),
    usage_estimated: usage.estimated,
    usage_raw: usage.raw === null ? '' : jsonText(usage.raw),
    service_tier: record.serviceTier,
    cost: record.cost === null ? null : moneyText(record.cost),
    cost_source: record.costSource,
    price_reference: record.priceReference,
    cache_enabled: record.cacheEnabled,
    cached: record.cached,
    cache_reference_id: record.cacheReferenceId,
    threat: record.threat,
    is_passthrough_billing: record.isPassthroughBilling,
    assets: record.assets,
    size_bytes: record.sizeBytes,
    request_body_cut: record.requestBodyCut,
    response_body_cut: record.responseBodyCut,
    storage_location: 'clickhouse',
  });
}

/** A record's line for the table `bodies`, as JSONEachRow. */
export function bodiesRow(record: RequestRecord): string {
  const { requestBody, responseBody } = record;
  return JSON.stringify({
    ...keyColumns(record),
    request_kind: requestBody.kind,
    request_body: bodyText(requestBody),
    request_content_type: requestBody.kind === 'binary' ? requestBody.contentType : '',
    response_kind: responseBody.kind,
    response_body: bodyText(responseBody),
    response_content_type: responseBody.kind === 'binary' ? responseBody.contentType : '',
    prompt_text: record.promptText,
    last_user_text: record.lastUserText,
    completion_text: record.completionText,
  });
}

function keyColumns(record: RequestRecord): Record<string, string | null> {
  return {
    org_id: uuidToNumber(record.organizationId).toString(),
    created_at: timeText(record.createdAt),
    request_id: uuidToNumber(record.requestId).toString(),
  };
}

/** TRICKY: Unix milliseconds as a calendar time, because the engine takes decimal seconds of few digits for a year. */
function timeText(unixMs: number | null): string | null {
  return unixMs === null ? null : new Date(unixMs).toISOString().slice(0, 23).replace('T', ' ');
}

/** TRICKY: `JSON.stringify` overflows the stack on nesting that `JSON.parse` still reads. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
}

function bodyText(body: RecordedBody): string {
  switch (body.kind) {
    case 'absent':
      return '';
    case 'json':
    case 'text':
      return body.text;
    case 'binary':
      return body.base64;
  }
}
