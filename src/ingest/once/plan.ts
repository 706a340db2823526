import type { RequestId } from '../../model/ids.ts';
import type { CallDetails } from '../../model/record/call-details.ts';
import type { Spend } from '../../model/record/spend.ts';
import { Slices } from '../../platform/bounds/slices.ts';
import { RelatedRecords } from './related-records.ts';
import { distanceOf, relationOf, type Relation, type TellsOfCall } from './same-call.ts';

/** A record of an organisation, stored or about to be. */
export interface KnownRecord extends TellsOfCall {
  readonly requestId: RequestId;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly hasTexts: boolean;
  readonly usage: number;
  /** Of the span's sender; empty: unknown. */
  readonly keyId: string;
  /** The properties of one that was made of a span. */
  readonly values: ReadonlyMap<string, string>;
  /** Of one that was made of a span. */
  readonly details?: CallDetails | undefined;
  /** What a stored record was counted with. */
  readonly spend?: Spend | undefined;
}

/** A record of the batch that is being stored. */
export interface BatchRecord extends KnownRecord {
  readonly index: number;
}

/** What a record gets from a span that is no record of its own. */
export interface Filling {
  readonly into: KnownRecord;
  readonly from: KnownRecord;
}

/** A stored record, made of a span, that goes: its call has another record. */
export interface Absorption extends Filling {
  /** Whether its counts and cost go over. */
  readonly hasNumbers: boolean;
}

export interface OncePlan {
  /** Indexes of spans that are not stored. */
  readonly leftOut: ReadonlySet<number>;
  readonly fillings: readonly Filling[];
  /** In this order: what one absorbs may be absorbed by the next. */
  readonly absorptions: readonly Absorption[];
}

export interface KnownRecords {
  /** Spans of the batch, one of each call. */
  readonly spans: readonly BatchRecord[];
  /** Calls of the batch that passed through the gateway. */
  readonly calls: readonly BatchRecord[];
  readonly stored: readonly KnownRecord[];
  /** Of the stored ones, calls of which more is known since: what told of them before may be there. */
  readonly linked?: readonly KnownRecord[];
  /** Of a batch that is repeated: what it left out. Nothing else may be then, as it may be stored. */
  readonly leftOutBefore?: ReadonlySet<number> | undefined;
}

/**
 * Decides what becomes of the spans of a batch, and of stored ones whose call comes with it, so that each call is one record: that of the
 * gateway if there is one. It gives way between records, as there may be thousands. @see docs/internals/decisions/0025-each-call-once.md
 */
export async function planOnce({ spans, calls, stored, linked = [], leftOutBefore }: KnownRecords): Promise<OncePlan> {
  const slices = new Slices();
  const draft = new Draft({ calls, stored, leftOutBefore });
  for (const call of [...calls, ...linked]) {
    await slices.turn();
    const queue = [...draft.spansNear(call)];
    const known = new Set(queue);
    for (const row of queue) {
      await slices.turn();
      const relation = draft.isLeft(row) ? relationOf(draft.now(row), draft.now(call)) : undefined;
      if (relation === undefined || relation === 'beside') continue;
      draft.absorb(row, call, false);
      for (const other of draft.spansNear(draft.now(row))) {
        if (known.has(other)) continue;
        known.add(other);
        queue.push(other);
      }
    }
  }
  for (const span of spans) {
    await slices.turn();
    relateSpan(draft, span);
  }
  return draft;
}

interface Match {
  readonly record: KnownRecord;
  readonly relation: Relation;
}

function relateSpan(draft: Draft, span: BatchRecord): void {
  const related = draft.near(span).flatMap((each): readonly Match[] => {
    const record = draft.now(each);
    const relation = relationOf(span, record);
    return relation === undefined ? [] : [{ record, relation }];
  });
  const matches = withNearest(span, related);
  const ofCalls = likeliest(
    matches.filter(({ record }) => !record.isOfSpan).map(({ record }) => record),
    span,
  );
  const ofSpans = matches.filter(({ record }) => record.isOfSpan);
  const [call] = ofCalls;
  if (call !== undefined) {
    for (const into of ofCalls) draft.fill(into, span);
    draft.leaveOut(span, call);
    for (const { record } of ofSpans) draft.absorb(record, call, false);
    return;
  }
  const [nearest, ...others] = ofSpans;
  if (nearest === undefined) return;
  if (others.length > 0 && ofSpans.every(({ relation }) => relation === 'outer')) {
    draft.leaveOut(span, nearest.record);
    return;
  }
  const into = joined(draft, span, nearest);
  for (const { record } of others) draft.absorb(record, into, false);
}

