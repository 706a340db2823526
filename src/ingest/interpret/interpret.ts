import { type AcceptedChange, applyChange, type MutableFields } from '../../model/change.ts';
import type { BodyKeeping, Exchange, ExchangeOpen, ExchangeOutcome, LogMetadata, Tags } from '../../model/record/exchange.ts';
import { type Money, parseMoney, zeroMoney } from '../../model/pricing/money.ts';
import type { Failure } from '../../model/record/failure.ts';
import { logMetadataOf } from '../../model/record/log-metadata.ts';
import type { Attempt, CostSource, RequestRecord } from '../../model/record/request-record.ts';
import { mapTextTags } from '../../model/record/text-tags.ts';
import { exceedsBytes } from '../../model/text.ts';
import { isHalf, type Usage } from '../../model/record/usage.ts';
import { textLimits } from '../../model/vocabulary/limits.ts';
import { clientOf } from '../../model/vocabulary/clients.ts';
import { givenMarks } from '../../model/vocabulary/span-marks.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';
import { priceUsage } from '../../pricing/cost.ts';
import { priceBills } from '../../pricing/several-models.ts';
import { organizationModels } from '../../pricing/organization-prices.ts';
import { pricedModels, type Prices } from '../../pricing/look-up.ts';
import type { RequestFields, ResponseFields } from '../../providers/format/provider.ts';
import { providerNamed, wireFormatFor } from '../../providers/registry.ts';
import { failureOf, recordedFailure } from './failure.ts';
import { linksOf } from './links.ts';
import { bodyGroupOf } from './body-group.ts';
import { withEstimate } from './estimate-usage.ts';
import { propertiesOf, sessionIdOf, withAgentSession } from './properties.ts';
import { type ReadResponse, readRequest, readResponse, upstreamPath } from './bodies.ts';
import { inputPreviewOf, outputPreviewOf, type Previews, recordedValue } from './previews.ts';
import { firstNonEmpty, type RecordTexts, type RedactTexts, orEmpty, textsOf, type TextSources } from './record-texts.ts';
import { matchesThreatPattern } from '../threats/patterns.ts';

export interface InterpretContext {
  /** Declared property names of the exchange's organisation, by their lower-case form. */
  readonly declaredNames: ReadonlyMap<string, string>;
  /** Changes accepted before the record is made, oldest first. */
  readonly changes: readonly AcceptedChange[];
  /** Applies the organisation's redaction rules; undefined without any. */
  readonly redact?: RedactTexts | undefined;
  readonly prices: Prices;
  /** Whether a call without a session belongs to the one that a coding agent names in its body. */
  readonly agentSessions?: boolean | undefined;
  /** Checks the user's text instead of the built-in patterns; null: the check failed. */
  readonly checkThreat?: ((text: string) => boolean | null) | undefined;
}

/**
 * Turns an exchange into its record: decodes the bodies, reads them in the provider's wire format, prices the usage, adds names and tags,
 * redacts, and applies the caller's later changes. Never throws on input of a provider or caller.
 */
