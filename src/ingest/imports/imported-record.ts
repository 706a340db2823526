import { type AcceptedChange, applyChange, type ChangeableFacts } from '../../model/change.ts';
import type { Exchange, ImportedFacts, ImportedOpen } from '../../model/record/exchange.ts';
import type { RecordedBody, RequestRecord } from '../../model/record/request-record.ts';
import { unreportedUsage, type Usage } from '../../model/record/usage.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';
import { noResponseFacts } from '../../providers/facts.ts';
import type { RequestFacts, ResponseFacts, WireFormat } from '../../providers/provider.ts';
import { wireFormatByShape } from '../../providers/by-shape.ts';
import { providerNamed, wireFormatFor } from '../../providers/registry.ts';
import { bodyGroupOf } from '../interpret/body-group.ts';
import { type InterpretContext, redacted, withShortNames } from '../interpret/interpret.ts';
import { firstNonEmpty, orEmpty, type RecordTexts } from '../interpret/record-texts.ts';
import { bytesOf, type ImportedItem, readItem } from './read-item.ts';

/** An exchange that holds an item of an import instead of a call. */
export type ImportedExchange = Exchange & { readonly open: ImportedOpen };

export function isImported(exchange: Exchange): exchange is ImportedExchange {
  return 'imported' in exchange.open;
}

export interface ImportedRecord {
  readonly record: RequestRecord;
  /** Unix milliseconds: when the record changed last. */
  readonly updatedAt: number;
}

type ImportContext = Pick<InterpretContext, 'changes' | 'redact' | 'prices'>;

/**
 * Turns an item of an import into its record: what the item says stays, and what only bodies tell (texts, the group, counts without a
 * column of their own) is read from them as for a recorded call. @throws ItemFault for an item that was not checked.
 */
export function importedRecord({ open, requestBody }: ImportedExchange, context: ImportContext): ImportedRecord {
  const item = readItem(Buffer.from(requestBody.buffer, requestBody.byteOffset, requestBody.length).toString('utf8'));
  const name = item.provider.toLowerCase();
  const provider = providerNamed(name) === undefined ? 'custom' : name;
  const facts = factsOf(item, provider);
  const texts = redacted(textsOf(item, facts), provider, context);
  const { changeable, changes } = changedFacts(item, { properties: texts.properties, imported: open.imported }, context.changes);
  const { properties } = changeable;
  const record = Object.assign(namesOf(item, texts), outcomeOf(item, facts, texts), {
    organizationId: open.organizationId,
    requestId: open.requestId,
    createdAt: item.createdAt,
    keyHash: open.keyHash,
    method: open.method,
    bodyGroup: bodyGroupOf(item.sessionId, facts.request),
    properties,
    sessionId: orEmpty(properties.get(sessionProperties.sessionId)),
    sessionName: orEmpty(properties.get(sessionProperties.sessionName)),
    sessionPath: orEmpty(properties.get(sessionProperties.sessionPath)),
    scores: changeable.scores,
    feedback: changeable.feedback,
    sessionChanges: changeable.sessionChanges,
    changes,
    requestBody: texts.requestBody,
    responseBody: texts.responseBody,
    promptText: texts.promptText,
    lastUserText: texts.lastUserText,
    completionText: texts.completionText,
  });
  return { record, updatedAt: item.updatedAt ?? open.imported.at };
}

interface Facts {
  readonly request: RequestFacts;
  readonly response: ResponseFacts;
}

const noRequestFacts: RequestFacts = { model: '', user: '', promptText: '', firstUserText: '', lastUserText: '' };

function factsOf(item: ImportedItem, provider: string): Facts {
  const { path, targetUrl, responseBody, requestValue: request, responseValue: response } = item;
  const called = targetUrl === '' ? path : targetUrl.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  const format = wireFormatFor(provider, called) ?? wireFormatByShape(request);
  if (format === undefined) return { request: noRequestFacts, response: noResponseFacts };
  const responseFacts = response === undefined ? factsOfText(responseBody, format) : format.readResponse(response);
  return {
    request: request === undefined ? noRequestFacts : withShortNames({ facts: format.readRequest(request, called) }).facts,
    response: withShortNames({ facts: responseFacts }).facts,
  };
}

function factsOfText(body: RecordedBody, format: WireFormat): ResponseFacts {
  return body.kind === 'text' && format.readText !== undefined ? format.readText(body.text) : noResponseFacts;
}

function textsOf(item: ImportedItem, { request, response }: Facts): RecordTexts {
  const { texts } = item;
  return {
    requestBody: item.requestBody,
    responseBody: item.responseBody,
    requestIsOpaque: false,
    responseIsOpaque: false,
    promptText: request.promptText,
    lastUserText: request.lastUserText,
    completionText: response.completionText,
    path: item.path,
    referrer: item.referrer,
    targetUrl: item.targetUrl,
    usageRaw: item.usageRaw,
    properties: item.properties,
    inputs: item.inputs,
    requestModel: texts.request_model,
    modelOverride: texts.model_override,
    responseModel: texts.response_model,
    responseId: texts.response_id,
    serviceTier: response.serviceTier,
    userId: texts.request_user_id,
    promptId: firstNonEmpty([texts.prompt_id, item.promptIdOfProperties]),
    promptVersion: texts.prompt_version,
    jobId: texts.job_id,
    nodeId: texts.node_id,
    experimentId: '',
  };
}

