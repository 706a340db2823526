import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';
import { type PlacedRequest, placeOf, type ReceivedTrace, type TreeNode } from './place.ts';

/** Who sent the spans of a trace. */
export interface SpanOwner {
  readonly organizationId: OrganizationId;
  readonly keyId: string;
}

/** Properties of a request that are other than they were when its span came. */
export interface PlaceCorrection<Owner extends SpanOwner> {
  readonly owner: Owner;
  readonly requestId: RequestId;
  readonly values: ReadonlyMap<string, string>;
}

interface TraceState<Owner extends SpanOwner> {
  readonly owner: Owner;
  readonly traceId: string;
  readonly nodes: Map<string, TreeNode>;
  /** Requests with an ancestor that has not come yet. */
  readonly open: Map<RequestId, PlacedRequest>;
  /** Unix milliseconds; undefined: nothing new. */
  dueAt: number | undefined;
  changedAt: number;
}

/** A trace is looked at again when nothing of it has come for `quietMs`, and at the latest `latestMs` after something has. */
const settling = { quietMs: 2000, latestMs: 20_000 } as const;

/**
 * Remembers spans until their ancestors have come. Agents send inner spans first, often minutes before the outer ones, so that the path of a
 * request, and the session that its trace's root names, are seldom whole when its span comes. Bounded: the traces that were silent longest
 * are forgotten, and their requests keep the places that they have; so they do after a restart.
 */
export class LateSpans<Owner extends SpanOwner> {
  private readonly traces = new Map<string, TraceState<Owner>>();
  private readonly due = new Set<TraceState<Owner>>();
  private readonly maxSpans: number;
  private spans = 0;

  /** @param maxSpans remembered over all traces. */
  constructor(maxSpans: number) {
    this.maxSpans = maxSpans;
  }

  /** @param now Unix milliseconds. */
  add(owner: Owner, received: readonly ReceivedTrace[], now: number): void {
    for (const trace of received) this.addTrace(owner, trace, now);
    for (const [key, state] of this.traces) {
      if (this.spans <= this.maxSpans) break;
      this.forget(key, state);
    }
  }

  private addTrace(owner: Owner, { traceId, nodes, requests }: ReceivedTrace, now: number): void {
    const key = `${owner.organizationId} ${traceId}`;
    const state = this.traces.get(key) ?? { owner, traceId, nodes: new Map(), open: new Map(), dueAt: undefined, changedAt: now };
    // The newest is last.
    this.traces.delete(key);
    this.traces.set(key, state);
    const before = sizeOf(state);
    for (const node of nodes) state.nodes.set(node.spanId, node);
    for (const request of requests) if (!request.isRooted) state.open.set(request.requestId, request);
    this.spans += sizeOf(state) - before;
    if (state.open.size === 0) return;
    if (state.dueAt === undefined) state.changedAt = now;
    state.dueAt = Math.min(now + settling.quietMs, state.changedAt + settling.latestMs);
    this.due.add(state);
  }

  private forget(key: string, state: TraceState<Owner>): void {
    this.spans -= sizeOf(state);
    this.traces.delete(key);
    this.due.delete(state);
  }

  /** What has changed for requests whose traces are due. */
  corrections(now: number): readonly PlaceCorrection<Owner>[] {
    return [...this.due].filter(({ dueAt = Infinity }) => dueAt <= now).flatMap((state) => this.correctionsOf(state));
  }

  private correctionsOf(state: TraceState<Owner>): readonly PlaceCorrection<Owner>[] {
    this.due.delete(state);
    state.dueAt = undefined;
    const before = sizeOf(state);
    const named = sessionIn(state.nodes);
    const corrections = [...state.open.values()].flatMap((request) => this.correctionOf(state, request, named));
    this.spans += sizeOf(state) - before;
    return corrections;
  }

  private correctionOf(
    state: TraceState<Owner>,
    request: PlacedRequest,
    named: ReturnType<typeof sessionIn>,
  ): readonly PlaceCorrection<Owner>[] {
    const { owner, traceId, nodes, open } = state;
    const node = nodes.get(request.spanId);
    if (node === undefined) return [];
    const fallback = named.sessionId === '' ? { ...named, sessionId: request.sessionId } : named;
    const place = placeOf(node, traceId, (spanId) => nodes.get(spanId), fallback);
    const told = [
      [sessionProperties.sessionId, request.sessionId, place.sessionId],
      [sessionProperties.sessionPath, request.sessionPath, place.sessionPath],
    ] as const;
    const values = new Map(told.filter(([, before, after]) => before !== after).map(([name, , after]) => [name, after]));
    if (place.isRooted) open.delete(request.requestId);
    else open.set(request.requestId, { ...request, sessionId: place.sessionId, sessionPath: place.sessionPath });
    return values.size === 0 ? [] : [{ owner, requestId: request.requestId, values }];
  }
}

function sizeOf({ nodes, open }: TraceState<SpanOwner>): number {
  return nodes.size + open.size;
}

/** The session that any span of the trace names. */
function sessionIn(nodes: ReadonlyMap<string, TreeNode>): Pick<TreeNode, 'sessionId' | 'sessionName' | 'userId'> {
  for (const node of nodes.values()) if (node.sessionId !== '') return { ...node, sessionName: '', userId: '' };
  return { sessionId: '', sessionName: '', userId: '' };
}
