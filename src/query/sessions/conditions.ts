import type { Select } from '../../sql/query.ts';
import { type Fragment, join, param, sql } from '../../sql/sql.ts';
import { requests } from '../../sql/tables.ts';
import { allOf, conjuncts } from '../filter/ast.ts';
import { candidateList, isCandidate, neededOfRequest } from './candidates.ts';
import { createdAtBounds, compileFilter, compileOverSession, isRowLevel } from '../filter/sql/compile.ts';
import type { ArrivalRange, SessionQueryStatement } from './question.ts';

/**
 * A question about sessions taken apart, as far as that can be done. What has to hold for all of it is either asked of the whole session or
 * of each of its requests; a mixed `or` is asked of requests, and looks the session up.
 */
export interface SessionConditions {
  /** Rows of `requests` that belong to sessions: those of the range. */
  readonly inRange: readonly Fragment[];
  /** Which of them are kept; undefined: all. */
  readonly kept: Fragment | undefined;
  /** Which groups of them are in; undefined: all. */
  readonly having: Fragment | undefined;
  /** What one request of every group that is in meets, as far as that is known. */
  readonly needed: Fragment | undefined;
}

/** Takes a question apart. */
export function conditionsOf({ range, filter }: SessionQueryStatement): SessionConditions {
  const bounds = boundsOf(range);
  const parts = conjuncts(filter).filter(({ kind }) => kind !== 'all');
  const ofSession = parts.filter((part) => !isRowLevel(part)).map((part) => ({ part, having: compileOverSession(part) }));
  const having = ofSession.flatMap((one) => one.having ?? []);
  const ofRequest = parts.filter((part) => !ofSession.some((one) => one.part === part && one.having !== undefined));
  return {
    inRange: [sql`session_id != ''`, ...bounds],
    kept: ofRequest.length === 0 ? undefined : compileFilter(allOf(ofRequest), bounds),
    having: having.length === 0 ? undefined : join(having, ' AND '),
    needed: neededOfRequest(allOf(parts.filter((part) => !ofRequest.includes(part)))),
  };
}

/** Conditions on the arrival that every kept request meets. */
export function keptBounds({ range, filter }: SessionQueryStatement): readonly Fragment[] {
  return [...boundsOf(range), ...createdAtBounds(filter)];
}

function boundsOf({ from, to }: ArrivalRange): readonly Fragment[] {
  return [
    ...(from === undefined ? [] : [sql`created_at >= ${timeOf(from)}`]),
    ...(to === undefined ? [] : [sql`created_at <= ${timeOf(to)}`]),
  ];
}

function timeOf(ms: number): Fragment {
  return sql`fromUnixTimestamp64Milli(${param(ms, 'Int64')}, 'UTC')`;
}

/** An aggregate over the kept requests of a session, given the one without a condition and the one with. */
export type MatchedAggregate = (plain: Fragment, conditional: (kept: Fragment) => Fragment) => Fragment;

/** Every request is kept. */
export const overAll: MatchedAggregate = (plain) => plain;

/** The sessions that are asked for: a read of `requests` in groups of sessions. */
export interface SessionGroups {
  /** All of the SELECT but its columns and order. */
  readonly clauses: Pick<Select, 'with' | 'from' | 'groupBy' | 'having'>;
  /** Chooses the form of an aggregate: where only kept rows are read, they need no condition. */
  readonly overKept: MatchedAggregate;
}

interface GroupsOptions {
  /** Whether the columns also tell about requests that are not kept. */
  readonly whole: boolean;
  /** One more condition on the group. */
  readonly more?: (overKept: MatchedAggregate) => Fragment;
}

/** Reads the sessions that are asked for. */
export function sessionGroups({ inRange, kept, having, needed }: SessionConditions, { whole, more }: GroupsOptions): SessionGroups {
  const keptOnly = having === undefined && !whole;
  const marked = kept !== undefined && !keptOnly;
  const overKept = marked ? overMatched : overAll;
  const names = [...(marked ? [matchFlag(kept)] : []), ...(needed === undefined ? [] : [candidateList(inRange, needed)])];
  const rows = [...inRange, ...(kept !== undefined && keptOnly ? [sql`(${kept})`] : []), ...(needed === undefined ? [] : [isCandidate])];
  const groups = [
    ...(having === undefined ? [] : [having]),
    ...(marked ? [sql`countIf(is_kept) > 0`] : []),
    ...(more === undefined ? [] : [more(overKept)]),
  ];
  return { clauses: { with: names, from: requests(rows), groupBy: sql`session_id`, having: groups }, overKept };
}

/** A name for whether a row is kept, so that a long condition stands in the query once. */
export function matchFlag(kept: Fragment): Fragment {
  return sql`ifNull((${kept}), false) AS is_kept`;
}

/** As {@link overAll}, of what {@link matchFlag} says. */
export const overMatched: MatchedAggregate = (_, conditional) => conditional(sql`is_kept`);
