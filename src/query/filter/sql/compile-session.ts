import { select } from '../../../sql/query.ts';
import { type Fragment, join, param, type Query, sql } from '../../../sql/sql.ts';
import { ownRows, requests } from '../../../sql/tables.ts';
import type { Comparison } from '../ast.ts';
import { compareColumn, compareWithAlias, type TextComparison, type TextOperand } from './compile-text.ts';
import { newestFirstKey } from './newest-first.ts';

/** A condition on the session of a request: SQL over the group of its requests, and whether a request without a session matches. */
export interface SessionCondition {
  readonly having: Fragment;
  readonly withoutSession: boolean;
}

/** Session conditions under one operator, at least one, as one. */
export function combine(kind: 'and' | 'or', conditions: readonly SessionCondition[]): SessionCondition {
  const having = join(
    conditions.map((condition) => condition.having),
    kind === 'and' ? ' AND ' : ' OR ',
  );
  const matches = ({ withoutSession }: SessionCondition): boolean => withoutSession;
  return {
    having: conditions.length > 1 ? sql`(${having})` : having,
    withoutSession: kind === 'and' ? conditions.every(matches) : conditions.some(matches),
  };
}

/**
 * Session conditions under one operator as one read of all sessions. A session is all requests of its organisation with one identifier.
 * @param range conditions on the arrival: only requests within them are of the session.
 */
export function sessionReads(kind: 'and' | 'or', conditions: readonly SessionCondition[], range: readonly Fragment[]): readonly Fragment[] {
  if (conditions.length === 0) return [];
  const { having, withoutSession } = combine(kind, conditions);
  const matching = select({
    columns: sql`session_id`,
    from: requests([sql`session_id != ''`, ...range]),
    groupBy: sql`session_id`,
    having: [having],
  });
  const sessions = sql`session_id IN ${matching}`;
  return [withoutSession ? sql`(session_id = '' OR ${sessions})` : sessions];
}

/** What an absent value matches: absent text is the empty one and only unlike others, an absent number is only unequal. */
export function matchesAbsent(comparison: Comparison): boolean {
  switch (comparison.family) {
    case 'text':
      if (comparison.operator === 'equals') return comparison.value === '';
      return (comparison.operator === 'not-equals' || comparison.operator === 'not-contains') && comparison.value !== '';
    case 'number':
      return comparison.operator === 'not-equals';
    case 'timestamp':
    case 'boolean':
    case 'key':
      return false;
  }
}

/** A property of the whole session: of each name the newest value. */
export function compareSessionProperty(name: string, comparison: TextComparison): Fragment {
  return compareWithAlias(name, comparison, newestValue);
}

/**
 * The tag of a session, kept in a table of its own under the session's identifier. What an absent tag matches is asked the other way round: of
 * the sessions that have one, which do not match. @param withoutTag whether an absent tag matches.
 */
export function compareSessionTag(comparison: TextComparison, withoutTag: boolean): Fragment {
  const holds = compareColumn(newestTag, comparison);
  return withoutTag ? sql`session_id NOT IN ${sessionsTagged(sql`NOT (${holds})`)}` : sql`session_id IN ${sessionsTagged(holds)}`;
}

function sessionsTagged(having: Fragment): Query {
  return select({ columns: sql`session_id`, from: ownRows('session_tags'), groupBy: sql`session_id`, having: [having] });
}

/** The tag over the rows of one session in `session_tags`; empty: none. */
export const newestTag = sql`argMax(tag, number)`;

function newestValue(name: string): TextOperand {
  const key = param(name, 'String');
  const present = sql`mapContains(properties, ${key})`;
  return {
    text: sql`argMaxIf(properties[${key}], ${newestFirstKey}, ${present})`,
    present: sql`countIf(${present}) > 0`,
    presentIsIndexed: false,
  };
}