function namesOf(item: ImportedItem, texts: RecordTexts) {
  const { modelOverride, requestModel, responseModel } = texts;
  // A model that redaction has changed is one of the three.
  const isUnchanged = [item.texts.model_override, item.texts.response_model, item.texts.request_model].every(
    (name, index) => name === [modelOverride, responseModel, requestModel][index],
  );
  return {
    path: texts.path,
    referrer: texts.referrer,
    targetUrl: texts.targetUrl,
    provider: item.provider,
    countryCode: item.texts.country_code,
    requestModel,
    responseModel,
    modelOverride,
    model: firstNonEmpty([isUnchanged ? item.texts.model : '', modelOverride, responseModel, requestModel, 'unknown']),
    userId: texts.userId,
    aliasedNames: item.aliasedNames,
    traceId: item.texts.trace_id,
    spanId: item.texts.span_id,
    spanLinks: [],
    promptId: texts.promptId,
    promptVersion: texts.promptVersion,
    jobId: texts.jobId,
    nodeId: texts.nodeId,
    experimentId: '',
    inputs: texts.inputs,
    responseId: texts.responseId,
    serviceTier: texts.serviceTier,
  };
}

function outcomeOf(item: ImportedItem, { response }: Facts, { usageRaw }: RecordTexts) {
  return {
    responseCreatedAt: item.responseCreatedAt,
    status: item.status,
    latencyMs: item.latencyMs,
    timeToFirstTokenMs: item.timeToFirstTokenMs,
    gatewayOverheadMs: item.gatewayOverheadMs,
    attempts: item.attempts,
    usage: usageOf(item, response.usage, usageRaw),
    cost: item.cost,
    costSource: item.costSource,
    priceReference: '',
    appliedPrice: '',
    cacheEnabled: item.cacheEnabled,
    cached: item.cached,
    cacheReferenceId: item.texts.cache_reference_id,
    cacheCreatedAt: null,
    threat: item.threat,
    isPassthroughBilling: item.isPassthroughBilling,
    assets: item.assets,
    requestBodyCut: item.requestBodyCut,
    responseBodyCut: item.responseBodyCut,
    sizeBytes: item.statedBytes ?? bytesOf(item.requestBody) + bytesOf(item.responseBody),
  };
}

function stated(count: number | null | undefined, reported: number | null): number | null {
  return count === undefined ? reported : count;
}

/** The item's counts; what it has no field for is as the response says. */
function usageOf({ counts, usageEstimated }: ImportedItem, reported: Usage, raw: unknown): Usage {
  return {
    ...unreportedUsage,
    promptTokens: stated(counts.prompt_tokens, reported.promptTokens),
    completionTokens: stated(counts.completion_tokens, reported.completionTokens),
    promptCacheReadTokens: stated(counts.prompt_cache_read_tokens, reported.promptCacheReadTokens),
    promptCacheWriteTokens: stated(counts.prompt_cache_write_tokens, reported.promptCacheWriteTokens),
    promptAudioTokens: stated(counts.prompt_audio_tokens, reported.promptAudioTokens),
    completionAudioTokens: stated(counts.completion_audio_tokens, reported.completionAudioTokens),
    reasoningTokens: stated(counts.reasoning_tokens, reported.reasoningTokens),
    promptCacheWriteHourTokens: reported.promptCacheWriteHourTokens,
    promptCacheWriteHalfDayTokens: reported.promptCacheWriteHalfDayTokens,
    geo: reported.geo,
    promptCacheReadAudioTokens: reported.promptCacheReadAudioTokens,
    promptImageTokens: reported.promptImageTokens,
    completionImageTokens: reported.completionImageTokens,
    audioSeconds: reported.audioSeconds,
    webSearches: reported.webSearches,
    fileSearches: reported.fileSearches,
    estimated: usageEstimated,
    raw,
  };
}

interface Before {
  readonly properties: Map<string, string>;
  readonly imported: ImportedFacts;
}

/** The facts that changes accepted since the import began to change, and their history. */
function changedFacts({ scores, feedback }: ImportedItem, { properties, imported }: Before, accepted: readonly AcceptedChange[]) {
  const given = feedback === null ? null : { ...feedback, number: feedback.number ?? imported.feedbackNumber };
  const changeable: ChangeableFacts = { properties, scores, feedback: given, sessionChanges: [] };
  return { changeable, changes: accepted.flatMap((change) => applyChange(changeable, change)) };
}
