import { GatelogError, messageOf } from '../../model/errors.ts';
import type { AcceptedChange } from '../../model/change.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { filledDetails } from '../../model/record/call-details.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';
import { Slices } from '../../platform/bounds/slices.ts';
import type { JoinRecords } from '../../store/once/absorb.ts';
import type { HasArrived } from '../../store/once/told-rows.ts';
import type { PendingChanges } from '../changes/pending.ts';
import type { ExchangeIndex, TrackedExchange } from '../series/exchange.ts';
import type { InterpretedExchange } from '../worker/record-builder.ts';
import {
  type CallInFlight,
  carriedCalls,
  type CarriedCalls,
  type Carrier,
  carriersOf,
  inFlightOf,
  numbersInMs,
  parentLinks,
  type ParentedCall,
  parentChange,
} from './carried-calls.ts';
import { type CountedBefore, countedBefore } from './counted-before.ts';
import type { GroupedBatch } from './group-batch.ts';
import { elsewhere, knownRecord } from './known-record.ts';
import { rowsAround } from './rows-around.ts';
import { Lately } from './lately.ts';
import { relationsOf } from '../interpret/links.ts';
import { type Absorption, type BatchRecord, type Filling, type KnownRecord, type OncePlan, planOnce } from './plan.ts';
import { SpanTexts, type SpanTextsPorts } from './span-texts.ts';

export interface OncePorts extends SpanTextsPorts {
  readonly hasSpans: HasArrived;
  readonly hasTracedCalls: HasArrived;
  readonly joinRecords: JoinRecords;
  /** Called when a record's call has become part of another. */
  readonly onJoined: (organizationId: OrganizationId, from: RequestId, into: RequestId) => void;
}

/** What is in the spool beside a batch. */
export interface SpoolBeside {
  /** Reads what is in the spool now. */
  readonly readAll: () => Promise<void>;
  readonly inFlight: Pick<ExchangeIndex, 'ofSpan'>;
  readonly pendingChanges: Pick<PendingChanges, 'append'>;
}

export interface OnceBatch {
  readonly exchanges: readonly TrackedExchange[];
  readonly results: readonly InterpretedExchange[];
  /** Indexes that are left out for other reasons; of a repeated batch all that it left out. */
  readonly leftOut: ReadonlySet<number>;
  readonly isRepeated: boolean;
  readonly grouped: GroupedBatch;
  readonly spool: SpoolBeside;
}

export interface ResolvedBatch {
  /** Indexes of spans whose call another record is. */
  readonly leftOut: ReadonlySet<number>;
  /** What calls of the batch were counted with before, by the index of the record that is stored now. */
  readonly countedBefore: ReadonlyMap<number, CountedBefore>;
  /** Once the batch is stored, and before it is accepted: repeating it changes nothing. @throws when the store fails. */
  readonly complete: (signal: AbortSignal) => Promise<void>;
}

/**
 * Makes one record of each call, whatever tells of it: the gateway, the client's own span, that of an instrumentation. Runs before a batch
 * is stored, when everything that came before is in the store or in the batch.
 */
export class CallsOnce {
  private readonly ports: OncePorts;
  private readonly spanTexts: SpanTexts;
  private readonly spans: Lately;
  private readonly tracedCalls: Lately;

  constructor(ports: OncePorts) {
    const { clock, hasSpans, hasTracedCalls } = ports;
    this.ports = ports;
    this.spanTexts = new SpanTexts(ports);
    this.spans = new Lately({ clock, hasArrived: hasSpans });
    this.tracedCalls = new Lately({ clock, hasArrived: hasTracedCalls });
  }

