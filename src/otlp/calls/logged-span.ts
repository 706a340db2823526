import type { RequestId } from '../../model/ids.ts';
import type { TaggedProperty, Tags } from '../../model/record/exchange.ts';
import type { LoggedCall } from '../../model/record/logged-call.ts';
import { writeExactly } from '../../model/json/exact-numbers.ts';
import { exceedsBytes, type JsonObject } from '../../model/text.ts';
import { propertyLimits, textLimits } from '../../model/vocabulary/limits.ts';
import { type SpanCall, readSpanCall } from '../attributes/span-call.ts';
import { completed } from '../attributes/completed.ts';
import { propertiesOf } from '../attributes/properties.ts';
import { unknownProvider } from '../attributes/provider.ts';
import type { PositionedSpan } from '../tree/position.ts';
import type { Span } from '../received/span.ts';
import { bodiesOf } from './bodies.ts';
import type { Bodies } from './body-pair.ts';

/** Makes the identifier of a record from its span: the same one for a repetition. */
export type IdentifySpan = (span: Pick<Span, 'traceId' | 'spanId' | 'startMs'>) => RequestId;

const jsonHeaders = { 'content-type': 'application/json' } as const;

/** The call that a span tells of. @param defaults for what neither it nor its trace tells. */
export function loggedSpan(positioned: PositionedSpan, defaults: Tags, identify: IdentifySpan): LoggedCall {
  const { span, operation, outers } = positioned;
  const call = completed(
    readSpanCall(span, operation),
    outers.map((outer) => readSpanCall(outer, operation)),
  );
  const bodies = bodiesOf(call);
  const isOfModel = operation !== 'tool' && operation !== 'retrieval' && operation !== 'level';
  const model = modelName(call);
  return {
    requestId: identify(span),
    startedAt: span.startMs,
    elapsedMs: span.endMs - span.startMs,
    firstTokenMs: call.firstTokenMs,
    method: 'POST',
    path: bodies.path,
    provider: isOfModel ? call.provider : unknownProvider,
    targetUrl: call.address === '' ? '' : `${call.address.replace(/\/(?:v1\/?)?$/, '')}${bodies.path}`,
    model: model === '' ? undefined : model,
    requestHeaders: jsonHeaders,
    tags: tagsOf(positioned, call, defaults),
    trace: { traceId: span.traceId, spanId: span.spanId },
    span: isOfModel ? spanIdentity(positioned, call) : undefined,
    requestBody: bytesOf(bodies.request),
    response: responseOf(call, bodies),
  };
}

const maxScopeCharacters = 128;

function spanIdentity(
  { span, outers, carrierIds }: PositionedSpan,
  { provider, texts, usage, conversation }: SpanCall,
): LoggedCall['span'] {
  const { messages, choices, input, output } = conversation;
  const { anthropic, ...counts } = usage;
  const models = [texts.requestModel, texts.responseModel].filter((model) => model !== '');
  return {
    traceId: span.traceId,
    ids: [span, ...outers].map(({ spanId }) => spanId),
    parentIds: [span, ...outers].map(({ parentSpanId }) => parentSpanId).filter((spanId) => spanId !== ''),
    carrierIds,
    scopes: [...new Set([span, ...outers].map(({ scope }) => scope.name.slice(0, maxScopeCharacters)))].filter((name) => name !== ''),
    provider,
    models: models.filter((model) => !exceedsBytes(model, textLimits.identifierBytes)),
    responseId: exceedsBytes(texts.responseId, textLimits.identifierBytes) ? '' : texts.responseId,
    endedAt: span.endMs,
    hasTexts: (messages ?? choices ?? input ?? output) !== undefined,
    usage: anthropic !== undefined ? 2 : Object.keys(counts).length > 0 ? 1 : 0,
  };
}

/** Tools and searches are named as Helicone names those of its loggers. */
function modelName({ operation, texts }: SpanCall): string {
  if (operation === 'tool') return `tool:${texts.toolName || texts.stepName}`;
  return operation === 'retrieval' ? 'vector_db' : texts.requestModel || texts.responseModel;
}

function bytesOf(body: JsonObject): Uint8Array {
  return Buffer.from(writeExactly(body));
}

const internalError = 500;
const okStatus = 200;

/** A span that ended in an error has the status that it tells, else 500. */
function responseOf(call: SpanCall, bodies: Bodies): LoggedCall['response'] {
  const { statusCode = call.hasFailed ? internalError : okStatus } = call;
  const isFailure = statusCode >= 400;
  if (!call.hasFailed && !isFailure) return { status: statusCode, headers: jsonHeaders, body: bytesOf(bodies.response) };
  return {
    status: isFailure ? statusCode : internalError,
    headers: jsonHeaders,
    body: bytesOf({ ...partial(bodies), error: errorOf(call) }),
  };
}

/** What came before the error, with the usage that is billed all the same. */
function partial({ response }: Bodies): JsonObject {
  const { choices, content, usage } = response;
  const hasContent = (Array.isArray(choices) && choices.length > 0) || (Array.isArray(content) && content.length > 0);
  return hasContent || usage !== undefined ? response : {};
}

function errorOf({ texts: { errorMessage, errorType } }: SpanCall): JsonObject {
  return { message: errorMessage || 'The span ended in an error.', type: errorType === '' ? null : errorType };
}

/** The trace is the job, the span its node: both are filters. */
function tagsOf(
  { span, outers, context = [], sessionId, sessionName, sessionPath, userId }: PositionedSpan,
  call: SpanCall,
  defaults: Tags,
): Tags {
  const { texts, costUsd } = call;
  const optional = {
    userId: texts.userId || userId,
    sessionId,
    sessionName,
    sessionPath,
    promptId: texts.promptId,
    promptVersion: texts.promptVersion,
    experimentId: texts.experimentId,
  };
  const kept = Object.entries(optional).filter(([, text]) => text !== '' && !exceedsBytes(text, textLimits.identifierBytes));
  const properties = firstOfEach([...[span, ...outers].flatMap(propertiesOf), ...context]);
  const names = new Set(properties.map(({ name }) => name));
  return {
    ...defaults,
    properties: [...properties, ...defaults.properties.filter(({ name }) => !names.has(name))].slice(0, propertyLimits.properties),
    jobId: span.traceId,
    nodeId: span.spanId,
    ...(Object.fromEntries(kept) as Partial<typeof optional>),
    ...(costUsd === undefined || costUsd < 0 ? {} : { cost: decimal(costUsd) }),
  };
}

function firstOfEach(properties: readonly TaggedProperty[]): readonly TaggedProperty[] {
  const byName = new Map<string, TaggedProperty>();
  for (const property of properties) if (!byName.has(property.name)) byName.set(property.name, property);
  return [...byName.values()];
}

const costDigits = 12;

function decimal(costUsd: number): string {
  return costUsd.toFixed(costDigits);
}
