import { withEscapedBackslashes } from '../../../sql/like.ts';
import { newRequestWords, responseWords } from '../../../sql/new-words.ts';
import { select, unionAll } from '../../../sql/query.ts';
import { type Fragment, join, param, type Query, sql } from '../../../sql/sql.ts';
import { bodies } from '../../../sql/tables.ts';
import { hourWider } from '../../../sql/time.ts';
import type { IndexedBody, TextColumn } from './columns.ts';
import { containing, foldedLike, matchesEmpty, type TextComparison } from './compile-text.ts';

const kindOf = { request: sql`request_kind`, response: sql`response_kind` } as const;

const wordsOf = { request: newRequestWords, response: responseWords } as const;

type BodyColumn = Extract<TextColumn, { kind: 'body' }>;

/** A word of the index, or a part of one, that every matching row has in one of its bodies. */
interface Sought {
  readonly body: IndexedBody;
  readonly word: string;
}

/**
 * A condition on a body: the record is (`among`) or is not among those whose row in `bodies` matches. A record without such a row, or with
 * a binary body, has an absent body, so conditions that match absent text compile to "not among".
 */
export interface BodyCondition {
  readonly among: boolean;
  readonly row: Fragment;
  /** Undefined: the index does not narrow it. */
  readonly sought: Sought | undefined;
}

/** @returns undefined for `not-contains` of an empty text, which matches nothing. */
export function compareBody({ text, body }: BodyColumn, { operator, value }: TextComparison): BodyCondition | undefined {
  const readable = body === null ? sql`true` : sql`${kindOf[body]} != 'binary'`;
  const filled = body === null ? sql`${text} != ''` : sql`${readable} AND ${text} != ''`;
  const isEmpty = value === '';
  const matching = (among: boolean, match: Fragment): BodyCondition => {
    const word = body === null ? undefined : longestWord(value);
    const row = sql`(${matchesEmpty(value) ? filled : readable} AND ${match})`;
    return { among, row, sought: body === null || word === undefined ? undefined : { body, word } };
  };
  const containsIt = foldedLike(text, containing(value));
  switch (operator) {
    case 'equals':
    case 'not-equals': {
      const among = operator === 'equals';
      if (isEmpty) return { among: !among, row: sql`(${filled})`, sought: undefined };
      return matching(among, sql`${text} = ${param(value, 'String')}`);
    }
    case 'like':
      return matching(true, sql`${text} LIKE ${param(withEscapedBackslashes(value), 'String')}`);
    case 'ilike':
      return matching(true, foldedLike(text, withEscapedBackslashes(value)));
    case 'contains':
      return matching(true, containsIt);
    case 'not-contains':
      return isEmpty ? undefined : matching(false, containsIt);
  }
}

/**
 * Combines body conditions into reads of `bodies`, for rows that must match and for rows that must not. A record has at most one row in
 * `bodies`. @param bounds the filter's time bounds, which limit the reads.
 */
export function bodyReads(kind: 'and' | 'or', conditions: readonly BodyCondition[], bounds: readonly Fragment[]): readonly Fragment[] {
  const among = conditions.filter((condition) => condition.among);
  const notAmong = conditions.filter((condition) => !condition.among);
  const opposite = kind === 'and' ? 'or' : 'and';
  const [found, left] = [keysOf(kind, among, bounds), keysOf(opposite, notAmong, bounds)];
  return [
    ...(found === undefined ? [] : [sql`(created_at, request_id) IN ${found}`]),
    ...(left === undefined ? [] : [sql`(created_at, request_id) NOT IN ${left}`]),
  ];
}

/** The keys of matching rows; undefined without a condition. */
function keysOf(kind: 'and' | 'or', conditions: readonly BodyCondition[], bounds: readonly Fragment[]): Query | undefined {
  if (conditions.length === 0) return undefined;
  const rows = conditions.map(({ row }) => row);
  const match = rows.length === 1 ? join(rows, ' AND ') : sql`(${join(rows, joiners[kind])})`;
  const narrowed = narrowedBy(kind, conditions, bounds);
  return unionAll(narrowed.map((narrow) => select({ columns: sql`created_at, request_id`, from: bodies([...bounds, ...narrow, match]) })));
}

const joiners = { and: ' AND ', or: ' OR ' } as const;

/**
 * Conditions that the index answers and matching rows satisfy: those of one of these lists.
 *
 * The index knows the words of a response by its row. Of a request it knows those that its group had not stored before within the hour: what
 * a turn repeats stands in the same group and hour, and rows of the groups that are found decide by their texts. Rows without a group repeat
 * nothing.
 */
function narrowedBy(
  kind: 'and' | 'or',
  conditions: readonly BodyCondition[],
  bounds: readonly Fragment[],
): readonly (readonly Fragment[])[] {
  const known = conditions.flatMap(({ sought }) => sought ?? []);
  if (kind === 'or') {
    if (known.length < conditions.length) return [[]];
    const any = sql`(${join(known.map(hasWord), ' OR ')})`;
    return known.every(({ body }) => body === 'response') ? [[any]] : byGroup([any], bounds);
  }
  const ofResponses = known.filter(({ body }) => body === 'response').map(hasWord);
  if (ofResponses.length > 0) return [ofResponses];
  return known.length === 0 ? [[]] : byGroup(known.map(hasWord), bounds);
}

function byGroup(has: readonly Fragment[], bounds: readonly Fragment[]): readonly (readonly Fragment[])[] {
  const isInGroup = sql`body_group != 0`;
  const around = bounds.map(hourWider);
  const hourAndGroup = sql`toStartOfHour(created_at), body_group`;
  const groups = has.map((one) => {
    const found = select({ distinct: true, columns: hourAndGroup, from: bodies([...around, isInGroup, one]) });
    return sql`(${hourAndGroup}) IN ${found}`;
  });
  return [
    [sql`body_group = 0`, ...has],
    [isInGroup, ...groups],
  ];
}

/** TRICKY: the engine answers this alone by the index; `newRequestWords` says why. */
function hasWord({ body, word }: Sought): Fragment {
  return sql`${wordsOf[body]} LIKE lowerUTF8(${param(containing(word), 'String')})`;
}

/**
 * The longest run of characters of a text or pattern that the index has in one word: ASCII letters and digits, and what is beyond ASCII. The
 * index knows words, so separators and wildcards make the rest useless for it. TRICKY: not the Greek sigma, which folds by its neighbours.
 */
function longestWord(pattern: string): string | undefined {
  const words = pattern.match(/(?:[A-Za-z0-9]|[^\0-\u007F\u03A3\u03C2\u03C3])+/gu) ?? [];
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
  return longest.length < minWordCharacters ? undefined : longest;
}

/** Fewer stand in nearly every text. */
const minWordCharacters = 2;
