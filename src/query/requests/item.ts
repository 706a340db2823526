import type { RequestItem } from '../../contract/requests/query.ts';
import { parseMoney, usdOf } from '../../model/pricing/money.ts';
import { type CostSource, costSources } from '../../model/record/request-record.ts';
import { RawJson } from '../../model/json/raw.ts';
import { parseJson } from '../../model/text.ts';
import { shownProperties } from '../../model/vocabulary/property-alias.ts';
import type { BodiesRow, NumberCell, RequestRow } from './columns.ts';

/** Rows of a page as items, in the order of the page. @param bodies the rows of `bodies` of the same records, in any order. */
export function requestItems(
  rows: readonly RequestRow[],
  bodies: readonly BodiesRow[],
  bodyAddressOf: (row: RequestRow) => string,
): RequestItem[] {
  const bodiesById = new Map(bodies.map((row) => [row.id, row]));
  return rows.map((row) => Object.assign(requestItem(row, bodiesById.get(row.id)), { signed_body_url: bodyAddressOf(row) }));
}

/** Both bodies of a request; null where there is none. */
export function bodiesOf(row: BodiesRow | undefined): { readonly request: unknown; readonly response: unknown } {
  return {
    request: row === undefined ? null : bodyOf(row.request_kind, row.request_text, row.request_content_type),
    response: row === undefined ? null : bodyOf(row.response_kind, row.response_text, row.response_content_type),
  };
}

/**
 * A recorded request as the API shows it: every key is there, null where nothing is known.
 * @param bodies the record's row of `bodies`; undefined when there is none or when bodies were not asked for.
 */
export function requestItem(row: RequestRow, bodies: BodiesRow | undefined): RequestItem {
  const shown = bodiesOf(bodies);
  // TRICKY: not by spreads. An object of so many keys that is put together from spreads takes ten times as long.
  const call = Object.assign(identityOf(row), requestPart(row), { request_body: shown.request });
  const response = Object.assign(call, responsePart(row), { response_body: shown.response }, usagePart(row));
  return Object.assign(response, costPart(row), cachePart(row), Object.assign(assessmentPart(row), olderClientsPart));
}

/** Fields that clients of upstream expect and that hold nothing here. */
const olderClientsPart = {
  helicone_user: null,
  signed_body_url: null,
  llmSchema: null,
  ai_gateway_body_mapping: '',
  asset_urls: null,
} as const;

function identityOf(row: RequestRow) {
  return {
    request_id: row.id,
    organization_id: row.organization,
    request_created_at: isoTime(row.created_ms),
    updated_at: isoTime(row.updated_ms),
    size_bytes: Number(row.size_bytes),
    request_body_cut: row.request_body_cut,
    response_body_cut: row.response_body_cut,
    storage_location: row.storage_location === '' ? 'clickhouse' : row.storage_location,
  };
}

function requestPart(row: RequestRow) {
  const properties = shownProperties(row.properties, row.aliased_names);
  return {
    request_path: textOrNull(row.path),
    request_referrer: textOrNull(row.referrer),
    request_user_id: row.user_id,
    request_properties: properties,
    properties,
    request_model: textOrNull(row.request_model),
    model_override: textOrNull(row.model_override),
    node_id: textOrNull(row.node_id),
    job_id: textOrNull(row.job_id),
    provider: row.provider,
    target_url: textOrNull(row.target_url),
    country_code: textOrNull(row.country_code),
    prompt_id: textOrNull(row.prompt_id),
    prompt_version: textOrNull(row.prompt_version),
    inputs: row.inputs ?? null,
    session_id: textOrNull(row.session_id),
    session_name: textOrNull(row.session_name),
    session_path: textOrNull(row.session_path),
  };
}

function responsePart(row: RequestRow) {
  const latency = numberOrNull(row.latency);
  return {
    response_id: textOrNull(row.response_id),
    response_created_at: isoTimeOrNull(row.response_created_ms),
    response_status: Number(row.status),
    response_model: textOrNull(row.response_model),
    model: row.model,
    delay_ms: latency,
    latency,
    time_to_first_token: numberOrNull(row.time_to_first_token),
    gateway_overhead_ms: numberOrNull(row.gateway_overhead),
    attempts: attemptsOf(row.attempts),
  };
}

function usagePart(row: RequestRow) {
  return {
    prompt_tokens: numberOrNull(row.prompt_tokens),
    completion_tokens: numberOrNull(row.completion_tokens),
    total_tokens: numberOrNull(row.total_tokens),
    reasoning_tokens: numberOrNull(row.reasoning_tokens),
    prompt_cache_read_tokens: numberOrNull(row.prompt_cache_read_tokens),
    prompt_cache_write_tokens: numberOrNull(row.prompt_cache_write_tokens),
    prompt_audio_tokens: numberOrNull(row.prompt_audio_tokens),
    completion_audio_tokens: numberOrNull(row.completion_audio_tokens),
    usage_estimated: row.usage_estimated,
    usage_raw: row.usage_raw === '' ? null : jsonOrText(row.usage_raw),
  };
}

function costPart(row: RequestRow) {
  const money = row.cost_text === null ? undefined : parseMoney(row.cost_text);
  const cost = money === undefined ? null : usdOf(money);
  return { cost, costUSD: cost, cost_source: costSources.find((source) => source === row.cost_source) ?? ('none' satisfies CostSource) };
}

function cachePart(row: RequestRow) {
  return { cache_enabled: row.cache_enabled, cached: row.cached, cache_reference_id: textOrNull(row.cache_reference_id) };
}

function assessmentPart(row: RequestRow) {
  const assets = [...row.assets];
  return {
    scores: row.scores,
    assets,
    asset_ids: assets,
    threat: row.threat,
    is_passthrough_billing: row.is_passthrough_billing,
    feedback_id: row.feedback_number === null ? null : String(row.feedback_number),
    feedback_rating: row.feedback_rating,
    feedback_created_at: isoTimeOrNull(row.feedback_created_ms),
  };
}

function bodyOf(kind: string, text: string, contentType: string): unknown {
  switch (kind) {
    case 'json':
      return jsonOrText(text);
    case 'text':
      return text;
    case 'binary':
      return { base64: text, content_type: contentType };
    default:
      return null;
  }
}

/** Longer JSON is shown by its text: what it parses to would take many times the memory while a page of it is put together. */
const maxParsedLength = 4096;

/**
 * TRICKY: a body that was cut is no longer JSON although it is marked so, and what older versions recorded may be nested so deeply that writing it would
 * close every page that it is on; both are shown as the texts that they are.
 */
function jsonOrText(text: string): unknown {
  const parsed = parseJson(text);
  if (parsed === undefined) return text;
  return text.length > maxParsedLength ? new RawJson(text) : parsed;
}

/** The list of tries, only when there was more than one. */
function attemptsOf(text: string): RequestItem['attempts'] {
  const attempts = parseJson(text);
  return Array.isArray(attempts) && attempts.length > 1 ? (attempts as RequestItem['attempts']) : null;
}

function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}

function numberOrNull(cell: NumberCell | null): number | null {
  return cell === null ? null : Number(cell);
}

function isoTime(ms: NumberCell): string {
  return new Date(Number(ms)).toISOString();
}

function isoTimeOrNull(ms: NumberCell | null): string | null {
  return ms === null ? null : isoTime(ms);
}
