import { isSameModel, modelName } from '../../model/record/model-names.ts';

/** What a record, or a span that may become one, says of its call, as far as it shows whether another tells of the same one. */
export interface TellsOfCall {
  /** Empty: none. */
  readonly traceId: string;
  /** It was made of a span; else the call passed through the gateway. */
  readonly isOfSpan: boolean;
  /** Its spans. */
  readonly ids: readonly string[];
  readonly parentIds: readonly string[];
  readonly carrierIds: readonly string[];
  /** Instrumentations that made its spans. */
  readonly scopes: readonly string[];
  /** The provider's identifier of its response; empty: not told. */
  readonly responseId: string;
  /** As in records. */
  readonly provider: string;
  /** As told; those that are empty count as none. */
  readonly models: readonly string[];
  /** Unix milliseconds. */
  readonly from: number;
  readonly to: number;
}

/**
 * `same`: the same span or response. `inner`: it stands right inside a span of the other. `outer`: right around one. `beside`: another
 * instrumentation made it, in the same parent at the same time; such a one may be beside several calls, of which it tells of the nearest.
 */
export type Relation = 'same' | 'inner' | 'outer' | 'beside';

/** By which the clocks of an application and of a gateway, and the moments at which they look at them, may differ. */
export const clockMs = 1000;
/** By which two instrumentations of one program may see a call begin and end. */
const besideMs = 250;
/** A cache behind the provider's address gives the same response again, to calls at other times. */
export const cacheMs = 10_000;
/** Characters of an identifier of a response, behind its kind, from which on it is its own. */
const surelyUniqueLength = 8;
/** Of a provider that a span does not name. */
const unknownProvider = 'CUSTOM';

/** How a span's call is the call of another; undefined: they are two calls. */
export function relationOf(span: TellsOfCall, other: TellsOfCall): Relation | undefined {
  const isInTrace = span.traceId !== '' && span.traceId === other.traceId;
  if (isInTrace && shares(span.ids, other.ids)) return 'same';
  if (hasResponseOf(span, other) && (isInTrace || isDuring(span, other, cacheMs))) return 'same';
  return isInTrace && mayBeOne(span, other) ? positionalRelation(span, other) : undefined;
}

function mayBeOne(one: TellsOfCall, other: TellsOfCall): boolean {
  return !hasAnotherResponse(one, other) && agreeOnModel(one.models, other.models) && isDuring(one, other, clockMs);
}

function positionalRelation(span: TellsOfCall, other: TellsOfCall): Relation | undefined {
  if (isInside(span, other)) return isSecondInside(span, other) ? undefined : 'inner';
  if (isInside(other, span)) return isSecondInside(other, span) ? undefined : 'outer';
  return isBeside(span, other) ? 'beside' : undefined;
}

function isInside(inner: TellsOfCall, outer: TellsOfCall): boolean {
  return shares(inner.parentIds, outer.ids) || shares(inner.ids, outer.carrierIds);
}

/** Two spans of one instrumentation are two calls. */
function isBeside(one: TellsOfCall, other: TellsOfCall): boolean {
  const areOfTwo = one.scopes.length > 0 && other.scopes.length > 0 && !shares(one.scopes, other.scopes);
  return areOfTwo && shares(outsideOf(one), outsideOf(other)) && areAtOnce(one, other);
}

/** Whether two instrumentations of one program may have seen both as one call. */
export function areAtOnce(one: TellsOfCall, other: TellsOfCall): boolean {
  return isDuring(one, other, besideMs);
}

function outsideOf({ ids, parentIds }: TellsOfCall): readonly string[] {
  return parentIds.filter((id) => !ids.includes(id));
}

/** Milliseconds between the times of two, to find the nearest. */
export function distanceOf(one: TellsOfCall, other: TellsOfCall): number {
  return Math.abs(one.from - other.from) + Math.abs(one.to - other.to);
}

function hasResponseOf(one: TellsOfCall, other: TellsOfCall): boolean {
  if (one.responseId === '' || one.responseId !== other.responseId) return false;
  return isProviderOf(one, other) ? !mayRecur(one, other) : isOfItsClient(one, other);
}

/**
 * Ollama draws `chatcmpl-847` of 999: two calls with such an identifier are the same only where neither time nor model tells them apart.
 * @see https://github.com/ollama/ollama/blob/main/middleware/openai.go
 */
function mayRecur(one: TellsOfCall, other: TellsOfCall): boolean {
  if (isSurelyUnique(one)) return false;
  return !agreeOnModel(one.models, other.models) || !areAtOnce(one, other);
}

function isSurelyUnique({ responseId }: TellsOfCall): boolean {
  return responseId.replace(/^[a-z]+[-_]/i, '').length >= surelyUniqueLength;
}

/** A span names the provider whose client made the call: many are called through OpenAI's, by an address that is the gateway's. */
function isOfItsClient(one: TellsOfCall, other: TellsOfCall): boolean {
  return (one.isOfSpan || other.isOfSpan) && isSurelyUnique(one) && agreeOnModel(one.models, other.models);
}

function hasAnotherResponse(one: TellsOfCall, other: TellsOfCall): boolean {
  return one.responseId !== '' && other.responseId !== '' && one.responseId !== other.responseId;
}

function isProviderOf(one: TellsOfCall, other: TellsOfCall): boolean {
  return one.provider === other.provider || one.provider === unknownProvider || other.provider === unknownProvider;
}

/**
 * A span around one call that is known already has room for no other. A call through the gateway may be within the span of a step, which
 * has room for many.
 */
function isSecondInside(inner: TellsOfCall, outer: TellsOfCall): boolean {
  if (!outer.isOfSpan || !inner.isOfSpan) return false;
  return inner.parentIds.some((id) => outer.ids.includes(id) && outer.parentIds.includes(id));
}

function isDuring(one: TellsOfCall, other: TellsOfCall, toleranceMs: number): boolean {
  return isWithin(one, other, toleranceMs) || isWithin(other, one, toleranceMs);
}

function isWithin(inner: TellsOfCall, outer: TellsOfCall, toleranceMs: number): boolean {
  return inner.from >= outer.from - toleranceMs && inner.to <= outer.to + toleranceMs;
}

/** A dated model and its alias are one model. Who names none contradicts nobody. */
function agreeOnModel(some: readonly string[], others: readonly string[]): boolean {
  const [ours, theirs] = [some, others].map((names) => names.filter((name) => modelName(name) !== ''));
  if (ours === undefined || theirs === undefined || ours.length === 0 || theirs.length === 0) return true;
  return ours.some((one) => theirs.some((other) => isSameModel(one, other)));
}

function shares(some: readonly string[], others: readonly string[]): boolean {
  return some.some((id) => others.includes(id));
}