/** Of those beside it a span tells of the nearest, and only where no other span of that one's instrumentation does. */
function withNearest(span: TellsOfCall, matches: readonly Match[]): readonly Match[] {
  const others = matches.filter(({ relation }) => relation !== 'beside');
  const taken = new Set(others.flatMap(({ record }) => record.scopes));
  const [nearest] = matches
    .filter(({ relation, record }) => relation === 'beside' && !record.scopes.some((scope) => taken.has(scope)))
    .toSorted((one, other) => distanceOf(span, one.record) - distanceOf(span, other.record));
  return nearest === undefined ? others : [...others, nearest];
}

/** One response may have been given to several calls, from the cache: the span's is the one in its time. */
function likeliest(calls: readonly KnownRecord[], span: TellsOfCall): readonly KnownRecord[] {
  const during = calls.filter(({ from, to }) => from <= span.to && span.from <= to);
  return during.length > 0 ? during : calls.slice(0, 1);
}

/** @returns the record that stays. */
function joined(draft: Draft, span: BatchRecord, { record, relation }: Match): KnownRecord {
  const countsMore = span.usage > record.usage || (span.usage === record.usage && span.usage > 0 && relation === 'inner');
  if (span.hasTexts && !record.hasTexts && draft.mayStay(span)) {
    draft.absorb(record, span, !countsMore && record.usage > 0);
    return span;
  }
  if (countsMore && draft.mayStay(span)) draft.absorb(span, record, true);
  else {
    draft.fill(record, span);
    draft.leaveOut(span, record);
  }
  return record;
}

class Draft implements OncePlan {
  readonly leftOut = new Set<number>();
  readonly fillings: Filling[] = [];
  readonly absorptions: Absorption[] = [];
  /** By their identifiers. */
  private readonly left: Map<RequestId, KnownRecord>;
  private readonly grown = new Map<RequestId, KnownRecord>();
  private readonly calls = new RelatedRecords<KnownRecord>();
  private readonly spans = new RelatedRecords<KnownRecord>();
  private readonly leftOutBefore: ReadonlySet<number> | undefined;

  constructor({ calls, stored, leftOutBefore }: Pick<KnownRecords, 'calls' | 'stored' | 'leftOutBefore'>) {
    this.left = new Map([...calls, ...stored].map((record) => [record.requestId, record]));
    this.leftOutBefore = leftOutBefore;
    for (const record of this.left.values()) this.relate(record, record);
  }

  /** Calls of the batch and stored records that are still records of their own, and may tell of the same call. */
  near(record: KnownRecord): readonly KnownRecord[] {
    const calls = this.calls.near(record).filter((other) => this.isLeft(other));
    return [...calls, ...this.spansNear(record)];
  }

  /** Those that were made of spans. */
  spansNear(record: KnownRecord): readonly KnownRecord[] {
    return this.spans.near(record).filter((other) => this.isLeft(other));
  }

  isLeft({ requestId }: KnownRecord): boolean {
    return this.left.has(requestId);
  }

  /** A record with the relations of what has gone into it: who stands beside that, or inside it, tells of the same call. */
  now<Known extends KnownRecord>(record: Known): Known {
    const grown = this.grown.get(record.requestId);
    if (grown === undefined) return record;
    const { ids, parentIds, carrierIds, scopes } = grown;
    return { ...record, ids, parentIds, carrierIds, scopes };
  }

  /** False: a repeated batch left it out. */
  mayStay({ index }: BatchRecord): boolean {
    return this.leftOutBefore?.has(index) !== true;
  }

  fill(into: KnownRecord, from: KnownRecord): void {
    this.grow(into, from);
    this.fillings.push({ into, from });
  }

  leaveOut(span: BatchRecord, into: KnownRecord): void {
    if (this.leftOutBefore === undefined || this.leftOutBefore.has(span.index)) this.leftOut.add(span.index);
    else this.absorptions.push({ into, from: span, hasNumbers: false });
  }

  absorb(from: KnownRecord, into: KnownRecord, hasNumbers: boolean): void {
    this.left.delete(from.requestId);
    this.grow(into, from);
    this.absorptions.push({ into, from, hasNumbers });
  }

  private grow(into: KnownRecord, from: KnownRecord): void {
    const record = this.now(into);
    const both = (of: (each: TellsOfCall) => readonly string[]): readonly string[] => [...new Set([...of(record), ...of(from)])];
    const found = this.left.get(into.requestId);
    if (found !== undefined) this.relate(found, from);
    this.grown.set(into.requestId, {
      ...record,
      ids: both(({ ids }) => ids),
      parentIds: both(({ parentIds }) => parentIds),
      carrierIds: both(({ carrierIds }) => carrierIds),
      scopes: both(({ scopes }) => scopes),
    });
  }

  private relate(record: KnownRecord, relations: TellsOfCall): void {
    (record.isOfSpan ? this.spans : this.calls).add(record, relations);
  }
}