export function interpretExchange(exchange: Exchange, context: InterpretContext): RequestRecord {
  const { open } = exchange;
  const format = wireFormatFor(open.provider, upstreamPath(open));
  const request = withShortNames(readRequest(exchange, format));
  const tags = context.agentSessions === true ? withAgentSession(open.tags, request.fields) : open.tags;
  const response = withEstimate(withShortNames(readResponse(exchange, format)), request, { exchange, format });
  const status = statusOf(exchange, response);
  const failure = failureOf(exchange, status, response);
  const sources = { request, response, properties: propertiesOf(tags, context.declaredNames), failure };
  const texts = redacted(textsOf(exchange, sources), open.provider, context);
  const { properties, modelOverride, requestModel, responseModel } = texts;
  const { fields, changes } = changedFields(open, properties, context);
  // TRICKY: spreads come last. A spread before a literal with this many keys makes building the object 100 times slower.
  return {
    organizationId: open.organizationId,
    requestId: open.requestId,
    createdAt: open.openedAt,
    keyHash: open.keyHash,
    credentialHash: orEmpty(open.credentialHash),
    method: open.method,
    path: texts.path,
    referrer: texts.referrer,
    targetUrl: texts.targetUrl,
    provider: recordNameOf(open.provider),
    requestModel,
    responseModel,
    modelOverride,
    model: firstNonEmpty([modelOverride, responseModel, requestModel, 'unknown']),
    userId: texts.userId,
    sessionId: orEmpty(properties.get(sessionProperties.sessionId)),
    sessionName: orEmpty(properties.get(sessionProperties.sessionName)),
    sessionPath: orEmpty(properties.get(sessionProperties.sessionPath)),
    // Of the session at arrival: a batch that is stored again, after a change or under other rules, must have the same group.
    bodyGroup: bodyGroupOf(sessionIdOf(tags), request.fields),
    properties,
    aliasedNames: tags.aliasedNames === true,
    traceId: orEmpty(open.trace?.traceId),
    spanId: orEmpty(open.trace?.spanId),
    spanLinks: spanLinksOf(open, context.changes, fields),
    promptId: texts.promptId,
    inputs: texts.inputs,
    responseId: texts.responseId,
    status,
    countryCode: orEmpty(open.countryCode),
    threat: threatOf(tags, request.fields, context.checkThreat ?? matchesThreatPattern),
    usage: withRaw(response.fields.usage, texts.usageRaw),
    serviceTier: texts.serviceTier,
    scores: fields.scores,
    feedback: fields.feedback,
    changes,
    sessionChanges: fields.sessionChanges,
    ...mapTextTags((name) => texts[name]),
    ...madeAndFailed(open, texts, failure),
    ...costFieldsOf(costOf(exchange, { request: request.fields, response: response.fields }, context.prices)),
    ...notYetKnown,
    ...cacheFieldsOf(open),
    ...timingOf(exchange, response),
    ...bodiesOf(exchange, texts, sources),
  };
}

function costFieldsOf({ cost, source, reference, applied }: Cost) {
  return { cost, costSource: source, priceReference: reference, appliedPrice: applied };
}

/** What made the call, and why it failed, after redaction. */
function madeAndFailed({ headers }: ExchangeOpen, texts: RecordTexts, failure: Failure | null) {
  const { userAgent, clientVersion } = texts;
  const { name, version } = clientOf(userAgent, headers, clientVersion);
  return {
    client: name,
    clientVersion: version,
    failure: recordedFailure(failure, texts),
  };
}

function spanLinksOf(open: ExchangeOpen, earlier: InterpretContext['changes'], { spanMarks }: MutableFields): readonly string[] {
  const span = logMetadataOf(open)?.span;
  const own = span === undefined ? [] : linksOf(span);
  if (earlier.length === 0) return own;
  const marks = spanMarks === undefined ? [] : givenMarks(spanMarks);
  return [...new Set([...own, ...marks, ...earlier.flatMap(({ change }) => (change.kind === 'fill' ? change.links : []))])];
}

const namesInBodies = ['model', 'user', 'responseId', 'serviceTier'] as const;

/** Drops names in a body that exceed the limit of identifiers. */
export function withShortNames<Read extends { readonly fields: object }>(read: Read): Read {
  const fields = read.fields as Readonly<Partial<Record<(typeof namesInBodies)[number], string>>>;
  const overlong = namesInBodies.filter((name) => exceedsBytes(fields[name] ?? '', textLimits.identifierBytes));
  if (overlong.length === 0) return read;
  return { ...read, fields: { ...fields, ...Object.fromEntries(overlong.map((name) => [name, ''])) } };
}

