import { type AcceptedChange, applyChange, type MutableFields } from '../../model/change.ts';
import { feedbackScore } from '../../model/vocabulary/scores.ts';
import type { Exchange, ImportMetadata, ImportedOpen } from '../../model/record/exchange.ts';
import { cutMessage, type Failure } from '../../model/record/failure.ts';
import type { RecordedBody, RequestRecord } from '../../model/record/request-record.ts';
import { unreportedUsage, type Usage } from '../../model/record/usage.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';
import { noResponseFields } from '../../providers/format/fields.ts';
import type { RequestFields, ResponseFields, WireFormat } from '../../providers/format/provider.ts';
import { wireFormatByShape } from '../../providers/by-shape.ts';
import { providerNamed, wireFormatFor } from '../../providers/registry.ts';
import { readResponse } from '../interpret/bodies.ts';
import { bodyGroupOf } from '../interpret/body-group.ts';
import { failureOfRecorded, recordedFailure } from '../interpret/failure.ts';
import { type InterpretContext, redacted, withShortNames } from '../interpret/interpret.ts';
import { inputPreviewOf, outputPreviewOf, previewOf, type Previews, recordedValue } from '../interpret/previews.ts';
import { firstNonEmpty, noTexts, orEmpty, type RecordTexts } from '../interpret/record-texts.ts';
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
export function importedRecord(exchange: ImportedExchange, context: ImportContext): ImportedRecord {
  const { open, requestBody } = exchange;
  const item = readItem(Buffer.from(requestBody.buffer, requestBody.byteOffset, requestBody.length).toString('utf8'));
  const name = item.provider.toLowerCase();
  const provider = providerNamed(name) === undefined ? 'custom' : name;
  const format = formatOf(item, provider);
  const fields = fieldsOf(item, format);
  const told = item.failure === undefined ? toldFailure(item, { exchange, format, response: fields.response }) : null;
  const texts = redacted(textsOf(item, fields, told), provider, context);
  const stated = statedTexts(item, provider, context);
  const before = { properties: texts.properties, scores: stated.scores, imported: open.imported };
  const { changeable, changes } = changedFields(item, before, context.changes);
  const { properties } = changeable;
  const record = Object.assign(namesOf(item, texts, stated), outcomeOf(item, fields, { texts, told, stated }), {
    organizationId: open.organizationId,
    requestId: open.requestId,
    createdAt: item.createdAt,
    keyHash: open.keyHash,
    credentialHash: '',
    method: open.method,
    bodyGroup: bodyGroupOf(item.sessionId, fields.request),
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
    ...previewsOf(item, texts, provider, context),
  });
  return { record, updatedAt: item.updatedAt ?? open.imported.at };
}

interface ReadFields {
  readonly request: RequestFields;
  readonly response: ResponseFields;
}

const noRequestFields: RequestFields = { model: '', user: '', promptText: '', firstUserText: '', lastUserText: '' };

function calledPath({ path, targetUrl }: ImportedItem): string {
  return targetUrl === '' ? path : targetUrl.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
}

function formatOf(item: ImportedItem, provider: string): WireFormat | undefined {
  return wireFormatFor(provider, calledPath(item)) ?? wireFormatByShape(item.requestValue);
}

function fieldsOf(item: ImportedItem, format: WireFormat | undefined): ReadFields {
  const { responseBody, requestValue: request, responseValue: response } = item;
  if (format === undefined) return { request: noRequestFields, response: noResponseFields };
  const responseFields = response === undefined ? fieldsOfText(responseBody, format) : format.readResponse(response);
  return {
    request: request === undefined ? noRequestFields : withShortNames({ fields: format.readRequest(request, calledPath(item)) }).fields,
    response: withShortNames({ fields: responseFields }).fields,
  };
}

function fieldsOfText(body: RecordedBody, format: WireFormat): ResponseFields {
  return body.kind === 'text' && format.readText !== undefined ? format.readText(body.text) : noResponseFields;
}

interface Told {
  readonly exchange: ImportedExchange;
  readonly format: WireFormat | undefined;
  readonly response: ResponseFields;
}

