import type { RequestId } from '../../model/ids.ts';
import type { TaggedProperty } from '../../model/record/exchange.ts';
import { exceedsBytes } from '../../model/text.ts';
import { propertyLimits, textLimits } from '../../model/vocabulary/limits.ts';
import type { Operation, TextField } from '../dialects/dialect.ts';
import { operationOf, textField } from '../attributes/span-call.ts';
import { contextOf } from '../attributes/properties.ts';
import { type Attributes, type Span, spanKinds, textAt } from '../received/span.ts';
import { levelName, pathOf } from './path.ts';

/** What a session's tree needs to know of a span. */
export interface TreeNode {
  readonly spanId: string;
  /** Empty: the trace begins here. */
  readonly parentSpanId: string;
  /** Its level in a path; empty: it is none, as a transport's span. */
  readonly level: string;
  /** What it says of its session and user itself; empty: nothing. */
  readonly sessionId: string;
  readonly sessionName: string;
  readonly userId: string;
  /** Properties that it gives to the calls below it; absent: none. */
  readonly context?: readonly TaggedProperty[] | undefined;
}

/** The place of a span in a session, as far as its ancestors are known. */
export interface SessionPosition {
  /** The session that the span, the nearest ancestor or the trace names; else the trace. */
  readonly sessionId: string;
  readonly sessionName: string;
  readonly sessionPath: string;
  readonly userId: string;
  /** Properties that the span and its ancestors give, the nearest first; absent: none. */
  readonly context?: readonly TaggedProperty[] | undefined;
  /** All ancestors are known. */
  readonly isRooted: boolean;
}

/** A span that becomes a request, with its place. */
export interface PositionedSpan extends SessionPosition {
  readonly span: Span;
  readonly operation: Operation;
  /** Spans that tell of the same call, the nearest first. */
  readonly outers: readonly Span[];
  /** Spans right inside it that carry the call, as HTTP's. */
  readonly carrierIds: readonly string[];
}

/** A request made of a span, with the place that it got when it came. */
export interface PositionedRequest extends Pick<SessionPosition, 'sessionId' | 'sessionPath' | 'isRooted'> {
  /** Names of the properties that it has; absent: none. No ancestor gives another. */
  readonly properties?: readonly string[] | undefined;
  readonly requestId: RequestId;
  readonly spanId: string;
}

/** What came of one trace at once, for the ancestors that are still to come. */
export interface ReceivedTrace {
  readonly traceId: string;
  readonly nodes: readonly TreeNode[];
  readonly requests: readonly PositionedRequest[];
}

/** Ancestors that are looked at. A session's tree has no more levels. */
const maxAncestors = 64;

export function nodeOf(span: Span): TreeNode {
  const { attributes } = span;
  const context = contextOf(span);
  return {
    ...(context.length === 0 ? {} : { context }),
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    level: isOfTransport(span) ? '' : levelName(span.name),
    sessionId: nameField(attributes, 'sessionId'),
    sessionName: nameField(attributes, 'sessionName'),
    userId: nameField(attributes, 'userId'),
  };
}

/** A name that a record keeps. One that is too long for it counts as none, here as there, and is not remembered. */
export function nameField(attributes: Attributes, field: TextField): string {
  const text = textField(attributes, field);
  return exceedsBytes(text, textLimits.identifierBytes) ? '' : text;
}

/** Attributes of spans that carry a call and say nothing of why: HTTP, RPC, messages, databases, name look-ups. */
const transportAttributes = [
  'http.request.method',
  'http.method',
  'rpc.system',
  'rpc.system.name',
  'messaging.system',
  'db.system',
  'db.system.name',
  'dns.question.name',
  'network.transport',
  'net.transport',
  'graphql.operation.type',
];

export function isOfTransport(span: Span): boolean {
  return transportAttributes.some((name) => span.attributes.has(name)) && operationOf(span) === undefined;
}

/** Whether a span carries a request as those of models' clients are, from inside another span. */
export function mayCarryCall(span: Span): boolean {
  const isPost = textAt(span.attributes, ['http.request.method', 'http.method']).toUpperCase() === 'POST';
  return isPost && span.kind === spanKinds.client && span.parentSpanId !== '' && isOfTransport(span);
}

/** Finds a node of the same trace by the identifier of its span. */
export type FindNode = (spanId: string) => TreeNode | undefined;

/** The place of a span from the nodes that are known. @param named the session that another span of the trace names; empty: none. */
export function positionOf(
  node: TreeNode,
  traceId: string,
  find: FindNode,
  named: Pick<SessionPosition, 'sessionId' | 'sessionName' | 'userId'>,
): SessionPosition {
  const ancestors = ancestorsOf(node, find);
  const line = [node, ...ancestors];
  const top = ancestors.at(-1) ?? node;
  const nearest = (field: 'sessionId' | 'sessionName' | 'userId'): string => line.find((each) => each[field] !== '')?.[field] ?? '';
  const context = contextIn(line);
  return {
    ...(context.length === 0 ? {} : { context }),
    sessionId: nearest('sessionId') || named.sessionId || traceId,
    sessionName: nearest('sessionName') || named.sessionName,
    sessionPath: pathOf(line.map(({ level }) => level).toReversed()),
    userId: nearest('userId') || named.userId,
    isRooted: top.parentSpanId === '' || ancestors.length >= maxAncestors || line.some(({ spanId }) => spanId === top.parentSpanId),
  };
}

/** Of each name the nearest. */
function contextIn(line: readonly TreeNode[]): readonly TaggedProperty[] {
  const given = line.flatMap(({ context = [] }) => context);
  return given.filter(({ name }, index) => given.findIndex((each) => each.name === name) === index).slice(0, propertyLimits.properties);
}

/** True when a span is its own ancestor, by a sender's mistake. */
export function isInRing(node: TreeNode, find: FindNode): boolean {
  const parents = [node, ...ancestorsOf(node, find)].map(({ parentSpanId }) => parentSpanId);
  return parents.includes(node.spanId);
}

/** The known ancestors, the parent first. A ring ends where it closes. */
function ancestorsOf(node: TreeNode, find: FindNode): readonly TreeNode[] {
  const ancestors: TreeNode[] = [];
  const seen = new Set([node.spanId]);
  for (let next = find(node.parentSpanId); next !== undefined && ancestors.length < maxAncestors; next = find(next.parentSpanId)) {
    if (seen.has(next.spanId)) break;
    seen.add(next.spanId);
    ancestors.push(next);
  }
  return ancestors;
}