  /** @throws GatelogError when the store fails. */
  async resolve(batch: OnceBatch): Promise<ResolvedBatch> {
    const plans: (readonly [OrganizationId, OncePlan])[] = [];
    const foundParents: (readonly [OrganizationId, FoundParents])[] = [];
    for (const { organizationId, spanName } of batch.exchanges) if (spanName !== '') this.tracedCalls.note(organizationId);
    const carriers = carriersOf(batch.exchanges);
    if (carriers.size > 0) await batch.spool.readAll();
    const recordsBy = await recordsOf(batch);
    for (const organizationId of new Set([...recordsBy.keys(), ...carriers.keys()])) {
      const own = recordsBy.get(organizationId) ?? [];
      const { inFlight, carried } = await this.findParents(
        organizationId,
        { records: own, carriers: carriers.get(organizationId) ?? [] },
        batch,
      );
      const { records, stored: linked, parented } = carried;
      foundParents.push([organizationId, { inFlight, parented }]);
      const spans = records.filter(({ isOfSpan }) => isOfSpan);
      if (spans.length > 0) this.spans.note(organizationId);
      else if (!(await this.hasSpans(organizationId))) continue;
      const stored = [...(await this.storedBeside(organizationId, [...records, ...linked])), ...linked];
      const calls = records.filter(({ isOfSpan }) => !isOfSpan);
      const leftOutBefore = batch.isRepeated ? batch.leftOut : undefined;
      plans.push([organizationId, await planOnce({ spans, calls, linked, stored, leftOutBefore })]);
    }
    return {
      leftOut: new Set(plans.flatMap(([, { leftOut }]) => [...leftOut])),
      countedBefore: new Map(plans.flatMap(([, plan]) => [...countedBefore(plan)])),
      complete: async (signal) => {
        this.recordGroups(batch);
        for (const [organizationId, { inFlight, parented }] of foundParents) {
          for (const call of inFlight) await this.setParentInFlight(call, batch.spool);
          await Promise.all(parented.map((call) => this.setStoredParents(organizationId, call)));
        }
        for (const [organizationId, plan] of plans) await this.complete(organizationId, plan, signal);
        for (const [organizationId, spans] of spansOf(batch)) await this.spanTexts.complete(organizationId, spans, signal);
      },
    };
  }

  private recordGroups({ exchanges, grouped }: OnceBatch): void {
    for (const [firstIndex, { others }] of grouped.joined) {
      const first = exchanges[firstIndex];
      for (const index of others) {
        const other = exchanges[index];
        if (first !== undefined && other !== undefined) this.ports.onJoined(first.organizationId, other.requestId, first.requestId);
      }
    }
  }

  /** Whether a span may have told of calls of the organisation that come now. @throws GatelogError when the store fails. */
  hasSpans(organizationId: OrganizationId): Promise<boolean> {
    return this.spans.has(organizationId);
  }

  /** Finds where calls stand by the spans that carry them. */
  private async findParents(
    organizationId: OrganizationId,
    { records, carriers }: { readonly records: readonly BatchRecord[]; readonly carriers: readonly Carrier[] },
    { spool }: OnceBatch,
  ): Promise<{ readonly inFlight: readonly CallInFlight[]; readonly carried: CarriedCalls }> {
    const { calls: inFlight, others } = inFlightOf(organizationId, carriers, spool.inFlight);
    if (others.length === 0 || !(await this.tracedCalls.has(organizationId))) {
      return { inFlight, carried: { records, stored: [], parented: [] } };
    }
    return { inFlight, carried: await carriedCalls(organizationId, { records, carriers: others }, this.ports.findTold) };
  }

  private async setParentInFlight(call: CallInFlight, { pendingChanges }: SpoolBeside): Promise<void> {
    const { exchange, parentId } = call;
    if (!exchange.mayHaveParent(parentId)) return;
    try {
      await pendingChanges.append(parentChange(call, this.ports.clock.now()));
      exchange.tellParent(parentId);
    } catch (error) {
      // The call and its span may become two records; nothing waits for the metadata database.
      this.ports.observe({ kind: 'span_places_dropped', requests: 1, reason: messageOf(error) });
    }
  }

  private async setStoredParents(
    organizationId: OrganizationId,
    { record: { requestId, createdAt }, parentIds }: ParentedCall,
  ): Promise<void> {
    const change = { kind: 'fill', values: new Map(), over: new Map(), links: parentLinks(parentIds) } as const;
    const accepted = { organizationId, requestId, change, keyId: '', ...this.stamp() };
    await this.ports.changeStored({ accepted, createdAt });
  }

  /** Stored records that may tell of the same calls, without these. */
  private async storedBeside(organizationId: OrganizationId, records: readonly KnownRecord[]): Promise<readonly KnownRecord[]> {
    const { findTold, observe } = this.ports;
    const onCrowd = (): void => observe({ kind: 'span_places_dropped', requests: 1, reason: crowded });
    const rows = await rowsAround(records, (query) => findTold(organizationId, query), onCrowd);
    return elsewhere(rows, new Set(records.map(({ requestId }) => requestId)));
  }

