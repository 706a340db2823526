import { select } from '../../../sql/query.ts';
import { type Fragment, join, param, type Query, sql } from '../../../sql/sql.ts';
import { bodies } from '../../../sql/tables.ts';
import type { TextColumn } from './columns.ts';
import { containing, foldedLike, matchesEmpty, type TextComparison } from './compile-text.ts';

type BodyColumn = Extract<TextColumn, { kind: 'body' }>;

/**
 * A condition on a body: the record is (`among`) or is not among those whose row in `bodies` matches. A record without such a row, or with a
 * binary body, has an absent body, so what absent text matches is asked as "not among".
 */
export interface BodyCondition {
  readonly among: boolean;
  readonly row: Fragment;
}

/** @returns undefined for `not-contains` of an empty text, which matches nothing. */
export function compareBody({ text, bodyKind }: BodyColumn, { operator, value }: TextComparison): BodyCondition | undefined {
  const readable = bodyKind === null ? sql`true` : sql`${bodyKind} != 'binary'`;
  const filled = bodyKind === null ? sql`${text} != ''` : sql`${readable} AND ${text} != ''`;
  const matching = (pattern: string, match: Fragment): Fragment => sql`(${matchesEmpty(pattern) ? filled : readable} AND ${match})`;
  switch (operator) {
    case 'equals':
      return value === '' ? { among: false, row: sql`(${filled})` } : { among: true, row: matching(value, equalTo(text, value)) };
    case 'not-equals':
      return value === '' ? { among: true, row: sql`(${filled})` } : { among: false, row: matching(value, equalTo(text, value)) };
    case 'like':
      return { among: true, row: matching(value, indexed(text, value, sql`${text} LIKE ${param(value, 'String')}`)) };
    case 'ilike':
      return { among: true, row: matching(value, indexed(text, value, foldedLike(text, value))) };
    case 'contains':
      return { among: true, row: matching(value, containsText(text, value)) };
    case 'not-contains':
      return value === '' ? undefined : { among: false, row: matching(value, containsText(text, value)) };
  }
}

/**
 * Body conditions under one operator as at most two reads of `bodies`, one for those that have to match and one for those that must not.
 * Right because a record has at most one row in `bodies`.
 * @param bounds what of the filter's time bounds holds for the whole answer; it keeps the reads to that time.
 */
export function bodyReads(kind: 'and' | 'or', conditions: readonly BodyCondition[], bounds: readonly Fragment[]): readonly Fragment[] {
  const among = conditions.filter((condition) => condition.among).map(({ row }) => row);
  const notAmong = conditions.filter((condition) => !condition.among).map(({ row }) => row);
  const reads: Fragment[] = [];
  if (among.length > 0) reads.push(sql`(created_at, request_id) IN ${keysWhere(joined(kind, among), bounds)}`);
  if (notAmong.length > 0) {
    const opposite = kind === 'and' ? 'or' : 'and';
    reads.push(sql`(created_at, request_id) NOT IN ${keysWhere(joined(opposite, notAmong), bounds)}`);
  }
  return reads;
}

function keysWhere(match: Fragment, bounds: readonly Fragment[]): Query {
  return select({ columns: sql`created_at, request_id`, from: bodies([...bounds, match]) });
}

function joined(kind: 'and' | 'or', rows: readonly Fragment[]): Fragment {
  const [only, second] = rows;
  if (only !== undefined && second === undefined) return only;
  return sql`(${join(rows, kind === 'and' ? ' AND ' : ' OR ')})`;
}

/** The text index stands over the folded text: equal texts have equal folds, so the second equality only lets the index help. */
function equalTo(text: Fragment, value: string): Fragment {
  const sought = param(value, 'String');
  return sql`${text} = ${sought} AND lowerUTF8(${text}) = lowerUTF8(${sought})`;
}

function containsText(text: Fragment, value: string): Fragment {
  return indexed(text, containing(value), foldedLike(text, containing(value)));
}

/**
 * A match with a second one that it implies and that the text index can answer: its longest plain word. The index knows words, so of a
 * pattern with separators or wildcards it serves little by itself.
 * TRICKY: only runs of ASCII letters and digits, which fold the same wherever they stand; a Greek word folds by its neighbours.
 */
function indexed(text: Fragment, pattern: string, match: Fragment): Fragment {
  const words = pattern.match(/[A-Za-z0-9]{4,}/g) ?? [];
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
  return longest === '' || pattern === containing(longest) ? match : sql`${foldedLike(text, containing(longest))} AND ${match}`;
}