/** The mutable fields of a record after its earlier changes, and their history. */
function changedFields(open: ExchangeOpen, properties: Map<string, string>, { changes }: InterpretContext) {
  if (changes.length === 0) return { fields: { properties, scores: new Map(), feedback: null, sessionChanges: [] }, changes: [] };
  const isOfSpan = logMetadataOf(open) !== undefined;
  const spanMarks = { isOfSpan, isJoined: !isOfSpan, traceId: orEmpty(open.trace?.traceId), given: new Set<string>() };
  const fields: MutableFields = { properties, scores: new Map(), feedback: null, sessionChanges: [], spanMarks };
  return { fields, changes: changes.flatMap((accepted) => applyChange(fields, accepted)) };
}

/** Whether the cache was enabled, and the exchange whose response it returned. */
function cacheFieldsOf({ cacheEnabled, cachedFrom }: ExchangeOpen) {
  return {
    cacheEnabled: cacheEnabled === true,
    cached: cachedFrom !== undefined,
    cacheReferenceId: orEmpty(cachedFrom?.requestId),
    cacheCreatedAt: cachedFrom?.createdAt ?? null,
  };
}

/** Fields without a source yet. */
const notYetKnown = {
  isPassthroughBilling: null,
  assets: [],
} as const;

/** The attempts, if more than one; without an end frame those known at the head. */
function attemptsOf({ end, responseHead }: Exchange): readonly Attempt[] {
  const attempts = (end ?? responseHead)?.attempts ?? [];
  return attempts.map((attempt) => ({ ...attempt, provider: recordNameOf(attempt.provider) }));
}

export function recordNameOf(provider: string): string {
  return providerNamed(provider)?.recordName ?? 'CUSTOM';
}

function withRaw(usage: Usage, raw: Usage['raw']): Usage {
  return usage.raw === raw ? usage : { ...usage, raw };
}

const modelNames = ['requestModel', 'modelOverride', 'responseModel'] as const;

/** Redacts texts, except model names from a price list: those contain no secret, while any other name may be free text. */
export function redacted(
  texts: RecordTexts,
  provider: string,
  { redact, prices }: Pick<InterpretContext, 'redact' | 'prices'>,
): RecordTexts {
  if (redact === undefined) return texts;
  const listedNames = modelNames.filter((name) => isListed(texts[name], provider, prices));
  const shown = Object.fromEntries(listedNames.map((name) => [name, texts[name]]));
  const hidden = Object.fromEntries(listedNames.map((name) => [name, '']));
  return { ...redact({ ...texts, ...hidden }), ...shown };
}

function isListed(model: string, provider: string, { book, organization }: Prices): boolean {
  const knownProvider = providerNamed(provider);
  return book.lists(knownProvider?.priceProviderId, model) || organizationModels(organization, recordNameOf(provider)).includes(model);
}

function bodiesOf({ open: { tags }, end, requestBody, responseBody }: Exchange, texts: RecordTexts, sources: TextSources) {
  return {
    requestBody: texts.requestBody,
    responseBody: texts.responseBody,
    requestBodyCut: end?.requestCut === true || lacksParts(tags.requestBody, requestBody, end?.requestBytes),
    responseBodyCut: end?.responseCut === true || lacksParts(tags.responseBody, responseBody, end?.responseBytes),
    promptText: texts.promptText,
    lastUserText: texts.lastUserText,
    completionText: texts.completionText,
    sizeBytes: end === undefined ? requestBody.length + responseBody.length : end.requestBytes + end.responseBytes,
    ...previewsOf(sources, texts),
  };
}

/** Made of the bodies as they are recorded. */
function previewsOf({ request, response }: TextSources, texts: RecordTexts): Previews {
  return {
    inputPreview: inputPreviewOf(recordedValue(request, texts.requestBody), texts),
    outputPreview: outputPreviewOf(recordedValue(response, texts.responseBody), texts.completionText),
  };
}

/** The disk may have been full for a part and not for the end frame, which was queued before that was known. */
function lacksParts(keeping: BodyKeeping | undefined, body: Uint8Array, passedBytes = 0): boolean {
  return keeping !== 'never' && body.length < passedBytes;
}

/** Null when the check was not requested or there is no user text. */
function threatOf({ securityCheck }: Tags, { lastUserText }: RequestFields, check: (text: string) => boolean | null): boolean | null {
  return securityCheck === undefined || lastUserText === '' ? null : check(lastUserText);
}