  private async complete(organizationId: OrganizationId, plan: OncePlan, signal: AbortSignal): Promise<void> {
    const { joinRecords, onJoined } = this.ports;
    await Promise.all(
      Array.from(byRecord(plan.fillings), async ([, fillings]) => {
        for (const filling of fillings) await this.fill(organizationId, filling);
      }),
    );
    for (const { from, into } of plan.fillings) onJoined(organizationId, from.requestId, into.requestId);
    const absorbed: Absorption[] = [];
    for (const absorption of plan.absorptions) {
      const { from, into, hasNumbers } = absorption;
      // A record that is not there, as its user was erased or the store refused it, replaces none.
      if (!(await this.fill(organizationId, absorption))) continue;
      if (hasNumbers) await joinRecords.moveNumbers(organizationId, { ...from, ...this.stamp() }, into);
      await joinRecords.moveChanges(organizationId, from, into);
      onJoined(organizationId, from.requestId, into.requestId);
      absorbed.push(absorption);
    }
    if (absorbed.length > 0) {
      await joinRecords.remove(
        organizationId,
        absorbed.map(({ from }) => from),
        signal,
      );
    }
  }

  /** @returns whether the record is there. */
  private async fill(organizationId: OrganizationId, { into, from }: Filling): Promise<boolean> {
    const stamp = this.stamp();
    const over = new Map([[sessionProperties.sessionId, [into.traceId, from.traceId]], ...shorterPath(into, from)]);
    const change = { kind: 'fill', values: from.values, over, links: relationsOf(from) } as const;
    const accepted = { organizationId, requestId: into.requestId, change, keyId: from.keyId, ...stamp };
    try {
      if (!(await this.ports.changeStored({ accepted, createdAt: into.createdAt }))) return false;
    } catch (error) {
      if (!(error instanceof GatelogError) || error.code === 'store_unavailable') throw error;
      // Over the limit of properties.
      this.ports.observe({ kind: 'span_places_dropped', requests: 1, reason: messageOf(error) });
    }
    // What a call through the gateway stated stays as it is.
    const { details } = from;
    if (details !== undefined && into.details !== undefined && filledDetails(details, into.details).length > 0) {
      await this.ports.joinRecords.fillDetails(organizationId, into, { teller: { ...from, ...stamp }, details });
    }
    return true;
  }

  private stamp(): Pick<AcceptedChange, 'acceptedAt' | 'number'> {
    const acceptedAt = this.ports.clock.now();
    return { acceptedAt, number: acceptedAt * numbersInMs };
  }
}

const crowded = 'more records may tell of the calls of one batch than are compared with it; a call may be counted twice';

/** Of spans the one that knows more of the session's path tells it. */
function shorterPath(into: KnownRecord, from: KnownRecord): readonly (readonly [string, string[]])[] {
  const { sessionPath } = sessionProperties;
  const [before, path] = [into, from].map(({ values }) => values.get(sessionPath) ?? '');
  return before !== undefined && path !== undefined && path.length > before.length ? [[sessionPath, [before]]] : [];
}

/** Of one record in their order: the history of each shows what the one before left. */
function byRecord(fillings: readonly Filling[]): ReadonlyMap<RequestId, readonly Filling[]> {
  const found = new Map<RequestId, Filling[]>();
  for (const filling of fillings) {
    const own = found.get(filling.into.requestId);
    if (own === undefined) found.set(filling.into.requestId, [filling]);
    else own.push(filling);
  }
  return found;
}

interface FoundParents {
  readonly inFlight: readonly CallInFlight[];
  readonly parented: readonly ParentedCall[];
}

/** The records of a batch that tell of calls, by organisation. It gives way between records. */
async function recordsOf({
  exchanges,
  results,
  leftOut,
  isRepeated,
}: OnceBatch): Promise<ReadonlyMap<OrganizationId, readonly BatchRecord[]>> {
  const slices = new Slices();
  const records = new Map<OrganizationId, BatchRecord[]>();
  for (const [index, { organizationId, requestId }] of exchanges.entries()) {
    const result = results[index];
    if (result === undefined || !('request' in result) || result.told === undefined) continue;
    await slices.turn();
    const record = { ...knownRecord({ ...result.told, requestId }), index };
    if (leftOut.has(index) && !(isRepeated && record.isOfSpan)) continue;
    const own = records.get(organizationId);
    if (own === undefined) records.set(organizationId, [record]);
    else own.push(record);
  }
  return records;
}

/** Spans of a batch, and what log records tell of spans, by organisation. */
function spansOf({ exchanges, results }: OnceBatch): ReadonlyMap<OrganizationId, readonly TrackedExchange[]> {
  const spans = new Map<OrganizationId, TrackedExchange[]>();
  for (const [index, exchange] of exchanges.entries()) {
    const result = results[index];
    if (exchange.logged?.span === undefined || result === undefined || !('request' in result)) continue;
    const own = spans.get(exchange.organizationId);
    if (own === undefined) spans.set(exchange.organizationId, [exchange]);
    else own.push(exchange);
  }
  return spans;
}
