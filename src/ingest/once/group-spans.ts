import { Slices } from '../../platform/bounds/slices.ts';
import { areAtOnce, distanceOf, relationOf, type TellsOfCall } from './same-call.ts';

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

/** Finds the spans, of one organisation, that tell of the same call. It gives way between spans, as there may be thousands. */
export async function groupSpans<Span extends WaitingSpan>(spans: readonly Span[], slices = new Slices()): Promise<GroupedSpans<Span>> {
  const { sets, inside, beside } = await relatedSpans(spans, slices);
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
  const groups: SpanGroup<Span>[] = [];
  for (const group of members.values()) {
    await slices.turn();
    groups.push(groupOf(group));
  }
  return { groups, around: [...around] };
}

interface RelatedSpans<Span> {
  readonly sets: Sets<Span>;
  /** Spans right inside each. */
  readonly inside: ReadonlyMap<Span, readonly Span[]>;
  readonly beside: readonly (readonly [Span, Span])[];
}

/** Of thousands of spans most share nothing, so that only those near each other are compared. */
async function relatedSpans<Span extends WaitingSpan>(spans: readonly Span[], slices: Slices): Promise<RelatedSpans<Span>> {
  const sets = new Sets<Span>();
  const inside = new Map<Span, Span[]>();
  const beside: (readonly [Span, Span])[] = [];
  const known = new KnownSpans<Span>();
  for (const one of spans) {
    await slices.turn();
    for (const other of known.near(one)) {
      const relation = relationOf(one, other);
      if (relation === 'same') sets.join(one, other);
      else if (relation === 'inner') push(inside, other, one);
      else if (relation === 'outer') push(inside, one, other);
      else if (relation === 'beside') beside.push([one, other]);
    }
    known.add(one);
  }
  return { sets, inside, beside };
}

/** Each instrumentation tells of a call once, so that of calls at one time each gets one span of it, the nearest. */
function joinNearest<Span extends WaitingSpan>(sets: Sets<Span>, pairs: readonly (readonly [Span, Span])[], spans: readonly Span[]): void {
  if (pairs.length === 0) return;
  const scopes = new Map<Span, Set<string>>();
  for (const span of spans) {
    const root = sets.rootOf(span);
    const known = scopes.get(root) ?? new Set<string>();
    for (const scope of span.scopes) known.add(scope);
    scopes.set(root, known);
  }
  for (const [one, other] of pairs.toSorted((some, others) => distanceOf(...some) - distanceOf(...others))) {
    const [ours, theirs] = [one, other].map((span) => scopes.get(sets.rootOf(span)) ?? new Set<string>());
    if (ours === undefined || theirs === undefined || [...ours].some((scope) => theirs.has(scope))) continue;
    sets.join(one, other);
    scopes.set(sets.rootOf(one), new Set([...ours, ...theirs]));
  }
}

/** Of spans that share one thing, as thousands in one parent do, so many are compared with another span: the last. */
const maxCompared = 64;

/** Finds spans by what makes two of them one call. */
class KnownSpans<Span extends WaitingSpan> {
  private readonly byId = new Map<string, Span[]>();
  private readonly byParent = new Map<string, Span[]>();
  private readonly byCarrier = new Map<string, Span[]>();
  private readonly byResponse = new Map<string, Span[]>();
  /** By parent, and in it by the instrumentations: spans of one are calls beside each other. */
  private readonly beside = new Map<string, Map<string, Span[]>>();

  add(span: Span): void {
    const scopes = span.scopes.join(' ');
    for (const id of inTrace(span, span.ids)) push(this.byId, id, span);
    for (const id of inTrace(span, span.carrierIds)) push(this.byCarrier, id, span);
    for (const id of inTrace(span, span.parentIds)) {
      push(this.byParent, id, span);
      const ofScopes = this.beside.get(id) ?? new Map<string, Span[]>();
      push(ofScopes, scopes, span);
      this.beside.set(id, ofScopes);
    }
    if (span.responseId !== '') push(this.byResponse, span.responseId, span);
  }

  near(span: Span): ReadonlySet<Span> {
    const ids = inTrace(span, span.ids);
    const parentIds = inTrace(span, span.parentIds);
    const last = (of: Map<string, Span[]>, keys: readonly string[]): readonly Span[] =>
      keys.flatMap((key) => of.get(key)?.slice(-maxCompared) ?? []);
    return new Set([
      ...last(this.byId, [...ids, ...parentIds, ...inTrace(span, span.carrierIds)]),
      ...last(this.byParent, ids),
      ...last(this.byCarrier, ids),
      ...last(this.byResponse, span.responseId === '' ? [] : [span.responseId]),
      ...parentIds.flatMap((id) => this.besideIn(id, span)),
    ]);
  }

  private besideIn(parentId: string, span: Span): readonly Span[] {
    const scopes = span.scopes.join(' ');
    const atOnce: Span[] = [];
    for (const [ofScopes, others] of this.beside.get(parentId) ?? []) {
      if (ofScopes === scopes) continue;
      for (let index = others.length - 1; index >= 0 && atOnce.length < maxCompared; index -= 1) {
        const other = others[index];
        if (other !== undefined && areAtOnce(span, other)) atOnce.push(other);
      }
    }
    return atOnce;
  }
}

function inTrace({ traceId }: WaitingSpan, ids: readonly string[]): readonly string[] {
  return ids.map((id) => `${traceId} ${id}`);
}

/** What was said stands in the outer one more often, the counts are better in the inner one. */
function groupOf<Span extends WaitingSpan>(group: readonly Span[]): SpanGroup<Span> {
  const depths = depthsOf(group);
  const depthOf = (span: Span): number => depths.get(span) ?? 0;
  const innermost = group.toSorted((one, other) => depthOf(other) - depthOf(one) || one.index - other.index);
  const counted = innermost.reduce((best, span) => (span.usage > best.usage ? span : best));
  const [first = counted, ...others] = innermost.toSorted((one, other) => Number(other.hasTexts) - Number(one.hasTexts));
  return { first, others, counted };
}

/** How many of a group each stands inside of. Spans that say to be inside each other end the count. */
function depthsOf<Span extends WaitingSpan>(group: readonly Span[]): ReadonlyMap<Span, number> {
  const byId = new Map(group.toReversed().flatMap((span) => span.ids.map((id) => [id, span] as const)));
  const outerOf = (span: Span): Span | undefined =>
    span.parentIds.map((id) => byId.get(id)).find((outer) => outer !== undefined && outer !== span);
  const depths = new Map<Span, number>();
  for (const span of group) {
    const path = new Set<Span>();
    let next: Span | undefined = span;
    while (next !== undefined && !depths.has(next) && !path.has(next)) {
      path.add(next);
      next = outerOf(next);
    }
    let depth = (next === undefined ? undefined : depths.get(next)) ?? 0;
    for (const inner of [...path].toReversed()) depths.set(inner, (depth += 1));
  }
  return depths;
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
