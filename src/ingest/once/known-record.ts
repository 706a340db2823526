import type { RequestId } from '../../model/ids.ts';
import type { ToldQuery, ToldRow } from '../../store/once/told-rows.ts';
import { linksTo, readLinks } from './links.ts';
import type { KnownRecord } from './plan.ts';
import type { TellsOfCall } from './same-call.ts';

/** Before and after the time of a record others are looked for that tell of the same call. */
export const aroundMs = 3_600_000;

export function knownRecord({ spanId, links, models, createdAt, endedAt, properties, ...row }: ToldRow): KnownRecord {
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
export function queriesAround(records: readonly TellsOfCall[]): readonly ToldQuery[] {
  return clustersOf(records).map((cluster) => {
    const spanIds = unique(cluster.flatMap(({ ids, parentIds, carrierIds }) => [...ids, ...parentIds, ...carrierIds]));
    return {
      traceIds: unique(cluster.map(({ traceId }) => traceId)),
      spanIds,
      links: linksTo(spanIds),
      responseIds: unique(cluster.map(({ responseId }) => responseId)),
      from: Math.min(...cluster.map(({ from }) => from)) - aroundMs,
      to: Math.max(...cluster.map((record) => record.to)) + aroundMs,
    };
  });
}

/** Groups that are near each other in time, in the order of time. */
export function clustersOf<Timed extends Pick<TellsOfCall, 'from' | 'to'>>(all: readonly Timed[]): readonly (readonly Timed[])[] {
  const clusters: Timed[][] = [];
  let to = Number.NEGATIVE_INFINITY;
  for (const timed of all.toSorted((one, other) => one.from - other.from)) {
    const cluster = clusters.at(-1);
    if (cluster === undefined || timed.from > to + aroundMs) clusters.push([timed]);
    else cluster.push(timed);
    to = Math.max(to, timed.to);
  }
  return clusters;
}

export function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter((text) => text !== '');
}

/** Records by their identifier, without those of `here`. */
export function elsewhere(rows: readonly ToldRow[], here: ReadonlySet<RequestId>): readonly KnownRecord[] {
  const found = new Map<RequestId, KnownRecord>();
  for (const row of rows) if (!here.has(row.requestId)) found.set(row.requestId, knownRecord(row));
  return [...found.values()];
}
