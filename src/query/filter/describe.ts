import type { FieldDefinition } from '../../model/vocabulary/fields.ts';
import type { NumberOperator, TextOperator, TimestampOperator } from '../../model/vocabulary/operators.ts';
import { type BranchNode, type Comparison, type ConditionNode, definitionOf, type FilterNode } from './ast.ts';

/** Maximum conditions and nesting in a description; the rest is counted. */
const limits = { conditions: 8, depth: 4 } as const;
/** Characters of a quoted name or value. */
const maxText = 48;

/**
 * Describes a filter as an English sentence without its full stop: `property "Team" is "search" and (status is at least 400 or cached is
 * true)`. At most 1,500 characters: long texts are truncated, and after the first conditions the rest is counted.
 */
export function describeFilter(filter: FilterNode): string {
  return filter.kind === 'all' ? 'all requests' : sentenceOf(filter, { depth: 0, remaining: { conditions: limits.conditions } });
}

interface SentencePosition {
  readonly depth: number;
  /** How many more conditions are described, wherever they stand. */
  readonly remaining: { conditions: number };
}

function sentenceOf(node: FilterNode, position: SentencePosition): string {
  switch (node.kind) {
    case 'all':
      return 'all requests';
    case 'condition':
      return conditionText(node);
    case 'and':
    case 'or': {
      const text = branchText(node, position);
      return position.depth === 0 ? text : `(${text})`;
    }
  }
}

function branchText({ kind, operands }: BranchNode, { depth, remaining }: SentencePosition): string {
  const parts: string[] = [];
  let omitted = 0;
  for (const operand of operands) {
    const isDescribed = remaining.conditions > 0 && (operand.kind === 'condition' || depth < limits.depth);
    if (isDescribed) {
      if (operand.kind === 'condition') remaining.conditions -= 1;
      parts.push(sentenceOf(operand, { depth: depth + 1, remaining }));
    } else omitted += countOf(operand);
  }
  if (omitted > 0) {
    // An omitted branch counts too, so that many of them end as well.
    remaining.conditions -= 1;
    parts.push(`${omitted} ${parts.length > 0 ? 'more ' : ''}${omitted === 1 ? 'condition' : 'conditions'}`);
  }
  return parts.join(` ${kind} `);
}

function countOf(node: FilterNode): number {
  return 'operands' in node ? node.operands.reduce((sum, operand) => sum + countOf(operand), 0) : 1;
}

function conditionText(node: ConditionNode): string {
  if (node.family === 'key') return `has a property ${quoted(node.value)}`;
  const definition = definitionOf(node);
  const label = definition.label ?? node.field.replaceAll('_', ' ');
  const subject = node.name === undefined ? label : `${label} ${quoted(node.name)}`;
  return `${subject} ${predicateOf(node, definition)}`;
}

function predicateOf(comparison: Exclude<Comparison, { family: 'key' }>, { unit, equalsIsPattern }: FieldDefinition): string {
  switch (comparison.family) {
    case 'text': {
      const { operator, value } = comparison;
      return textPredicates[operator === 'equals' && equalsIsPattern === true ? 'ilike' : operator](value);
    }
    case 'number':
      return `${numberWords[comparison.operator]} ${comparison.value}${unit === undefined ? '' : ` ${unit}`}`;
    case 'timestamp':
      return `${timeWords[comparison.operator]} ${timeText(comparison.value)}`;
    case 'boolean':
      return `is ${comparison.value}`;
  }
}

const textPredicates: Readonly<Record<TextOperator, (value: string) => string>> = {
  equals: (value) => (value === '' ? 'is empty' : `is ${quoted(value)}`),
  'not-equals': (value) => (value === '' ? 'is not empty' : `is not ${quoted(value)}`),
  like: (value) => `matches ${quoted(value)}`,
  ilike: (value) => `matches ${quoted(value)} in any case`,
  contains: (value) => `contains ${quoted(value)}`,
  'not-contains': (value) => `does not contain ${quoted(value)}`,
};

const numberWords: Readonly<Record<NumberOperator, string>> = {
  equals: 'is',
  'not-equals': 'is not',
  gte: 'is at least',
  lte: 'is at most',
  gt: 'is over',
  lt: 'is under',
};

const timeWords: Readonly<Record<TimestampOperator, string>> = {
  equals: 'is at',
  gte: 'is at or after',
  lte: 'is at or before',
  gt: 'is after',
  lt: 'is before',
};

/** UTC, without trailing zeros behind the minute. */
function timeText(unixMs: number): string {
  const text = new Date(unixMs).toISOString().replace('T', ' ').slice(0, -1);
  return `${text.replace(/(:00)?\.000$/, '')} UTC`;
}

/** TRICKY: invisible characters are written as numbers: a control of the writing direction would reverse the sentence. */
const unseen = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF"]/u;

function quoted(text: string): string {
  let shown = '';
  for (const character of text) {
    const next = unseen.test(character) ? escapeOf(character) : character;
    if (shown.length + next.length > maxText) return `"${shown}…"`;
    shown += next;
  }
  return `"${shown}"`;
}

function escapeOf(character: string): string {
  return character === '"' ? '\\"' : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
