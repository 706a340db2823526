import { withEscapedBackslashes } from '../../../sql/like.ts';
import { select } from '../../../sql/query.ts';
import { type Fragment, join, param, type Query, sql } from '../../../sql/sql.ts';
import { bodies } from '../../../sql/tables.ts';
import type { TextColumn } from './columns.ts';
import { containing, foldedLike, matchesEmpty, type TextComparison } from './compile-text.ts';

type BodyColumn = Extract<TextColumn, { kind: 'body' }>;

/**
 * A condition on a body: the record is (`among`) or is not among those whose row in `bodies` matches. A record without such a row, or with
 * a binary body, has an absent body, so conditions that match absent text compile to "not among".
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
      return {
        among: true,
        row: matching(value, indexed(text, value, sql`${text} LIKE ${param(withEscapedBackslashes(value), 'String')}`)),
      };
    case 'ilike':
      return { among: true, row: matching(value, indexed(text, value, foldedLike(text, withEscapedBackslashes(value)))) };
    case 'contains':
      return { among: true, row: matching(value, containsText(text, value)) };
    case 'not-contains':
      return value === '' ? undefined : { among: false, row: matching(value, containsText(text, value)) };
  }
}

/**
 * Combines body conditions into at most two reads of `bodies`: one for rows that must match and one for rows that must not. A record has
 * at most one row in `bodies`. @param bounds the filter's time bounds, which limit the reads.
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

/** The text index covers the folded text. Equal texts have equal folds, so the second equality only enables the index. */
function equalTo(text: Fragment, value: string): Fragment {
  const sought = param(value, 'String');
  return sql`${text} = ${sought} AND lowerUTF8(${text}) = lowerUTF8(${sought})`;
}

function containsText(text: Fragment, value: string): Fragment {
  return indexed(text, containing(value), foldedLike(text, containing(value)));
}

/**
 * Adds a condition that the match implies and the text index can answer: the longest plain word of the pattern. The index knows words, so
 * separators and wildcards make a pattern useless for it. TRICKY: only runs of ASCII letters and digits, which fold the same everywhere; a
 * Greek word folds by its neighbours.
 */
function indexed(text: Fragment, pattern: string, match: Fragment): Fragment {
  const words = pattern.match(/[A-Za-z0-9]{4,}/g) ?? [];
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
  return longest === '' || pattern === containing(longest) ? match : sql`${foldedLike(text, containing(longest))} AND ${match}`;
}