/** What the status and the response of an item tell that does not state it. A text may hold a stream, which is read as one that came. */
function toldFailure(item: ImportedItem, { exchange, format, response }: Told): Failure | null {
  const { status, responseBody: body, responseValue: parsed, streamed } = item;
  if (body.kind !== 'text') return failureOfRecorded(item, { fields: response, parsed, streamed });
  const came = { ...exchange, responseHead: { status, headers: {}, elapsedMs: 0 }, responseBody: Buffer.from(body.text) };
  return failureOfRecorded(item, readResponse(came, format));
}

function textsOf(item: ImportedItem, { request, response }: ReadFields, failure: Failure | null): RecordTexts {
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
    userAgent: '',
    clientVersion: '',
    failureType: failure?.type ?? '',
    failureMessage: failure?.message ?? '',
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

/**
 * The item's own, which is all that one without bodies has; else those of its bodies. Under rules the bodies come first: a text that a rule
 * matches may stand across the end of a preview.
 */
function previewsOf(item: ImportedItem, texts: RecordTexts, provider: string, context: ImportContext): Previews {
  const request = recordedValue({ body: item.requestBody, parsed: item.requestValue }, texts.requestBody);
  const response = recordedValue({ body: item.responseBody, parsed: item.responseValue }, texts.responseBody);
  const stated = redacted({ ...noTexts, promptText: item.inputPreview, completionText: item.outputPreview }, provider, context);
  const own: Previews = { inputPreview: previewOf(stated.promptText), outputPreview: previewOf(stated.completionText) };
  const ofBodies: Previews = {
    inputPreview: inputPreviewOf(request, texts),
    outputPreview: outputPreviewOf(response, texts.completionText),
  };
  const [first, second] = context.redact === undefined ? [own, ofBodies] : [ofBodies, own];
  return {
    inputPreview: first.inputPreview || second.inputPreview,
    outputPreview: first.outputPreview || second.outputPreview,
  };
}

/** Texts that only an item states; for a call they are ours. */
interface StatedTexts {
  readonly model: string;
  readonly provider: string;
  readonly countryCode: string;
  readonly failure: Pick<Failure, 'type' | 'message'>;
  readonly client: string;
  readonly clientVersion: string;
  readonly cacheReferenceId: string;
  readonly assets: readonly string[];
  readonly attempts: ImportedItem['attempts'];
  readonly scores: Map<string, number>;
}

/** They may be any text, so the rules for requests and responses hold, and for names of scores those for properties. */
function statedTexts(item: ImportedItem, provider: string, context: ImportContext): StatedTexts {
  const { texts, assets, attempts } = item;
  const text = (value: string): string => {
    if (value === '') return '';
    const { referrer, serviceTier } = redacted({ ...noTexts, referrer: value, serviceTier: value }, provider, context);
    return referrer === value ? serviceTier : referrer;
  };
  const { requestModel, responseModel } = redacted(
    { ...noTexts, requestModel: texts.model, responseModel: texts.model },
    provider,
    context,
  );
  const named = redacted({ ...noTexts, inputs: new Map([...item.scores.keys()].map((name) => [name, ''])) }, provider, context).inputs;
  const names = [...named.keys()];
  return {
    model: requestModel === texts.model ? responseModel : requestModel,
    provider: providerNamed(item.provider.toLowerCase()) === undefined ? text(item.provider) : item.provider,
    countryCode: text(texts.country_code),
    failure: { type: text(item.failure?.type ?? ''), message: cutMessage(text(item.failure?.message ?? '')) },
    client: text(texts.client),
    clientVersion: text(texts.client_version),
    cacheReferenceId: text(texts.cache_reference_id),
    assets: assets.map(text),
    attempts: attempts.map((attempt) => redactedAttempt(attempt, text)),
    // Without names where the rules could not be applied.
    scores: new Map(
      [...item.scores].flatMap(([name, value], index): [string, number][] => {
        const redactedName = names[index];
        return redactedName === undefined ? [] : [[name === feedbackScore ? name : redactedName, value]];
      }),
    ),
  };
}

function redactedAttempt(attempt: ImportedItem['attempts'][number], text: (value: string) => string): ImportedItem['attempts'][number] {
  const provider = text(attempt.provider);
  return attempt.error === undefined ? { ...attempt, provider } : { ...attempt, provider, error: text(attempt.error) };
}

function namesOf(item: ImportedItem, texts: RecordTexts, stated: StatedTexts) {
  const { modelOverride, requestModel, responseModel } = texts;
  // A model that redaction has changed is one of the three.
  const isUnchanged = [item.texts.model_override, item.texts.response_model, item.texts.request_model].every(
    (name, index) => name === [modelOverride, responseModel, requestModel][index],
  );
  return {
    path: texts.path,
    referrer: texts.referrer,
    targetUrl: texts.targetUrl,
    provider: stated.provider,
    countryCode: stated.countryCode,
    client: stated.client,
    clientVersion: stated.clientVersion,
    requestModel,
    responseModel,
    modelOverride,
    model: firstNonEmpty([isUnchanged ? stated.model : '', modelOverride, responseModel, requestModel, 'unknown']),
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

interface OutcomeTexts {
  readonly texts: RecordTexts;
  readonly told: Failure | null;
  readonly stated: StatedTexts;
}

function outcomeOf(item: ImportedItem, { response }: ReadFields, { texts, told, stated }: OutcomeTexts) {
  return {
    responseCreatedAt: item.responseCreatedAt,
    status: item.status,
    failure: item.failure ? { ...item.failure, ...stated.failure } : recordedFailure(told, texts),
    latencyMs: item.latencyMs,
    timeToFirstByteMs: item.timeToFirstByteMs,
    timeToFirstTokenMs: item.timeToFirstTokenMs,
    streamed: item.streamed,
    gatewayOverheadMs: item.gatewayOverheadMs,
    attempts: stated.attempts,
    usage: usageOf(item, response.usage, texts.usageRaw),
    cost: item.cost,
    costSource: item.costSource,
    priceReference: '',
    appliedPrice: '',
    cacheEnabled: item.cacheEnabled,
    cached: item.cached,
    cacheReferenceId: stated.cacheReferenceId,
    cacheCreatedAt: null,
    threat: item.threat,
    isPassthroughBilling: item.isPassthroughBilling,
    assets: stated.assets,
    requestBodyCut: item.requestBodyCut,
    responseBodyCut: item.responseBodyCut,
    sizeBytes: item.statedBytes ?? bytesOf(item.requestBody) + bytesOf(item.responseBody),
  };
}

function countOf(count: number | null | undefined, reported: number | null): number | null {
  return count === undefined ? reported : count;
}

/** The item's counts; what it has no field for is as the response says. */
function usageOf({ counts, usageEstimated }: ImportedItem, reported: Usage, raw: unknown): Usage {
  return {
    ...unreportedUsage,
    promptTokens: countOf(counts.prompt_tokens, reported.promptTokens),
    completionTokens: countOf(counts.completion_tokens, reported.completionTokens),
    promptCacheReadTokens: countOf(counts.prompt_cache_read_tokens, reported.promptCacheReadTokens),
    promptCacheWriteTokens: countOf(counts.prompt_cache_write_tokens, reported.promptCacheWriteTokens),
    promptAudioTokens: countOf(counts.prompt_audio_tokens, reported.promptAudioTokens),
    completionAudioTokens: countOf(counts.completion_audio_tokens, reported.completionAudioTokens),
    reasoningTokens: countOf(counts.reasoning_tokens, reported.reasoningTokens),
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
  readonly scores: Map<string, number>;
  readonly imported: ImportMetadata;
}

/** The fields that changes accepted since the import began to change, and their history. */
function changedFields({ feedback }: ImportedItem, { properties, scores, imported }: Before, accepted: readonly AcceptedChange[]) {
  const given = feedback === null ? null : { ...feedback, number: feedback.number ?? imported.feedbackNumber };
  const changeable: MutableFields = { properties, scores, feedback: given, sessionChanges: [] };
  return { changeable, changes: accepted.flatMap((change) => applyChange(changeable, change)) };
}
