import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';
import { ByteBoundedMap } from '../../platform/bounds/byte-bounded-map.ts';
import { type PositionedRequest, positionOf, type ReceivedTrace, type TreeNode } from './position.ts';
import { bytesOfNode, bytesOfRequest } from './remembered.ts';

/** Who sent the spans of a trace. */
export interface SpanOwner {
  readonly organizationId: OrganizationId;
  readonly keyId: string;
}

/** Properties of a request that are other than they were when its span came. */
export interface PositionCorrection<Owner extends SpanOwner> {
  readonly owner: Owner;
  readonly requestId: RequestId;
  readonly values: ReadonlyMap<string, string>;
  /** The values that they take the place of: a caller may have changed them meanwhile. */
  readonly over: ReadonlyMap<string, readonly string[]>;
}

interface TraceState<Owner extends SpanOwner> {
  readonly owner: Owner;
  readonly traceId: string;
  readonly nodes: Map<string, TreeNode>;
  /** Requests with an ancestor that has not come yet. */
  readonly open: Map<RequestId, PositionedRequest>;
  /** The first that names a session. */
  named: TreeNode | undefined;
  /** Unix milliseconds; undefined: nothing new. */
  dueAt: number | undefined;
  changedAt: number;
  /** Requests that are still to be looked at, the first in `open`. */
  left: number;
  bytes: number;
}

/** A trace is looked at again when nothing of it has come for `quietMs`, and at the latest `latestMs` after something has. */
const settling = { quietMs: 2000, latestMs: 20_000 } as const;

/** Of a span with names of a common length. */
const bytesOfSpan = 512;
/** Without its nodes and requests. */
const bytesOfTrace = 512;
/** What one organisation may take of the memory while others take none. */
const ownerShare = 0.9;
/** Requests of one organisation that are looked at before another's. */
const inTurn = 25;

export interface LateSpansOptions {
  /** Remembered over all traces; one with long names counts as several. */
  readonly maxSpans: number;
  /** Told how many requests keep their places because their trace was forgotten before it was looked at. */
  readonly onForgotten?: (requests: number) => void;
}

/**
 * Remembers spans until their ancestors have come. Agents send inner spans first, often minutes before the outer ones, so that the path of a
 * request, and the session that its trace's root names, are seldom whole when its span comes. Bounded in bytes: the traces that were silent
 * longest are forgotten, of the organisation that has the most, and their requests keep the places that they have; so they do after a
 * restart.
 */
export class LateSpans<Owner extends SpanOwner> {
  private readonly traces: ByteBoundedMap<TraceState<Owner>>;
  /** By organisation, in the order of turns. */
  private readonly due = new Map<string, Set<TraceState<Owner>>>();

  constructor({ maxSpans, onForgotten }: LateSpansOptions) {
    const maxBytes = maxSpans * bytesOfSpan;
    const onForget = (state: TraceState<Owner>): void => {
      if (this.removeDue(state)) onForgotten?.(state.left);
    };
    this.traces = new ByteBoundedMap({ maxBytes, maxBytesOfOwner: maxBytes * ownerShare, onForget });
  }

  /** @param now Unix milliseconds. */
  add(owner: Owner, received: readonly ReceivedTrace[], now: number): void {
    for (const trace of received) this.addTrace(owner, trace, now);
  }

  private addTrace(owner: Owner, { traceId, nodes, requests }: ReceivedTrace, now: number): void {
    const state = this.traces.get(owner.organizationId, traceId) ?? newState(owner, traceId, now);
    for (const node of nodes) {
      state.bytes += bytesOfNode(node) - bytesIfAny(state.nodes.get(node.spanId), bytesOfNode);
      state.nodes.set(node.spanId, node);
      if (node.sessionId !== '') state.named ??= node;
    }
    for (const request of requests) {
      if (request.isRooted) continue;
      state.bytes += bytesOfRequest(request) - bytesIfAny(state.open.get(request.requestId), bytesOfRequest);
      state.open.set(request.requestId, request);
    }
    if (state.open.size > 0) {
      if (state.dueAt === undefined) state.changedAt = now;
      state.dueAt = Math.min(now + settling.quietMs, state.changedAt + settling.latestMs);
      state.left = state.open.size;
      this.addDue(state);
    }
    this.traces.set(owner.organizationId, traceId, state, state.bytes);
  }

