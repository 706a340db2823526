import { type AcceptedChange, applyChange, type ChangeableFacts } from '../../model/change.ts';
import type { BodyKeeping, Exchange, ExchangeOpen, ExchangeOutcome, Tags } from '../../model/record/exchange.ts';
import { type Money, parseMoney, zeroMoney } from '../../model/pricing/money.ts';
import type { Attempt, CostSource, RequestRecord } from '../../model/record/request-record.ts';
import { mapTextTags } from '../../model/record/text-tags.ts';
import { exceedsBytes } from '../../model/text.ts';
import { isHalf, type Usage } from '../../model/record/usage.ts';
import { textLimits } from '../../model/vocabulary/limits.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';
import { priceUsage } from '../../pricing/cost.ts';
import { priceBills } from '../../pricing/several-models.ts';
import { organizationModels } from '../../pricing/organization-prices.ts';
import { pricedModels, type Prices } from '../../pricing/look-up.ts';
import type { RequestFacts, ResponseFacts } from '../../providers/provider.ts';
import { providerNamed, wireFormatFor } from '../../providers/registry.ts';
import { withEstimate } from './estimate-usage.ts';
import { propertiesOf } from './properties.ts';
import { type ReadResponse, readRequest, readResponse, upstreamPath } from './bodies.ts';
import { firstNonEmpty, type RecordTexts, type RedactTexts, orEmpty, textsOf } from './record-texts.ts';
import { matchesThreatPattern } from '../threats/patterns.ts';

/** What interpretation needs to know besides the exchange. */
export interface InterpretContext {
  /** Declared property names of the exchange's organisation, by their lower-case form. */
  readonly declaredNames: ReadonlyMap<string, string>;
  /** Changes that came before the record, oldest first. */
  readonly changes: readonly AcceptedChange[];
  /** What takes out of the texts what the organisation does not want stored; undefined when it stores all. */
  readonly redact?: RedactTexts | undefined;
  /** What the exchange's organisation is billed by. */
  readonly prices: Prices;
  /** What looks at the user's text in place of the built-in patterns. Null says that it could not. */
  readonly checkThreat?: ((text: string) => boolean | null) | undefined;
}

/**
 * Turns an exchange into its record: decode the bodies, read them in the provider's wire format, price the usage, name and tag it, and take out
 * what must not be stored; the caller's later changes come on top. Never throws on what a provider or a caller sent.
 */
export function interpretExchange(exchange: Exchange, context: InterpretContext): RequestRecord {
  const { open } = exchange;
  const { tags } = open;
  const format = wireFormatFor(open.provider, upstreamPath(open));
  const request = withShortNames(readRequest(exchange, format));
  const response = withEstimate(withShortNames(readResponse(exchange, format)), request, { exchange, format });
  const priced = costOf(exchange, { request: request.facts, response: response.facts }, context.prices);
  const texts = redacted(textsOf(exchange, request, response, propertiesOf(tags, context.declaredNames)), open.provider, context);
  const { properties, modelOverride, requestModel, responseModel } = texts;
  const { facts, changes } = changedFacts(properties, context);
  // TRICKY: spreads stand last. In front of a literal of so many keys one makes the object a hundred times as slow to build.
  return {
    organizationId: open.organizationId,
    requestId: open.requestId,
    createdAt: open.openedAt,
    keyHash: open.keyHash,
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
    properties,
    aliasedNames: tags.aliasedNames === true,
    promptId: texts.promptId,
    inputs: texts.inputs,
    responseId: texts.responseId,
    status: statusOf(exchange, response),
    countryCode: orEmpty(open.countryCode),
    threat: threatOf(tags, request.facts, context.checkThreat ?? matchesThreatPattern),
    usage: withRaw(response.facts.usage, texts.usageRaw),
    serviceTier: texts.serviceTier,
    cost: priced.cost,
    costSource: priced.source,
    priceReference: priced.reference,
    appliedPrice: priced.applied,
    scores: facts.scores,
    feedback: facts.feedback,
    changes,
    sessionChanges: facts.sessionChanges,
    ...mapTextTags((name) => texts[name]),
    ...notYetKnown,
    ...cacheFactsOf(open),
    ...courseOf(exchange, response),
    ...bodiesOf(exchange, texts),
  };
}

const namesInBodies = ['model', 'user', 'responseId', 'serviceTier'] as const;

/** What a body names, without names that are longer than an identifier may be. */
export function withShortNames<Read extends { readonly facts: object }>(read: Read): Read {
  const facts = read.facts as Readonly<Partial<Record<(typeof namesInBodies)[number], string>>>;
  const overlong = namesInBodies.filter((name) => exceedsBytes(facts[name] ?? '', textLimits.identifierBytes));
  if (overlong.length === 0) return read;
  return { ...read, facts: { ...facts, ...Object.fromEntries(overlong.map((name) => [name, ''])) } };
}

/** What callers may alter of a record, with the changes that came before it, and their history. */
function changedFacts(properties: Map<string, string>, { changes }: InterpretContext) {
  const facts: ChangeableFacts = { properties, scores: new Map(), feedback: null, sessionChanges: [] };
  return { facts, changes: changes.flatMap((accepted) => applyChange(facts, accepted)) };
}

