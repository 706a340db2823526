import { select } from '../../../sql/query.ts';
import { type Fragment, join, param, type Query, sql } from '../../../sql/sql.ts';
import { tenantRows, requests } from '../../../sql/tables.ts';
import type { Comparison } from '../ast.ts';
import { compareColumn, compareWithAlias, type TextComparison, type TextOperand } from './compile-text.ts';
import { newestFirstKey } from './newest-first.ts';

/** A condition on the session of a request: SQL over the group of its requests, and whether a request without a session matches. */
export interface SessionCondition {
  readonly having: Fragment;
  readonly withoutSession: boolean;
}

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
 * Combines session conditions into one read of all sessions. A session is all requests of its organisation with one identifier. @param
 * range conditions on the time: only requests within them belong to the session.
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

/** Whether an absent value matches: absent text equals the empty one, an absent number is only unequal. */
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

/** A property of the session: the newest value of each name. */
export function compareSessionProperty(name: string, comparison: TextComparison): Fragment {
  return compareWithAlias(name, comparison, newestValue);
}

/**
 * The tag of a session, which has its own table. A condition that an absent tag matches is inverted: it excludes sessions whose tag does
 * not match. @param withoutTag whether an absent tag matches.
 */
export function compareSessionTag(comparison: TextComparison, withoutTag: boolean): Fragment {
  const holds = compareColumn(newestTag, comparison);
  return withoutTag ? sql`session_id NOT IN ${sessionsTagged(sql`NOT (${holds})`)}` : sql`session_id IN ${sessionsTagged(holds)}`;
}

function sessionsTagged(having: Fragment): Query {
  return select({ columns: sql`session_id`, from: tenantRows('session_tags'), groupBy: sql`session_id`, having: [having] });
}

/** The tag over a session's rows in `session_tags`; empty without one. */
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