  private addDue(state: TraceState<Owner>): void {
    const { organizationId } = state.owner;
    const own = this.due.get(organizationId);
    if (own === undefined) this.due.set(organizationId, new Set([state]));
    else own.add(state);
  }

  private removeDue(state: TraceState<Owner>): boolean {
    const { organizationId } = state.owner;
    const own = this.due.get(organizationId);
    const isRemoved = own?.delete(state) === true;
    if (own?.size === 0) this.due.delete(organizationId);
    return isRemoved;
  }

  /** Whether some request is to be looked at now. */
  isDue(now: number): boolean {
    return this.nextDue(now) !== undefined;
  }

  /** What has changed for requests whose traces are due. Organisations take turns. @param max requests that are looked at. */
  corrections(now: number, max = Number.POSITIVE_INFINITY): readonly PositionCorrection<Owner>[] {
    const corrections: PositionCorrection<Owner>[] = [];
    let left = max;
    for (let state = this.nextDue(now); state !== undefined && left > 0; state = this.nextDue(now)) {
      const { organizationId } = state.owner;
      const looked = Math.min(left, inTurn, state.left);
      corrections.push(...this.lookAt(state, looked));
      left -= looked;
      const own = this.due.get(organizationId);
      // Its organisation goes to the end of the turn order.
      if (own !== undefined && this.due.delete(organizationId)) this.due.set(organizationId, own);
    }
    return corrections;
  }

  private nextDue(now: number): TraceState<Owner> | undefined {
    for (const own of this.due.values()) for (const state of own) if ((state.dueAt ?? Infinity) <= now) return state;
    return undefined;
  }

  private lookAt(state: TraceState<Owner>, count: number): readonly PositionCorrection<Owner>[] {
    const requests = firstOf(state.open.values(), count);
    const corrections = requests.flatMap((request) => this.correctionOf(state, request));
    state.left -= count;
    if (state.left > 0) return corrections;
    state.dueAt = undefined;
    this.removeDue(state);
    this.traces.shrink(state.owner.organizationId, state.traceId, state.bytes);
    return corrections;
  }

  private correctionOf(state: TraceState<Owner>, request: PositionedRequest): readonly PositionCorrection<Owner>[] {
    const { owner, traceId, nodes, open, named } = state;
    const node = nodes.get(request.spanId);
    // Those that stay open are looked at last in the next round.
    open.delete(request.requestId);
    if (node === undefined) {
      open.set(request.requestId, request);
      return [];
    }
    const fallback = { sessionId: named?.sessionId ?? request.sessionId, sessionName: '', userId: '' };
    const position = positionOf(node, traceId, (spanId) => nodes.get(spanId), fallback);
    const told = [
      [sessionProperties.sessionId, request.sessionId, position.sessionId],
      [sessionProperties.sessionPath, request.sessionPath, position.sessionPath],
    ] as const;
    const known = new Set(request.properties);
    const given = (position.context ?? []).filter(({ name }) => !known.has(name)).map(({ name, value }) => [name, value] as const);
    const changed = told.filter(([, before, after]) => before !== after).map(([name, , after]) => [name, after] as const);
    const values = new Map([...given, ...changed]);
    const corrected = {
      ...request,
      sessionId: position.sessionId,
      sessionPath: position.sessionPath,
      properties: [...known, ...given.map(([name]) => name)],
    };
    state.bytes += (position.isRooted ? 0 : bytesOfRequest(corrected)) - bytesOfRequest(request);
    if (!position.isRooted) open.set(request.requestId, corrected);
    return values.size === 0
      ? []
      : [{ owner, requestId: request.requestId, values, over: new Map(told.map(([name, before]) => [name, [before]])) }];
  }
}

function newState<Owner extends SpanOwner>(owner: Owner, traceId: string, now: number): TraceState<Owner> {
  const empty = { nodes: new Map<string, TreeNode>(), open: new Map<RequestId, PositionedRequest>(), named: undefined, dueAt: undefined };
  return { owner, traceId, ...empty, changedAt: now, left: 0, bytes: bytesOfTrace };
}

function firstOf<Value>(values: Iterable<Value>, count: number): readonly Value[] {
  const first: Value[] = [];
  for (const value of values) {
    if (first.length >= count) break;
    first.push(value);
  }
  return first;
}

function bytesIfAny<Value>(value: Value | undefined, bytesOf: (value: Value) => number): number {
  return value === undefined ? 0 : bytesOf(value);
}