function timingOf(exchange: Exchange, { streamed }: ReadResponse) {
  const { open, end, responseParts } = exchange;
  const logged = logMetadataOf(open);
  if (logged !== undefined) return { ...loggedTimingOf(exchange, logged), streamed };
  const latencyMs = end?.elapsedMs ?? responseParts?.lastMs ?? null;
  const firstByteMs = end?.firstByteMs ?? responseParts?.firstMs ?? null;
  return {
    responseCreatedAt: latencyMs === null ? null : open.openedAt + latencyMs,
    latencyMs,
    timeToFirstByteMs: firstByteMs,
    timeToFirstTokenMs: streamed ? firstTokenOf(end, firstByteMs) : null,
    streamed,
    gatewayOverheadMs: end?.overheadMs ?? null,
    attempts: attemptsOf(exchange),
  };
}

/** Frames of an earlier version have the first byte alone. */
function firstTokenOf(end: Exchange['end'], firstByteMs: number | null): number | null {
  return end?.firstTokenMs === undefined ? firstByteMs : end.firstTokenMs;
}

/** As its sender told them. */
function loggedTimingOf({ open, end }: Exchange, { untimed }: LogMetadata) {
  const latencyMs = untimed === true ? null : (end?.elapsedMs ?? null);
  return {
    responseCreatedAt: latencyMs === null ? null : open.openedAt + latencyMs,
    latencyMs,
    timeToFirstByteMs: null,
    timeToFirstTokenMs: end?.firstByteMs ?? null,
    gatewayOverheadMs: null,
    attempts: [],
  };
}

const statusOfOutcome: Record<Exclude<ExchangeOutcome, 'complete' | 'refused'>, number> = {
  client_left: 499,
  provider_broke: 502,
  no_response: 0,
};

/**
 * The record's status. An exchange without an end frame lost its gateway worker: it counts as complete when its content shows that, else
 * as broken off, like any response that stopped in the middle.
 */
function statusOf(exchange: Exchange, response: ReadResponse): number {
  const { end, responseHead } = exchange;
  if (end !== undefined && end.outcome !== 'complete' && end.outcome !== 'refused') return statusOfOutcome[end.outcome];
  if (responseHead === undefined) return 0;
  return end !== undefined || response.isComplete ? responseHead.status : statusOfOutcome.provider_broke;
}

interface Cost {
  readonly cost: Money | null;
  readonly source: CostSource;
  readonly reference: string;
  readonly applied: string;
}

interface ReadFields {
  readonly request: RequestFields;
  readonly response: ResponseFields;
}

/**
 * The caller's own figure, else the provider's, else one from a price for the model that answered or was requested. A response from the
 * cache costs nothing, whatever the caller says.
 */
function costOf(exchange: Exchange, { request, response }: ReadFields, prices: Prices): Cost {
  const { tags, provider, openedAt, cachedFrom } = exchange.open;
  if (cachedFrom !== undefined) return { cost: zeroMoney, source: 'none', reference: '', applied: '' };
  const own = tags.cost === undefined ? undefined : parseMoney(tags.cost);
  if (own !== undefined) return { cost: own, source: 'header', reference: '', applied: '' };
  if (response.providerCost !== null) return { cost: response.providerCost, source: 'provider', reference: '', applied: '' };
  if (isHalf(response.usage)) return { cost: null, source: 'none', reference: '', applied: '' };
  const query = {
    provider: recordNameOf(provider),
    providerId: providerNamed(provider)?.priceProviderId,
    models: pricedModels({ override: orEmpty(tags.modelOverride), response: response.model, request: request.model }),
    at: openedAt,
    serviceTier: response.serviceTier,
  };
  const { bills, usage } = response;
  const { amount, source, reference, applied } =
    bills === undefined || usage.estimated ? priceUsage(usage, query, prices) : priceBills(bills, query, prices);
  return { cost: amount, source, reference, applied };
}
