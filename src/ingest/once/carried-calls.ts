import type { AcceptedChange } from '../../model/change.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import type { FindTold } from '../../store/once/told-rows.ts';
import { type ExchangeIndex, spanNameOf, type TrackedExchange } from '../series/exchange.ts';
import { aroundMs, clustersOf, knownRecord, unique } from './known-record.ts';
import { relationsOf } from '../interpret/links.ts';
import type { BatchRecord, KnownRecord } from './plan.ts';

/** Where a span stands that may carry a call. */
export interface Carrier {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  /** About the time of its start, Unix milliseconds. */
  readonly from: number;
  readonly to: number;
}

/** Spans that may carry calls, of a batch by organisation. */
export function carriersOf(exchanges: readonly TrackedExchange[]): ReadonlyMap<OrganizationId, readonly Carrier[]> {
  const carriers = new Map<OrganizationId, Carrier[]>();
  for (const { organizationId, openedAt, logged } of exchanges) {
    if (logged?.carriers === undefined) continue;
    const own = carriers.get(organizationId) ?? [];
    for (const digits of logged.carriers) own.push(readCarrier(digits, openedAt));
    carriers.set(organizationId, own);
  }
  return carriers;
}

const digitsOf = { trace: 32, traceAndSpan: 48 } as const;

function readCarrier(digits: string, at: number): Carrier {
  const { trace, traceAndSpan } = digitsOf;
  return {
    traceId: digits.slice(0, trace),
    spanId: digits.slice(trace, traceAndSpan),
    parentId: digits.slice(traceAndSpan),
    from: at,
    to: at,
  };
}

/** A call whose record is on its way to the store. */
export interface CallInFlight {
  readonly exchange: TrackedExchange;
  readonly parentId: string;
}

export interface CarriedCalls {
  /** Records of the batch; calls among them stand where their carriers do. */
  readonly records: readonly BatchRecord[];
  readonly stored: readonly KnownRecord[];
  /** Calls of both whose place was not known. */
  readonly parented: readonly ParentedCall[];
}

export interface ParentedCall {
  readonly record: KnownRecord;
  readonly parentIds: readonly string[];
}

/** Spans right around one call that are kept. More are a sender's mistake. */
const maxParents = 16;
const askedAtOnce = 500;

/**
 * A call through the gateway is in the spool before its client has a response, so before the span that carries it has ended. So that call
 * is stored, in the batch or in flight, and what its carrier tells goes to it; nothing else of the carrier is kept.
 */
export function inFlightOf(
  organizationId: OrganizationId,
  carriers: readonly Carrier[],
  inFlight: Pick<ExchangeIndex, 'ofSpan'>,
): { readonly calls: readonly CallInFlight[]; readonly others: readonly Carrier[] } {
  const calls: CallInFlight[] = [];
  const others: Carrier[] = [];
  for (const carrier of carriers) {
    const open = inFlight.ofSpan(organizationId, spanNameOf(carrier)).filter(({ state }) => state === 'pending');
    if (open.length === 0) others.push(carrier);
    for (const exchange of open) calls.push({ exchange, parentId: carrier.parentId });
  }
  return { calls, others };
}

/** Finds the calls of spans that carry them, in the batch and in the store. @throws GatelogError when the store fails. */
export async function carriedCalls(
  organizationId: OrganizationId,
  { records, carriers }: { readonly records: readonly BatchRecord[]; readonly carriers: readonly Carrier[] },
  findTold: FindTold,
): Promise<CarriedCalls> {
  const parents = new Map<string, string[]>();
  for (const carrier of carriers) {
    const name = spanNameOf(carrier);
    parents.set(name, [...(parents.get(name) ?? []), carrier.parentId]);
  }
  const parentsOf = ({ isOfSpan, traceId, ids }: KnownRecord): readonly string[] =>
    isOfSpan ? [] : unique(ids.flatMap((spanId) => parents.get(spanNameOf({ traceId, spanId })) ?? []));
  const here = new Set(records.map(({ requestId }) => requestId));
  const stored = (await findCalls(organizationId, carriers, findTold)).filter(
    (row) => !here.has(row.requestId) && parentsOf(row).length > 0,
  );
  const parented: ParentedCall[] = [];
  const withParents = <Known extends KnownRecord>(record: Known): Known => {
    const fresh = parentsOf(record).filter((id) => !record.parentIds.includes(id) && !record.ids.includes(id));
    const parentIds = fresh.slice(0, Math.max(0, maxParents - record.parentIds.length));
    if (parentIds.length === 0) return record;
    parented.push({ record, parentIds });
    return { ...record, parentIds: [...record.parentIds, ...parentIds] };
  };
  return { records: records.map(withParents), stored: stored.map(withParents), parented };
}

async function findCalls(
  organizationId: OrganizationId,
  carriers: readonly Carrier[],
  findTold: FindTold,
): Promise<readonly KnownRecord[]> {
  const found = new Map<RequestId, KnownRecord>();
  for (const cluster of clustersOf(carriers)) {
    for (let start = 0; start < cluster.length; start += askedAtOnce) {
      const asked = cluster.slice(start, start + askedAtOnce);
      const { rows } = await findTold(organizationId, {
        traceIds: unique(asked.map(({ traceId }) => traceId)),
        spanIds: unique(asked.map(({ spanId }) => spanId)),
        links: [],
        from: Math.min(...asked.map(({ from }) => from)) - aroundMs,
        to: Math.max(...asked.map(({ to }) => to)) + aroundMs,
      });
      for (const row of rows) found.set(row.requestId, knownRecord(row));
    }
  }
  return [...found.values()];
}

/** What a call in flight takes into its record. @param now Unix milliseconds. */
export function parentChange({ exchange, parentId }: CallInFlight, now: number): AcceptedChange {
  const links = parentLinks([parentId]);
  const change = { kind: 'fill', values: new Map(), over: new Map(), links } as const;
  const { organizationId, requestId } = exchange;
  return { organizationId, requestId, change, keyId: '', acceptedAt: now, number: now * numbersInMs };
}

export function parentLinks(parentIds: readonly string[]): readonly string[] {
  return relationsOf({ ids: [], parentIds, carrierIds: [], scopes: [] });
}

/** The number of an entry in the history is its time in microseconds: see `RequestChanges.stamp`. */
export const numbersInMs = 1000;
