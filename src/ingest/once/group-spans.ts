import { distanceOf, relationOf, type TellsOfCall } from './same-call.ts';

/** A span that waits to be stored. */
export interface WaitingSpan extends TellsOfCall {
  readonly index: number;
  readonly hasTexts: boolean;
  /** 2: the provider's own usage, 1: counts, 0: none. */
  readonly usage: number;
}

/** Spans of one call that come together. */
export interface SpanGroup<Span extends WaitingSpan = WaitingSpan> {
  /** Becomes the request: what was said is there. */
  readonly first: Span;
  readonly others: readonly Span[];
  /** The one whose numbers count. */
  readonly counted: Span;
}

export interface GroupedSpans<Span extends WaitingSpan = WaitingSpan> {
  readonly groups: readonly SpanGroup<Span>[];
  /** Spans around several calls: they are none themselves. */
  readonly around: readonly Span[];
}

/** Finds the spans, of one organisation, that tell of the same call. */
export function groupSpans<Span extends WaitingSpan>(spans: readonly Span[]): GroupedSpans<Span> {
  const sets = new Sets<Span>();
  const inside = new Map<Span, Span[]>();
  const beside: (readonly [Span, Span])[] = [];
  for (const [one, other] of pairsOf(spans)) {
    const relation = relationOf(one, other);
    if (relation === 'same') sets.join(one, other);
    else if (relation === 'inner') push(inside, other, one);
    else if (relation === 'outer') push(inside, one, other);
    else if (relation === 'beside') beside.push([one, other]);
  }
  const around = new Set<Span>();
  for (const [outer, inner] of inside) if (new Set(inner.map((span) => sets.rootOf(span))).size > 1) around.add(outer);
  for (const [outer, [inner]] of inside) if (inner !== undefined && !around.has(outer)) sets.join(outer, inner);
  joinNearest(
    sets,
    beside.filter(([one, other]) => !around.has(one) && !around.has(other)),
    spans,
  );
  const members = new Map<Span, Span[]>();
  for (const span of spans) if (!around.has(span)) push(members, sets.rootOf(span), span);
  return { groups: [...members.values()].map((group) => groupOf(group)), around: [...around] };
}

/** Each instrumentation tells of a call once, so that of calls at one time each gets one span of it, the nearest. */
function joinNearest<Span extends WaitingSpan>(sets: Sets<Span>, pairs: readonly (readonly [Span, Span])[], spans: readonly Span[]): void {
  if (pairs.length === 0) return;
  const scopes = new Map<Span, Set<string>>();
  for (const span of spans) {
    const root = sets.rootOf(span);
    scopes.set(root, new Set([...(scopes.get(root) ?? []), ...span.scopes]));
  }
  for (const [one, other] of pairs.toSorted((some, others) => distanceOf(...some) - distanceOf(...others))) {
    const [ours, theirs] = [one, other].map((span) => scopes.get(sets.rootOf(span)) ?? new Set<string>());
    if (ours === undefined || theirs === undefined || [...ours].some((scope) => theirs.has(scope))) continue;
    sets.join(one, other);
    scopes.set(sets.rootOf(one), new Set([...ours, ...theirs]));
  }
}

/** Pairs that share a trace or a response: of thousands of spans most share nothing. */
function* pairsOf<Span extends WaitingSpan>(spans: readonly Span[]): Generator<readonly [Span, Span]> {
  const bySubject = new Map<string, Span[]>();
  for (const span of spans) {
    const near = new Set(subjectsOf(span).flatMap((subject) => bySubject.get(subject) ?? []));
    for (const other of near) yield [span, other];
    for (const subject of subjectsOf(span)) push(bySubject, subject, span);
  }
}

function subjectsOf({ traceId, ids, parentIds, carrierIds, responseId }: WaitingSpan): readonly string[] {
  const spanIds = [...new Set([...ids, ...parentIds, ...carrierIds])].map((id) => `${traceId} ${id}`);
  return responseId === '' ? spanIds : [...spanIds, responseId];
}

/** What was said stands in the outer one more often, the counts are better in the inner one. */
function groupOf<Span extends WaitingSpan>(group: readonly Span[]): SpanGroup<Span> {
  const innermost = group.toSorted((one, other) => depthOf(other, group) - depthOf(one, group) || one.index - other.index);
  const counted = innermost.reduce((best, span) => (span.usage > best.usage ? span : best));
  const [first = counted, ...others] = innermost.toSorted((one, other) => Number(other.hasTexts) - Number(one.hasTexts));
  return { first, others, counted };
}

/** How many of a group a span stands inside of. */
function depthOf(span: WaitingSpan, group: readonly WaitingSpan[]): number {
  let depth = 0;
  for (let next: WaitingSpan | undefined = span; next !== undefined && depth < group.length; depth += 1) {
    const { parentIds }: WaitingSpan = next;
    next = group.find((other) => other !== next && other.ids.some((id) => parentIds.includes(id)));
  }
  return depth;
}

class Sets<Item> {
  private readonly parents = new Map<Item, Item>();

  rootOf(item: Item): Item {
    let root = item;
    for (let next = this.parents.get(root); next !== undefined; next = this.parents.get(root)) root = next;
    return root;
  }

  join(one: Item, other: Item): void {
    const [root, otherRoot] = [this.rootOf(one), this.rootOf(other)];
    if (root !== otherRoot) this.parents.set(root, otherRoot);
  }
}

function push<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
