import { parseUuid, uuidToNumber } from '../../../model/ids.ts';
import type { TextOperator } from '../../../model/vocabulary/operators.ts';
import { escapeLike } from '../../../sql/like.ts';
import { type Fragment, param, sql } from '../../../sql/sql.ts';
import type { TextColumn } from './columns.ts';
import { aliasOf } from '../../../model/vocabulary/property-alias.ts';

/** An expression of text with the condition under which it is there at all; the text of what is not there is empty. */
export interface TextOperand {
  readonly text: Fragment;
  readonly present: Fragment;
  /** An index answers `present`, so that asking is worth it even where the pattern alone would decide. */
  readonly presentIsIndexed: boolean;
}

/** A text operator with the caller's value. */
export interface TextComparison {
  readonly operator: TextOperator;
  readonly value: string;
}

/**
 * A comparison of text. Absent text equals the empty one and never matches `like`, `ilike` or `contains`; `not-contains` of an empty text
 * matches nothing, since every text contains it and an absent one is only unlike others.
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

/** Adds the question whether the text is there: needed where the pattern matches the empty text, as which an absent one reads. */
function wherePresent({ present, presentIsIndexed }: TextOperand, pattern: string, match: Fragment): Fragment {
  return presentIsIndexed || matchesEmpty(pattern) ? sql`(${present} AND ${match})` : match;
}

/** Whether a pattern, or a text that is looked for inside another, is found in the empty text. */
export function matchesEmpty(pattern: string): boolean {
  return /^%*$/.test(pattern);
}

/** The pattern of a text that holds this one. */
export function containing(text: string): string {
  return `%${escapeLike(text)}%`;
}

/**
 * A pattern without regard to case.
 * TRICKY: both sides go through the store's own fold; another fold on one side would differ in Greek, Turkish and German letters.
 */
export function foldedLike(text: Fragment, pattern: string): Fragment {
  return sql`lowerUTF8(${text}) LIKE lowerUTF8(${param(pattern, 'String')})`;
}

/** A text, of a request or over a session, that is absent when it is empty. */
export function compareColumn(text: Fragment, comparison: TextComparison): Fragment {
  return compareOperand({ text, present: sql`${text} != ''`, presentIsIndexed: false }, comparison);
}

/** A text whose equality has no regard to case, through the fold that patterns go through. */
export function compareFolded(text: Fragment, comparison: TextComparison): Fragment {
  const { operator, value } = comparison;
  if (operator !== 'equals' && operator !== 'not-equals') return compareColumn(text, comparison);
  const sought = sql`lowerUTF8(${param(value, 'String')})`;
  return operator === 'equals' ? sql`lowerUTF8(${text}) = ${sought}` : sql`lowerUTF8(${text}) != ${sought}`;
}

/** An identifier: kept in lower case, and a UUID is looked for as the number that the index is made of. */
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

/** A property by name: here an empty value is there, and only a missing name is absent. */
export function compareProperty(name: string, comparison: TextComparison): Fragment {
  return compareWithAlias(name, comparison, (key) => operandIn(sql`properties`, key));
}

/** A prompt input by name; as with properties an empty one is there. */
export function compareInput(name: string, comparison: TextComparison): Fragment {
  return compareOperand(operandIn(sql`inputs`, name), comparison);
}

/** A comparison of what is kept under a name, or, when that is not there, under the name that it is an alias of. */
export function compareWithAlias(name: string, comparison: TextComparison, operandOf: (name: string) => TextOperand): Fragment {
  const alias = aliasOf(name);
  const own = operandOf(name);
  if (alias === undefined) return compareOperand(own, comparison);
  const other = operandOf(alias);
  if (comparison.operator === 'equals' && comparison.value !== '') {
    // The bloom filters of names and values serve two plain equalities, but not a choice between two values.
    return sql`(${compareOperand(own, comparison)} OR (NOT ${own.present} AND ${compareOperand(other, comparison)}))`;
  }
  const text = sql`if(${own.present}, ${own.text}, ${other.text})`;
  return compareOperand({ text, present: sql`(${own.present} OR ${other.present})`, presentIsIndexed: true }, comparison);
}

/** `search_properties`: like a property, with `equals` read as `ilike`. */
export function compareSearchProperty(name: string, { operator, value }: TextComparison): Fragment {
  return compareProperty(name, { operator: operator === 'equals' ? 'ilike' : operator, value });
}

/** Whether a record has a property of this name. */
export function hasProperty(name: string): Fragment {
  const alias = aliasOf(name);
  const { present } = operandIn(sql`properties`, name);
  return alias === undefined ? present : sql`(${present} OR ${operandIn(sql`properties`, alias).present})`;
}

function operandIn(column: Fragment, name: string): TextOperand {
  const key = param(name, 'String');
  return { text: sql`${column}[${key}]`, present: sql`mapContains(${column}, ${key})`, presentIsIndexed: true };
}