/** Whether the cache was asked for, and the exchange whose reply it gave. */
function cacheFactsOf({ cacheEnabled, cachedFrom }: ExchangeOpen) {
  return {
    cacheEnabled: cacheEnabled === true,
    cached: cachedFrom !== undefined,
    cacheReferenceId: orEmpty(cachedFrom?.requestId),
    cacheCreatedAt: cachedFrom?.createdAt ?? null,
  };
}

/** Facts that nothing tells yet. */
const notYetKnown = {
  isPassthroughBilling: null,
  assets: [],
} as const;

/** The attempts, when there was more than one; without an end the head tells those that it knew of. */
function attemptsOf({ end, responseHead }: Exchange): readonly Attempt[] {
  const attempts = (end ?? responseHead)?.attempts ?? [];
  return attempts.map((attempt) => ({ ...attempt, provider: recordNameOf(attempt.provider) }));
}

/** A provider as records name it. */
export function recordNameOf(provider: string): string {
  return providerNamed(provider)?.recordName ?? 'CUSTOM';
}

function withRaw(usage: Usage, raw: Usage['raw']): Usage {
  return usage.raw === raw ? usage : { ...usage, raw };
}

const modelNames = ['requestModel', 'modelOverride', 'responseModel'] as const;

/** What may be stored. A model's name that stands in a price list is nobody's secret; any other one may be whatever its writer likes. */
export function redacted(
  texts: RecordTexts,
  provider: string,
  { redact, prices }: Pick<InterpretContext, 'redact' | 'prices'>,
): RecordTexts {
  if (redact === undefined) return texts;
  const listed = modelNames.filter((name) => isListed(texts[name], provider, prices));
  const shown = Object.fromEntries(listed.map((name) => [name, texts[name]]));
  const hidden = Object.fromEntries(listed.map((name) => [name, '']));
  return { ...redact({ ...texts, ...hidden }), ...shown };
}

function isListed(model: string, provider: string, { book, organization }: Prices): boolean {
  const named = providerNamed(provider);
  return book.lists(named?.priceProviderId, model) || organizationModels(organization, recordNameOf(provider)).includes(model);
}

/** The bodies, their texts and sizes. */
function bodiesOf({ open: { tags }, end, requestBody, responseBody }: Exchange, texts: RecordTexts) {
  return {
    requestBody: texts.requestBody,
    responseBody: texts.responseBody,
    requestBodyCut: end?.requestCut === true || lacksParts(tags.requestBody, requestBody, end?.requestBytes),
    responseBodyCut: end?.responseCut === true || lacksParts(tags.responseBody, responseBody, end?.responseBytes),
    promptText: texts.promptText,
    lastUserText: texts.lastUserText,
    completionText: texts.completionText,
    sizeBytes: end === undefined ? requestBody.length + responseBody.length : end.requestBytes + end.responseBytes,
  };
}

/** A part for which the disk had no room may be missing although the end, which was written after it, does not know that yet. */
function lacksParts(keeping: BodyKeeping | undefined, body: Uint8Array, passedBytes = 0): boolean {
  return keeping !== 'never' && body.length < passedBytes;
}

/** Null when nobody asked, or there was no text of the user to look at. */
function threatOf({ securityCheck }: Tags, { lastUserText }: RequestFacts, check: (text: string) => boolean | null): boolean | null {
  return securityCheck === undefined || lastUserText === '' ? null : check(lastUserText);
}

/** How long it took, in how many attempts. */
function courseOf(exchange: Exchange, { streamed }: ReadResponse) {
  const { open, end, responseParts } = exchange;
  const latencyMs = end?.elapsedMs ?? responseParts?.lastMs ?? null;
  return {
    responseCreatedAt: latencyMs === null ? null : open.openedAt + latencyMs,
    latencyMs,
    timeToFirstTokenMs: streamed ? (end?.firstByteMs ?? responseParts?.firstMs ?? null) : null,
    gatewayOverheadMs: end?.overheadMs ?? null,
    attempts: attemptsOf(exchange),
  };
}

const statusOfOutcome: Record<Exclude<ExchangeOutcome, 'complete' | 'refused'>, number> = {
  client_left: 499,
  provider_broke: 502,
  no_response: 0,
};

/**
 * Status as the record tells it. An exchange without an end was cut by the death of its gateway worker: it counts as whole when its content
 * shows that, else as broken off like any other reply that stopped in the middle.
 */
function statusOf(exchange: Exchange, response: ReadResponse): number {
  const { end, responseHead } = exchange;
  if (end !== undefined && end.outcome !== 'complete' && end.outcome !== 'refused') return statusOfOutcome[end.outcome];
  if (responseHead === undefined) return 0;
  return end !== undefined || response.whole ? responseHead.status : statusOfOutcome.provider_broke;
}

interface Cost {
  readonly cost: Money | null;
  readonly source: CostSource;
  readonly reference: string;
  readonly applied: string;
}

interface Facts {
  readonly request: RequestFacts;
  readonly response: ResponseFacts;
}

/**
 * The caller's own figure, else the provider's, else that of a price for the model that answered or the one that was asked for. A reply of the
 * response cache costs nothing, whatever the caller says.
 */
function costOf(exchange: Exchange, { request, response }: Facts, prices: Prices): Cost {
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
