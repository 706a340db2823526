import { type ConditionNode, conditionsIn } from '../filter/ast.ts';
import { createdAtBounds } from '../filter/sql/compile.ts';
import { select, unionAll } from '../../sql/query.ts';
import { type Fragment, join, param, type Query, sql } from '../../sql/sql.ts';
import { statementFor } from '../../sql/statement.ts';
import { bodies, requests } from '../../sql/tables.ts';
import { editDistance } from '../../model/edit-distance.ts';
import type { HintProbe } from './probe.ts';
import type { KnownNames } from './known-names.ts';
import { maxDistance, maxRequests, nearValueProbe, newestRequests } from './near-values.ts';
import { isoTime } from '../requests/columns.ts';
import type { RequestsPlan } from '../requests/query.ts';
import type { RequestSelection } from '../requests/selection.ts';
import { countStatement } from '../requests/select.ts';

/** Names that are looked up; further ones in a filter get no hint. */
const maxNames = 10;
/** Stored names that are compared; others may be near as well. */
const maxFound = 100;

/** Possible reasons of an empty page or a count of 0, the likeliest first. */
export function hintProbes(plan: RequestsPlan, known: KnownNames): readonly HintProbe[] {
  const atOffset = offsetProbe(plan);
  return [...emptyProbes(plan, known), ...(atOffset === undefined ? [] : [atOffset])];
}

/** Possible reasons why no request matches, the likeliest first. @param further names of properties beside those of the filter. */
export function emptyProbes(
  { tenant, filter }: Filtered,
  known: KnownNames,
  further: readonly string[] = [],
  bounds: readonly Fragment[] = createdAtBounds(filter),
): readonly HintProbe[] {
  return [nameProbe({ tenant, filter }, known, further), nearValueProbe({ tenant, filter }), rangeProbe(tenant, bounds)].filter(
    (probe) => probe !== undefined,
  );
}

type Filtered = Pick<RequestSelection, 'tenant' | 'filter'>;

/**
 * Whether bodies exist of which a filter searches only the first part; undefined for a filter that reads none. @param bounds on the time.
 */
export function longBodiesProbe(
  { tenant, filter }: Filtered,
  bounds: readonly Fragment[] = createdAtBounds(filter),
): HintProbe | undefined {
  const columns = new Set(
    conditionsIn(filter).flatMap(({ group, field }) => (group === 'request_response_rmt' ? (restOf[field] ?? []) : [])),
  );
  const long = [...columns].map((column) => sql`${column} != ''`);
  if (long.length === 0) return undefined;
  const here = bodies([...bounds, sql`(${join(long, ' OR ')})`]);
  return {
    statement: statementFor(tenant, select({ columns: sql`1 AS found`, from: here, limit: 1 }), 'long'),
    messageFor: ([row]) =>
      row === undefined
        ? undefined
        : 'some bodies of that time are longer than what filters look at (GATELOG_BODY_SEARCH_MAX_BYTES); only the beginning of these was searched',
  };
}

const restOf: Readonly<Record<string, Fragment>> = { request_body: sql`request_rest`, response_body: sql`response_rest` };

/**
 * A property that exists only in another case, or with up to two letters changed. @param known names that need no look-up. @param further
 * names beside those of the filter.
 */
export function nameProbe({ tenant, filter }: Filtered, known: KnownNames, further: readonly string[] = []): HintProbe | undefined {
  const names = new Set([...conditionsIn(filter).flatMap(propertyNameOf), ...further]);
  const sought = [...names].filter((name) => !known.has(tenant, name)).slice(0, maxNames);
  if (sought.length === 0) return undefined;
  const same = anyOf(
    sought,
    (name) => sql`editDistanceUTF8(lowerUTF8(name), lowerUTF8(${param(name, 'String')})) <= ${param(maxDistance(name), 'UInt64')}`,
  );
  const exact = anyOf(sought, (name) => sql`name = ${param(name, 'String')}`);
  const inAnotherCase = anyOf(sought, (name) => sql`lowerUTF8(name) = lowerUTF8(${param(name, 'String')})`);
  const stored = select({
    distinct: true,
    columns: sql`name`,
    from: select({ columns: sql`arrayJoin(mapKeys(properties)) AS name`, from: newestRequests(sql`properties`) }),
    where: [same],
    orderBy: sql`(${exact}) DESC, (${inAnotherCase}) DESC, name ASC`,
    limit: param(maxFound, 'UInt64'),
  });
  return {
    statement: statementFor(tenant, stored, 'long'),
    isRemembered: true,
    messageFor: (rows) => {
      const found = rows.map(({ name }) => String(name));
      for (const name of found) known.add(tenant, name);
      const missing = sought.find((name) => !found.includes(name) && found.some((other) => isNear(other, name)));
      if (missing === undefined) return undefined;
      const other = found.find((name) => isSameFolded(name, missing)) ?? found.find((name) => isNear(name, missing)) ?? '';
      const why = isSameFolded(other, missing) ? ', and names are case-sensitive' : '';
      return `none of the newest ${maxRequests} requests has a property ${JSON.stringify(missing)}; there is one named ${JSON.stringify(other)}${why}`;
    },
  };
}

function anyOf(names: readonly string[], conditionOf: (name: string) => Fragment): Fragment {
  return join(names.map(conditionOf), ' OR ');
}

function isNear(left: string, right: string): boolean {
  return editDistance(left.toLowerCase(), right.toLowerCase()) <= maxDistance(right);
}

function isSameFolded(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

function propertyNameOf({ group, field, name, ...comparison }: ConditionNode): readonly string[] {
  if (group !== 'request_response_rmt' && group !== 'session') return [];
  if (field === 'property_key') return [String(comparison.value)];
  return name !== undefined && field !== 'scores' ? [name] : [];
}

/** A time range without requests. @param bounds on the time. */
export function rangeProbe(tenant: RequestSelection['tenant'], bounds: readonly Fragment[]): HintProbe | undefined {
  if (bounds.length === 0) return undefined;
  const inside = select({ columns: sql`1 AS found`, from: requests(bounds), limit: 1 });
  return {
    statement: statementFor(tenant, inside, 'short'),
    messageFor: ([row]) => (row === undefined ? recordEndsProbe(tenant) : undefined),
  };
}

/** The times of the first and the last request, when the filter's range has none: the ends of the key order. */
function recordEndsProbe(tenant: RequestSelection['tenant']): HintProbe {
  const ends = select({
    columns: sql`toUnixTimestamp64Milli(created_at) AS created_ms`,
    from: unionAll([firstBy(sql`created_at ASC`), firstBy(sql`created_at DESC`)]),
    orderBy: sql`created_ms`,
  });
  return {
    statement: statementFor(tenant, ends, 'short'),
    messageFor: ([earliest, latest]) =>
      earliest === undefined || latest === undefined
        ? 'no request is on record yet'
        : `no request arrived in the time that the query asks for; the record goes from ${isoTime(Number(earliest['created_ms']))} to ${isoTime(Number(latest['created_ms']))}`,
  };
}

function firstBy(orderBy: Fragment): Query {
  return select({ columns: sql`created_at`, from: requests(), orderBy, limit: 1 });
}

/** An offset behind the last match. */
function offsetProbe(plan: RequestsPlan): HintProbe | undefined {
  if (plan.offset === 0) return undefined;
  return {
    statement: countStatement(plan),
    messageFor: ([row]) => {
      const total = Number(row?.['total'] ?? 0);
      return total === 0 ? undefined : `offset ${plan.offset} is past the last of ${total} matching requests`;
    },
  };
}
