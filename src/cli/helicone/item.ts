import type { RequestItem } from '../../contract/requests/item.ts';
import { feedbackScore } from '../../model/vocabulary/scores.ts';
import { parseUuid } from '../../model/ids.ts';
import { type Money, usdOrNull } from '../../model/pricing/money.ts';
import { isJsonObject, type JsonObject, quoted } from '../../model/text.ts';
import { aliasOf } from '../../model/vocabulary/property-alias.ts';
import { providerInRecords } from '../../model/providers/providers.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';
import { countIn, flagIn, moneyIn, numberIn, objectIn, textIn, timeIn } from './files/cells.ts';

/** Both bodies of a record; undefined for one that upstream no longer has or did not give. */
export interface UpstreamBodies {
  readonly request?: unknown;
  readonly response?: unknown;
}

/** What the reconciliation counts of a record, on either side. */
export interface RecordFigures {
  /** Unix milliseconds; null when the record names no readable time. */
  readonly createdAt: number | null;
  /** Prompt and completion tokens together. */
  readonly tokens: number;
  readonly cost: Money | null;
}

/** An item for our import endpoint; without `size_bytes` it measures the bodies, without `failure` it reads them. */
export type ImportItem = Omit<RequestItem, 'size_bytes' | 'failure'> & { readonly size_bytes: number | null };

export interface ConvertedRecord {
  readonly item: ImportItem;
}

export interface UnusableRecord {
  /** A sentence. */
  readonly problem: string;
}

export function figuresOf(record: JsonObject): RecordFigures {
  return {
    createdAt: timeIn(record, 'request_created_at'),
    tokens: (countIn(record, 'prompt_tokens') ?? 0) + (countIn(record, 'completion_tokens') ?? 0),
    cost: moneyIn(record, 'cost', 'costUSD', 'cost_usd'),
  };
}

/** Converts a record of upstream. Times, identifiers, counts and cost stay as upstream states them. */
export function convertRecord(record: JsonObject, bodies: UpstreamBodies): ConvertedRecord | UnusableRecord {
  const id = textIn(record, 'request_id');
  const requestId = id === null ? undefined : parseUuid(id);
  if (requestId === undefined) {
    return { problem: id === null ? 'The record has no request_id.' : `The request_id ${quoted(id)} is not a UUID.` };
  }
  const createdAt = timeIn(record, 'request_created_at');
  if (createdAt === null) return { problem: 'The record has no request_created_at that is a time.' };
  return {
    item: {
      request_id: requestId,
      request_created_at: isoTime(createdAt),
      ...callFields(record),
      ...responseFields(record),
      ...usageFields(record),
      ...tagFields(record),
      ...judgementFields(record),
      request_body: bodies.request ?? null,
      response_body: bodies.response ?? null,
      updated_at: isoTime(timeIn(record, 'updated_at') ?? createdAt),
      ...emptyFields,
    },
  };
}

/** Fields that upstream has no value for, or that are always made here. */
const emptyFields = {
  gateway_overhead_ms: null,
  usage_raw: null,
  usage_estimated: false,
  attempts: null,
  organization_id: '',
  helicone_user: null,
  signed_body_url: null,
  llmSchema: null,
  ai_gateway_body_mapping: '',
  storage_location: 'clickhouse',
  request_body_cut: false,
  response_body_cut: false,
} as const;

function isoTime(time: number): string {
  return new Date(time).toISOString();
}

function isoTimeIn(record: JsonObject, name: string): string | null {
  const time = timeIn(record, name);
  return time === null ? null : isoTime(time);
}

function callFields(record: JsonObject) {
  const targetUrl = textIn(record, 'target_url');
  const provider = textIn(record, 'provider') ?? '';
  const requestModel = textIn(record, 'request_model');
  const responseModel = textIn(record, 'response_model');
  const modelOverride = textIn(record, 'model_override');
  return {
    request_path: pathOf(textIn(record, 'request_path') ?? targetUrl),
    request_referrer: textIn(record, 'request_referrer'),
    request_user_id: textIn(record, 'request_user_id') ?? '',
    target_url: targetUrl,
    provider: providerInRecords(provider) ?? provider.toUpperCase(),
    country_code: textIn(record, 'country_code'),
    input_preview: null,
    output_preview: null,
    client: null,
    client_version: null,
    request_model: requestModel,
    response_model: responseModel,
    model_override: modelOverride,
    model: textIn(record, 'model') ?? modelOverride ?? responseModel ?? requestModel ?? 'unknown',
    node_id: textIn(record, 'node_id'),
    job_id: textIn(record, 'job_id'),
    trace_id: null,
    span_id: null,
  };
}

/** Older versions of upstream record a whole address as the path. */
function pathOf(text: string | null): string | null {
  const url = text === null || text.startsWith('/') ? null : URL.parse(text);
  return url === null ? text : url.pathname;
}

/** Upstream's negative statuses are states of its own: the client left, blocked as a threat, no answer yet and others. */
const leftStatus = -3;
const threatStatus = -4;

