import { GatelogError, messageOf } from '../../model/errors.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';
import type { JoinRecords } from '../../store/once/absorb.ts';
import type { HasSpans, ToldQuery, ToldRow } from '../../store/once/told-rows.ts';
import type { TrackedExchange } from '../series/exchange.ts';
import type { InterpretedExchange } from '../worker/interpreter.ts';
import { type CountedBefore, countedBefore } from './counted-before.ts';
import type { GroupedBatch } from './group-batch.ts';
import { linksTo, readLinks, relationsOf } from './links.ts';
import { type Absorption, type BatchRecord, type Filling, type KnownRecord, type OncePlan, planOnce } from './plan.ts';
import { SpanTexts, type SpanTextsPorts } from './span-texts.ts';

export interface OncePorts extends SpanTextsPorts {
  readonly hasSpans: HasSpans;
  readonly joinRecords: JoinRecords;
  /** Called when a record's call has become part of another. */
  readonly noteJoined: (organizationId: OrganizationId, from: RequestId, into: RequestId) => void;
}

export interface OnceBatch {
  readonly exchanges: readonly TrackedExchange[];
  readonly results: readonly InterpretedExchange[];
  /** Indexes that are left out for other reasons; of a repeated batch all that it left out. */
  readonly leftOut: ReadonlySet<number>;
  readonly isRepeated: boolean;
  readonly grouped: GroupedBatch;
}

export interface ResolvedBatch {
  /** Indexes of spans whose call another record is. */
  readonly leftOut: ReadonlySet<number>;
  /** What calls of the batch were counted with before, by the index of the record that is stored now. */
  readonly countedBefore: ReadonlyMap<number, CountedBefore>;
  /** Once the batch is stored, and before it is accepted: repeating it changes nothing. @throws when the store fails. */
  readonly complete: (signal: AbortSignal) => Promise<void>;
}

const hourMs = 3_600_000;
/** How long after an organisation's last span a call through the gateway may still be one that a span told of. */
const spansLastMs = hourMs;

/**
 * Makes one record of each call, whatever tells of it: the gateway, the client's own span, that of an instrumentation. Runs before a batch
 * is stored, when everything that came before is in the store or in the batch.
 */
export class CallsOnce {
  private readonly ports: OncePorts;
  private readonly spanTexts: SpanTexts;
  /** When the newest span of an organisation was stored, Unix milliseconds; 0: there is none. */
  private readonly lastSpanAt = new Map<OrganizationId, number>();

  constructor(ports: OncePorts) {
    this.ports = ports;
    this.spanTexts = new SpanTexts(ports);
  }

  /** @throws GatelogError when the store fails. */
  async resolve(batch: OnceBatch): Promise<ResolvedBatch> {
    const plans: (readonly [OrganizationId, OncePlan])[] = [];
    for (const [organizationId, records] of recordsOf(batch)) {
      const spans = records.filter(({ isOfSpan }) => isOfSpan);
      if (spans.length > 0) this.lastSpanAt.set(organizationId, this.ports.clock.now());
      else if (!(await this.hasSpans(organizationId))) continue;
      const stored = await this.storedBeside(organizationId, records);
      const calls = records.filter(({ isOfSpan }) => !isOfSpan);
      plans.push([organizationId, planOnce({ spans, calls, stored, leftOutBefore: batch.isRepeated ? batch.leftOut : undefined })]);
    }
    return {
      leftOut: new Set(plans.flatMap(([, { leftOut }]) => [...leftOut])),
      countedBefore: new Map(plans.flatMap(([, plan]) => [...countedBefore(plan)])),
      complete: async (signal) => {
        this.noteGroups(batch);
        for (const [organizationId, plan] of plans) await this.complete(organizationId, plan, signal);
        for (const [organizationId, spans] of spansOf(batch)) await this.spanTexts.complete(organizationId, spans, signal);
      },
    };
  }

  private noteGroups({ exchanges, grouped }: OnceBatch): void {
    for (const [firstIndex, { others }] of grouped.joined) {
      const first = exchanges[firstIndex];
      for (const index of others) {
        const other = exchanges[index];
        if (first !== undefined && other !== undefined) this.ports.noteJoined(first.organizationId, other.requestId, first.requestId);
      }
    }
  }

  /** Whether a span may have told of calls of the organisation that come now. @throws GatelogError when the store fails. */
  async hasSpans(organizationId: OrganizationId): Promise<boolean> {
    const since = this.ports.clock.now() - spansLastMs;
    const known = this.lastSpanAt.get(organizationId);
    if (known !== undefined) return known >= since;
    const found = await this.ports.hasSpans(organizationId, since);
    this.lastSpanAt.set(organizationId, found ? this.ports.clock.now() : 0);
    return found;
  }

