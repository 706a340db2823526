import type { OrganizationId } from '../../model/ids.ts';
import { Slices } from '../../platform/bounds/slices.ts';
import { recordNameOf } from '../interpret/interpret.ts';
import type { TrackedExchange } from '../series/exchange.ts';
import { groupSpans, type WaitingSpan } from './group-spans.ts';

/** Spans of a batch that tell of one call, by their index. */
export interface JoinedSpans {
  /** Told by the first as well, in the order of their indexes. */
  readonly others: readonly number[];
  /** Whose counts count. */
  readonly counted: number;
}

export interface GroupedBatch {
  /** By the index of the first. */
  readonly joined: ReadonlyMap<number, JoinedSpans>;
  /** Indexes of spans that become no record of their own. */
  readonly leftOut: ReadonlySet<number>;
}

/**
 * Finds the spans of a batch that tell of the same call. Invariant: it depends on the exchanges alone, so that a repeated batch has the
 * groups that it had. It gives way between spans, as there may be thousands.
 */
export async function groupBatch(exchanges: readonly TrackedExchange[]): Promise<GroupedBatch> {
  const slices = new Slices();
  const spans = new Map<OrganizationId, WaitingSpan[]>();
  for (const [index, exchange] of exchanges.entries()) {
    await slices.turn();
    const span = waitingSpan(exchange, index);
    if (span === undefined) continue;
    const own = spans.get(exchange.organizationId);
    if (own === undefined) spans.set(exchange.organizationId, [span]);
    else own.push(span);
  }
  const joined = new Map<number, JoinedSpans>();
  const leftOut = new Set<number>();
  for (const own of spans.values()) {
    const { groups, around } = await groupSpans(own, slices);
    for (const { index } of around) leftOut.add(index);
    for (const { first, others, counted } of groups) {
      if (others.length === 0) continue;
      joined.set(first.index, { others: others.map(({ index }) => index), counted: counted.index });
      for (const { index } of others) leftOut.add(index);
    }
  }
  return { joined, leftOut };
}

function waitingSpan({ logged, openedAt }: TrackedExchange, index: number): WaitingSpan | undefined {
  const { span } = logged ?? {};
  if (span === undefined || span.textsAlone !== undefined) return undefined;
  const { traceId, ids, parentIds, carrierIds, scopes, responseId, provider, models, endedAt, hasTexts, usage } = span;
  const relations = { traceId, ids, parentIds, carrierIds, scopes, responseId, models, hasTexts, usage };
  return { ...relations, index, isOfSpan: true, provider: recordNameOf(provider), from: openedAt, to: endedAt };
}
