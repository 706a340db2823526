import type { RequestId } from '../../model/ids.ts';
import type { NearQuery, TimeRange, ToldQuery, ToldRow } from '../../store/once/told-rows.ts';
import { linksTo, readLinks } from '../interpret/links.ts';
import type { KnownRecord } from './plan.ts';
import { cacheMs, clockMs, type TellsOfCall } from './same-call.ts';

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
    details: row.details,
    spend: row.spend,
  };
}

/** Records whose relations one look into the store goes by; each costs some tens of milliseconds, whatever it finds. */
const recordsAtOnce = 2500;
/** Sets of instrumentations that are told apart in one look. */
const maxScopes = 16;

/** A look for what is related to some records. */
export interface QueryAround<Known extends TellsOfCall> {
  readonly records: readonly Known[];
  readonly query: ToldQuery;
}

/** Where others that may tell of the same calls are. It finds whatever {@link relationOf} relates, and little else. */
export function queriesAround<Known extends TellsOfCall>(all: readonly Known[], atOnce = recordsAtOnce): readonly QueryAround<Known>[] {
  return clustersOf(all).flatMap((cluster) =>
    Array.from({ length: Math.ceil(cluster.length / atOnce) }, (_, index) => {
      const records = cluster.slice(index * atOnce, (index + 1) * atOnce);
      return { records, query: queryAround(records) };
    }),
  );
}

function queryAround(records: readonly TellsOfCall[]): ToldQuery {
  const own = unique(records.flatMap(({ ids }) => ids));
  const others = unique(records.flatMap(({ parentIds, carrierIds }) => [...parentIds, ...carrierIds]));
  const { asId, asParent, asCarrier } = linksTo;
  return {
    traceIds: unique(records.map(({ traceId }) => traceId)),
    spanIds: own,
    links: asId(own),
    near: {
      times: timesOf(records, clockMs),
      spanIds: others,
      links: [...asId(others), ...asParent(own), ...asCarrier(own)],
      beside: besideOf(records),
    },
    responses: { ids: unique(records.map(({ responseId }) => responseId)), times: timesOf(records, cacheMs) },
    from: Math.min(...records.map(({ from }) => from)) - aroundMs,
    to: Math.max(...records.map(({ to }) => to)) + aroundMs,
  };
}

/** Of thousands in one parent only those of other instrumentations are asked for: see {@link relationOf}. */
function besideOf(records: readonly TellsOfCall[]): NearQuery['beside'] {
  const parents = new Map<string, { readonly scopes: readonly string[]; readonly parentIds: string[] }>();
  for (const { scopes, parentIds } of records) {
    if (scopes.length === 0 || parentIds.length === 0) continue;
    const name = parents.size < maxScopes ? JSON.stringify(scopes) : '';
    const known = parents.get(name) ?? { scopes: name === '' ? [] : scopes, parentIds: [] };
    known.parentIds.push(...parentIds);
    parents.set(name, known);
  }
  return Array.from(parents.values(), ({ scopes, parentIds }) => ({
    links: linksTo.asParent(unique(parentIds)),
    without: linksTo.asScope(scopes),
  }));
}

/** The times of records, each with some milliseconds on either side; those that overlap are one. */
function timesOf(records: readonly TellsOfCall[], aroundEachMs: number): readonly TimeRange[] {
  const times: { from: number; to: number }[] = [];
  for (const { from, to } of records.toSorted((one, other) => one.from - other.from)) {
    const last = times.at(-1);
    if (last === undefined || from - aroundEachMs > last.to) times.push({ from: from - aroundEachMs, to: to + aroundEachMs });
    else last.to = Math.max(last.to, to + aroundEachMs);
  }
  return times;
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