function responseFields(record: JsonObject) {
  const status = Math.round(numberIn(record, 'response_status', 'status') ?? 0);
  const latency = countIn(record, 'delay_ms', 'latency');
  const ourStatus = status === leftStatus ? 499 : status >= 0 && status <= 999 ? status : 0;
  const firstToken = countIn(record, 'time_to_first_token');
  return {
    response_id: textIn(record, 'response_id'),
    response_created_at: isoTimeIn(record, 'response_created_at'),
    response_status: ourStatus,
    delay_ms: latency,
    latency,
    time_to_first_byte: firstToken,
    time_to_first_token: firstToken,
    streamed: firstToken !== null,
    size_bytes: countIn(record, 'size_bytes'),
    threat: flagIn(record, 'threat') ?? (status === threatStatus ? true : null),
    is_passthrough_billing: flagIn(record, 'is_passthrough_billing'),
  };
}

const noReference = '00000000-0000-0000-0000-000000000000';

function usageFields(record: JsonObject) {
  const [prompt, completion] = [countIn(record, 'prompt_tokens'), countIn(record, 'completion_tokens')];
  const { cost } = figuresOf(record);
  const reference = textIn(record, 'cache_reference_id');
  const original = reference === null || reference === noReference ? null : reference;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt === null && completion === null ? null : (prompt ?? 0) + (completion ?? 0),
    reasoning_tokens: countIn(record, 'reasoning_tokens'),
    prompt_cache_read_tokens: countIn(record, 'prompt_cache_read_tokens'),
    prompt_cache_write_tokens: countIn(record, 'prompt_cache_write_tokens'),
    prompt_audio_tokens: countIn(record, 'prompt_audio_tokens'),
    completion_audio_tokens: countIn(record, 'completion_audio_tokens'),
    cost: usdOrNull(cost),
    costUSD: usdOrNull(cost),
    cost_source: cost === null ? ('none' as const) : ('header' as const),
    cache_enabled: flagIn(record, 'cache_enabled') ?? false,
    cached: original !== null,
    cache_reference_id: original,
  };
}

function tagFields(record: JsonObject) {
  const properties = textsOf(objectIn(record, 'request_properties', 'properties'));
  const named = (ours: string, field: string): string | null =>
    textIn(record, field) ??
    Object.entries(properties).find(([name, value]) => (aliasOf(name) ?? name) === ours && value !== '')?.[1] ??
    null;
  return {
    properties,
    request_properties: properties,
    session_id: named(sessionProperties.sessionId, 'session_id'),
    session_name: named(sessionProperties.sessionName, 'session_name'),
    session_path: named(sessionProperties.sessionPath, 'session_path'),
    prompt_id: textIn(record, 'prompt_id') ?? properties['Helicone-Prompt-Id'] ?? null,
    prompt_version: textIn(record, 'prompt_version'),
    inputs: inputsOf(record),
  };
}

/** Values as texts; absent ones are left out. */
function textsOf(values: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]): [string, string][] => {
      if (value === null || value === undefined) return [];
      return [[name, typeof value === 'string' ? value : JSON.stringify(value)]];
    }),
  );
}

function inputsOf(record: JsonObject): Record<string, string> | null {
  const inputs = textsOf(objectIn(record, 'inputs', 'prompt_inputs'));
  return Object.keys(inputs).length === 0 ? null : inputs;
}

/** Upstream keeps the feedback among the scores. */
const upstreamFeedbackScore = 'helicone-score-feedback';

function judgementFields(record: JsonObject) {
  const entries = Object.entries(objectIn(record, 'scores')).flatMap(([name, value]): [string, number][] => {
    const number = scoreOf(value);
    return number === null ? [] : [[name === upstreamFeedbackScore ? feedbackScore : name, number]];
  });
  const scores = Object.fromEntries(entries);
  const score = scores[feedbackScore];
  const rating = flagIn(record, 'feedback_rating') ?? (score === undefined ? null : score > 0);
  if (rating !== null) scores[feedbackScore] = rating ? 1 : 0;
  const assets = Object.keys(objectIn(record, 'asset_urls'));
  const assetIds = listOf(record['asset_ids']) ?? listOf(record['assets']) ?? assets;
  return {
    scores,
    feedback_rating: rating,
    feedback_created_at: rating === null ? null : (isoTimeIn(record, 'feedback_created_at') ?? isoTimeIn(record, 'request_created_at')),
    feedback_id: null,
    assets: assetIds,
    asset_ids: assetIds,
    asset_urls: null,
  };
}

/** A score is a number, a boolean, or in upstream's older query `{value, valueType}`. */
function scoreOf(value: unknown): number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return isJsonObject(value) ? scoreOf(value['value']) : numberIn({ value }, 'value');
}

function listOf(value: unknown): string[] | undefined {
  const texts = Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : [];
  return texts.length === 0 ? undefined : texts;
}
