import type { Tags } from '../../model/record/exchange.ts';
import type { Operation } from '../dialects/dialect.ts';
import { operationOf } from '../attributes/span-call.ts';
import type { SpanWork } from '../received/limits.ts';
import type { Span } from '../received/span.ts';
import { isInRing, isOfTransport, mayCarryCall, nameField, nodeOf, type PositionedSpan, positionOf, type TreeNode } from './position.ts';
import type { RecentParents, SpanKey } from './recent-parents.ts';
import { isOfModel, isOuter, modelOf, modelOperations, outersOf, type ToldSpan } from './told-twice.ts';

/** The spans of one trace that came together. */
export interface PositionedTrace {
  readonly traceId: string;
  readonly nodes: readonly TreeNode[];
  readonly positioned: readonly PositionedSpan[];
  /** Spans that may carry a call, and came without their parents. */
  readonly carriers: readonly Span[];
}

export interface SpansToPosition {
  readonly organizationId: string;
  readonly spans: readonly Span[];
  readonly work: SpanWork;
  /** For spans whose trace names nothing. */
  readonly defaults: Pick<Tags, 'sessionId' | 'sessionName' | 'userId'>;
}

/** Of one call, with its retries. */
const maxCarriers = 8;

/** Operations that become requests: those of models, and of tools and searches, which a session's reader looks for. */
const recorded: ReadonlySet<Operation> = new Set([...modelOperations, 'tool', 'retrieval']);

/**
 * Decides which spans become requests, and where in a session they stand as far as this request shows. Ancestors that come later are
 * `late-spans.ts`'s concern.
 */
export function positionSpans(
  { organizationId, spans, defaults, work }: SpansToPosition,
  parents: RecentParents,
): readonly PositionedTrace[] {
  const traces = new Map<string, Span[]>();
  for (const span of spans) {
    const own = traces.get(span.traceId);
    if (own === undefined) traces.set(span.traceId, [span]);
    else own.push(span);
  }
  return Array.from(traces, ([traceId, own]) => positionTrace({ organizationId, traceId, spans: own, defaults, work }, parents));
}

function positionTrace(
  { organizationId, traceId, spans, defaults, work }: SpansToPosition & Omit<SpanKey, 'spanId'>,
  parents: RecentParents,
): PositionedTrace {
  const keyOf = (spanId: string): SpanKey => ({ organizationId, traceId, spanId });
  const told = spans.map((span) => ({ span, operation: operationOf(span), node: nodeOf(span) }));
  const byId = new Map(told.map(({ node }) => [node.spanId, node]));
  for (const { span, operation } of told) {
    work.pause();
    const { spanId, parentSpanId } = span;
    if (isOfModel(operation) && parentSpanId !== '') parents.add(keyOf(parentSpanId), { spanId, model: modelOf(span) });
  }
  const named = {
    sessionId: firstOf(told, 'sessionId') || (defaults.sessionId ?? ''),
    sessionName: firstOf(told, 'sessionName') || (defaults.sessionName ?? ''),
    userId: firstOf(told, 'userId') || (defaults.userId ?? ''),
  };
  const outers = outersOf(told, {
    models: (spanId) => parents.modelsBelow(keyOf(spanId)),
    isOne: (spanId) => parents.hasOneBelow(keyOf(spanId)),
  });
  const modelsHere = modelsBelow(told);
  const carriers = carriersBelow(told);
  const positioned = told.flatMap(({ span, operation, node }): PositionedSpan[] => {
    work.pause();
    if (operation === undefined || !recorded.has(operation)) return [];
    // Whether a call that came earlier is inside it is for the ingest to find.
    const isTold = isOuter({ span, operation }, modelsHere.get(span.spanId) ?? []);
    // In a ring each would be told by another.
    if (isTold && !isInRing(node, (id) => byId.get(id))) return [];
    const position = positionOf(node, traceId, (id) => byId.get(id), named);
    const sessionPath = nameField(span.attributes, 'sessionPath') || position.sessionPath;
    const around = isOfModel(operation) ? outers(span) : [];
    return [
      {
        ...position,
        sessionPath,
        span,
        operation,
        outers: around,
        carrierIds: [span, ...around].flatMap(({ spanId }) => carriers.get(spanId) ?? []).slice(0, maxCarriers),
      },
    ];
  });
  const alone = spans.filter((span) => mayCarryCall(span) && !byId.has(span.parentSpanId));
  return { traceId, nodes: told.map(({ node }) => node), positioned, carriers: alone };
}

/** Models of the calls right below each span that came with it. */
function modelsBelow(told: readonly ToldSpan[]): ReadonlyMap<string, readonly string[]> {
  const models = new Map<string, string[]>();
  for (const { span, operation } of told) {
    if (!isOfModel(operation)) continue;
    const below = models.get(span.parentSpanId);
    if (below === undefined) models.set(span.parentSpanId, [modelOf(span)]);
    else below.push(modelOf(span));
  }
  return models;
}

/** Spans of transports right below each span that came with it. */
function carriersBelow(told: readonly ToldSpan[]): ReadonlyMap<string, readonly string[]> {
  const carriers = new Map<string, string[]>();
  for (const { span } of told) {
    if (!isOfTransport(span)) continue;
    const below = carriers.get(span.parentSpanId);
    if (below === undefined) carriers.set(span.parentSpanId, [span.spanId]);
    else if (below.length < maxCarriers) below.push(span.spanId);
  }
  return carriers;
}

function firstOf(told: readonly { readonly node: TreeNode }[], field: 'sessionId' | 'sessionName' | 'userId'): string {
  return told.find(({ node }) => node[field] !== '')?.node[field] ?? '';
}
