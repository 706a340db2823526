import type { Select } from '../../sql/query.ts';
import { type Fragment, join, sql } from '../../sql/sql.ts';
import { requests } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';
import { allOf, conjuncts } from '../filter/ast.ts';
import { candidateList, isCandidate, neededOfRequest } from './candidates.ts';
import { createdAtBounds, compileFilter, compileOverSession, isRowLevel } from '../filter/sql/compile.ts';
import type { ArrivalRange, SessionSelection } from './selection.ts';

/**
 * A session query split into conditions on the whole session and on its requests. A mixed `or` is a condition on requests that looks the
 * session up.
 */
export interface SessionConditions {
  /** Rows of `requests` in the time range. */
  readonly inRange: readonly Fragment[];
  /** The matched ones among them; undefined: all. */
  readonly matched: Fragment | undefined;
  /** The condition on groups; undefined: all. */
  readonly having: Fragment | undefined;
  /** A condition that one request of every matching group satisfies, if known. */
  readonly needed: Fragment | undefined;
}

export function conditionsOf({ range, filter }: SessionSelection): SessionConditions {
  const bounds = boundsOf(range);
  const parts = conjuncts(filter).filter(({ kind }) => kind !== 'all');
  const ofSession = parts.filter((part) => !isRowLevel(part)).map((part) => ({ part, having: compileOverSession(part) }));
  const having = ofSession.flatMap((one) => one.having ?? []);
  const ofRequest = parts.filter((part) => !ofSession.some((one) => one.part === part && one.having !== undefined));
  return {
    inRange: [sql`session_id != ''`, ...bounds],
    matched: ofRequest.length === 0 ? undefined : compileFilter(allOf(ofRequest), bounds),
    having: having.length === 0 ? undefined : join(having, ' AND '),
    needed: neededOfRequest(allOf(parts.filter((part) => !ofRequest.includes(part)))),
  };
}

/** Time bounds that every matched request satisfies. */
export function matchedBounds({ range, filter }: SessionSelection): readonly Fragment[] {
  return [...boundsOf(range), ...createdAtBounds(filter)];
}

function boundsOf({ from, to }: ArrivalRange): readonly Fragment[] {
  return [
    ...(from === undefined ? [] : [sql`created_at >= ${dateTime64(from)}`]),
    ...(to === undefined ? [] : [sql`created_at <= ${dateTime64(to)}`]),
  ];
}

/** An aggregate over the matched requests of a session, from its forms without and with a condition. */
export type MatchedAggregate = (plain: Fragment, conditional: (matched: Fragment) => Fragment) => Fragment;

export const overAll: MatchedAggregate = (plain) => plain;

/** A read of `requests` in groups of sessions. */
export interface SessionGroups {
  /** The SELECT without columns and order. */
  readonly clauses: Pick<Select, 'with' | 'from' | 'groupBy' | 'having'>;
  /** Chooses the form of an aggregate: where only matched rows are read, they need no condition. */
  readonly aggregate: MatchedAggregate;
}

interface GroupsOptions {
  /** Whether the columns also aggregate unmatched requests. */
  readonly allRequests: boolean;
  /** One more condition on the group. */
  readonly more?: (aggregate: MatchedAggregate) => Fragment;
}

export function sessionGroups(
  { inRange, matched, having, needed }: SessionConditions,
  { allRequests: whole, more }: GroupsOptions,
): SessionGroups {
  const matchedOnly = having === undefined && !whole;
  const marked = matched !== undefined && !matchedOnly;
  const aggregate = marked ? overMatched : overAll;
  const names = [...(marked ? [matchFlag(matched)] : []), ...(needed === undefined ? [] : [candidateList(inRange, needed)])];
  const rows = [
    ...inRange,
    ...(matched !== undefined && matchedOnly ? [sql`(${matched})`] : []),
    ...(needed === undefined ? [] : [isCandidate]),
  ];
  const groups = [
    ...(having === undefined ? [] : [having]),
    ...(marked ? [sql`countIf(is_kept) > 0`] : []),
    ...(more === undefined ? [] : [more(aggregate)]),
  ];
  return { clauses: { with: names, from: requests(rows), groupBy: sql`session_id`, having: groups }, aggregate };
}

/** Names the condition of a match, so that a long one stands in the query once. */
export function matchFlag(matched: Fragment): Fragment {
  return sql`ifNull((${matched}), false) AS is_kept`;
}

/** As {@link overAll}, for the name of {@link matchFlag}. */
export const overMatched: MatchedAggregate = (_, conditional) => conditional(sql`is_kept`);