  private async storedBeside(organizationId: OrganizationId, records: readonly BatchRecord[]): Promise<readonly KnownRecord[]> {
    const here = new Set(records.map(({ requestId }) => requestId));
    const found = new Map<RequestId, KnownRecord>();
    for (const query of queriesOf(records)) {
      for (const row of await this.ports.findTold(organizationId, query)) {
        if (!here.has(row.requestId)) found.set(row.requestId, knownRecord(row));
      }
    }
    return [...found.values()];
  }

  private async complete(organizationId: OrganizationId, plan: OncePlan, signal: AbortSignal): Promise<void> {
    const { joinRecords, noteJoined } = this.ports;
    await Promise.all(plan.fillings.map((filling) => this.fill(organizationId, filling)));
    for (const { from, into } of plan.fillings) noteJoined(organizationId, from.requestId, into.requestId);
    const absorbed: Absorption[] = [];
    for (const absorption of plan.absorptions) {
      const { from, into, hasNumbers } = absorption;
      // A record that is not there, as its user was erased or the store refused it, replaces none.
      if (!(await this.fill(organizationId, absorption))) continue;
      if (hasNumbers) await joinRecords.moveNumbers(organizationId, from, into);
      noteJoined(organizationId, from.requestId, into.requestId);
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
    const acceptedAt = this.ports.clock.now();
    const over = new Map([[sessionProperties.sessionId, [into.traceId, from.traceId]]]);
    const change = { kind: 'fill', values: from.values, over, links: relationsOf(from) } as const;
    const accepted = { organizationId, requestId: into.requestId, change, keyId: from.keyId, acceptedAt, number: acceptedAt * numbersInMs };
    try {
      return await this.ports.changeStored({ accepted, createdAt: into.createdAt });
    } catch (error) {
      if (!(error instanceof GatelogError) || error.code === 'store_unavailable') throw error;
      // Over the limit of properties.
      this.ports.observe({ kind: 'span_places_dropped', requests: 1, reason: messageOf(error) });
      return true;
    }
  }
}

/** The number of an entry in the history is its time in microseconds: see `RequestChanges.stamp`. */
const numbersInMs = 1000;

/** The records of a batch that tell of calls, by organisation. */
function recordsOf({ exchanges, results, leftOut, isRepeated }: OnceBatch): ReadonlyMap<OrganizationId, readonly BatchRecord[]> {
  const records = new Map<OrganizationId, BatchRecord[]>();
  for (const [index, { organizationId, requestId }] of exchanges.entries()) {
    const result = results[index];
    if (result === undefined || !('request' in result) || result.told === undefined) continue;
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

function knownRecord({ spanId, links, models, createdAt, endedAt, properties, ...row }: ToldRow): KnownRecord {
  const { ids, parentIds, carrierIds, scopes, isMadeOfSpan, hasTexts, usage, keyId } = readLinks(links);
  return {
    requestId: row.requestId,
    traceId: row.traceId,
    responseId: row.responseId,
    provider: row.provider,
    ids: spanId === '' ? ids : [...new Set([spanId, ...ids])],
    parentIds,
    carrierIds,
    scopes,
    isOfSpan: isMadeOfSpan,
    models,
    from: createdAt,
    to: endedAt,
    createdAt,
    hasTexts,
    usage,
    keyId,
    values: properties,
    spend: row.spend,
  };
}

/** Where others that tell of the same calls may be: at about the same time. */
function queriesOf(records: readonly BatchRecord[]): readonly ToldQuery[] {
  const clusters: BatchRecord[][] = [];
  let to = Number.NEGATIVE_INFINITY;
  for (const record of records.toSorted((one, other) => one.from - other.from)) {
    const cluster = clusters.at(-1);
    if (cluster === undefined || record.from > to + hourMs) clusters.push([record]);
    else cluster.push(record);
    to = Math.max(to, record.to);
  }
  return clusters.map((cluster) => {
    const spanIds = unique(cluster.flatMap(({ ids, parentIds, carrierIds }) => [...ids, ...parentIds, ...carrierIds]));
    return {
      traceIds: unique(cluster.map(({ traceId }) => traceId)),
      spanIds,
      links: linksTo(spanIds),
      responseIds: unique(cluster.map(({ responseId }) => responseId)),
      from: Math.min(...cluster.map(({ from }) => from)) - hourMs,
      to: Math.max(...cluster.map((record) => record.to)) + hourMs,
    };
  });
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter((text) => text !== '');
}
