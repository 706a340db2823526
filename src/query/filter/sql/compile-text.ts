import { parseUuid, uuidToNumber } from '../../../model/ids.ts';
import type { TextOperator } from '../../../model/vocabulary/operators.ts';
import { escapeLike } from '../../../sql/like.ts';
import { type Fragment, param, sql } from '../../../sql/sql.ts';
import type { TextColumn } from './columns.ts';
import { aliasOf } from '../../../model/vocabulary/property-alias.ts';

/** A text expression with its condition of presence; absent text is empty. */
export interface TextOperand {
  readonly text: Fragment;
  readonly present: Fragment;
  /** Whether an index answers `present`, which makes the test worthwhile even where the pattern alone would decide. */
  readonly presentIsIndexed: boolean;
}

export interface TextComparison {
  readonly operator: TextOperator;
  readonly value: string;
}

/**
 * Compares text. Absent text equals the empty one and never matches `like`, `ilike` or `contains`; `not-contains` of an empty text matches
 * nothing, because every text contains it.
 */
function compareOperand(operand: TextOperand, { operator, value }: TextComparison): Fragment {
  const { text } = operand;
  switch (operator) {
    case 'equals':
      return sql`${text} = ${param(value, 'String')}`;
    case 'not-equals':
      return sql`${text} != ${param(value, 'String')}`;
    case 'like':
      return wherePresent(operand, value, sql`${text} LIKE ${param(value, 'String')}`);
    case 'ilike':
      return wherePresent(operand, value, foldedLike(text, value));
    case 'contains':
      return wherePresent(operand, value, foldedLike(text, containing(value)));
    case 'not-contains':
      return sql`lowerUTF8(${text}) NOT LIKE lowerUTF8(${param(containing(value), 'String')})`;
  }
}

/** Adds the test of presence where the pattern matches the empty text, which absent text reads as. */
function wherePresent({ present, presentIsIndexed }: TextOperand, pattern: string, match: Fragment): Fragment {
  return presentIsIndexed || matchesEmpty(pattern) ? sql`(${present} AND ${match})` : match;
}

/** Whether a pattern or a substring matches the empty text. */
export function matchesEmpty(pattern: string): boolean {
  return /^%*$/.test(pattern);
}

/** The pattern of texts that contain this one. */
export function containing(text: string): string {
  return `%${escapeLike(text)}%`;
}

/**
 * A case-insensitive pattern. TRICKY: both sides use the store's fold; another fold on one side would differ in Greek, Turkish and German
 * letters.
 */
export function foldedLike(text: Fragment, pattern: string): Fragment {
  return sql`lowerUTF8(${text}) LIKE lowerUTF8(${param(pattern, 'String')})`;
}

/** A text of a request or session that is absent when empty. */
export function compareColumn(text: Fragment, comparison: TextComparison): Fragment {
  return compareOperand({ text, present: sql`${text} != ''`, presentIsIndexed: false }, comparison);
}

/** Case-insensitive equality, by the fold of patterns. */
export function compareFolded(text: Fragment, comparison: TextComparison): Fragment {
  const { operator, value } = comparison;
  if (operator !== 'equals' && operator !== 'not-equals') return compareColumn(text, comparison);
  const sought = sql`lowerUTF8(${param(value, 'String')})`;
  return operator === 'equals' ? sql`lowerUTF8(${text}) = ${sought}` : sql`lowerUTF8(${text}) != ${sought}`;
}

/** An identifier: stored in lower case; a UUID is compared as the indexed number. */
export function compareIdentifier(
  { text, number }: Extract<TextColumn, { kind: 'identifier' }>,
  { operator, value }: TextComparison,
): Fragment {
  const lower = value.toLowerCase();
  const uuid = parseUuid(lower);
  if (number !== null && uuid !== undefined && (operator === 'equals' || operator === 'not-equals')) {
    const sought = param(uuidToNumber(uuid), 'UInt128');
    return operator === 'equals' ? sql`${number} = ${sought}` : sql`${number} != ${sought}`;
  }
  return compareColumn(text, { operator, value: lower });
}

/** A property by name: an empty value is present, only a missing name is absent. */
export function compareProperty(name: string, comparison: TextComparison): Fragment {
  return compareWithAlias(name, comparison, (key) => textUnder(sql`properties`, key));
}

/** A prompt input by name; an empty one is present. */
export function compareInput(name: string, comparison: TextComparison): Fragment {
  return compareOperand(textUnder(sql`inputs`, name), comparison);
}

/** Compares the value under a name, or under the name that it aliases. */
export function compareWithAlias(name: string, comparison: TextComparison, operandOf: (name: string) => TextOperand): Fragment {
  const alias = aliasOf(name);
  const own = operandOf(name);
  if (alias === undefined) return compareOperand(own, comparison);
  const other = operandOf(alias);
  if (comparison.operator === 'equals' && comparison.value !== '') {
    // The bloom filters of names and values serve two plain equalities, not a choice between two values.
    return sql`(${compareOperand(own, comparison)} OR (NOT ${own.present} AND ${compareOperand(other, comparison)}))`;
  }
  const text = sql`if(${own.present}, ${own.text}, ${other.text})`;
  return compareOperand({ text, present: sql`(${own.present} OR ${other.present})`, presentIsIndexed: true }, comparison);
}

/** `search_properties`: a property whose `equals` means `ilike`. */
export function compareSearchProperty(name: string, { operator, value }: TextComparison): Fragment {
  return compareProperty(name, { operator: operator === 'equals' ? 'ilike' : operator, value });
}

export function hasProperty(name: string): Fragment {
  const alias = aliasOf(name);
  const { present } = textUnder(sql`properties`, name);
  return alias === undefined ? present : sql`(${present} OR ${textUnder(sql`properties`, alias).present})`;
}

/** The text under a name in a map. */
export function textUnder(column: Fragment, name: string): TextOperand {
  const key = param(name, 'String');
  return { text: sql`${column}[${key}]`, present: sql`mapContains(${column}, ${key})`, presentIsIndexed: true };
}
