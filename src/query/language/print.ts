import type { ConditionNode, FilterNode } from '../filter/ast.ts';
import { searchedText } from './conditions.ts';
import { isFieldName, keywords, nameOfField } from './fields.ts';
import { isBare, quote } from './scanner.ts';

/** A filter as the search that `parseSearch` reads as the same filter. */
export function printSearch(filter: FilterNode): string {
  return filter.kind === 'all' ? '' : printed(filter, false);
}

function printed(node: FilterNode, isOperand: boolean): string {
  if (node.kind === 'all') return '';
  if (node.kind === 'condition') return conditionText(node);
  const text = searchedText(node);
  if (text !== undefined) return quote(text);
  if (node.kind === 'and') {
    const terms = node.operands.map((operand) => printed(operand, true)).join(' ');
    return isOperand ? `(${terms})` : terms;
  }
  const values = oneOfText(node.operands);
  if (values !== undefined) return values;
  const alternatives = node.operands.map((operand) => printed(operand, true)).join(' OR ');
  return isOperand ? `(${alternatives})` : alternatives;
}

/** Several values of one field: `model:(gpt-4o OR gpt-4o-mini)`. */
function oneOfText(operands: readonly FilterNode[]): string | undefined {
  const equal = operands.filter((node): node is ConditionNode => node.kind === 'condition' && isPlainEquals(node));
  const [first] = equal;
  if (first === undefined || equal.length < operands.length) return undefined;
  const name = writtenName(first);
  if (equal.some((node) => writtenName(node) !== name)) return undefined;
  return `${name}:(${equal.map(valueText).join(' OR ')})`;
}

function isPlainEquals({ family, operator }: ConditionNode): boolean {
  return operator === 'equals' && (family === 'text' || family === 'number');
}

const signs = { equals: '', gte: '>=', lte: '<=', gt: '>', lt: '<', contains: '~', like: 'like:', ilike: 'ilike:' } as const;
const denied = { 'not-equals': '', 'not-contains': '~' } as const;

function conditionText(node: ConditionNode): string {
  if (node.family === 'key') return `has:${textValue(node.value)}`;
  const { operator } = node;
  if (operator === 'not-equals' || operator === 'not-contains') return `-${writtenName(node)}:${denied[operator]}${valueText(node)}`;
  return `${writtenName(node)}:${signs[operator]}${valueText(node)}`;
}

/** The name of a property that is also a field's is in quotation marks, as one with a space. */
function writtenName(node: ConditionNode): string {
  const { group, field, name } = node;
  const written = nameOfField(node);
  if (name === undefined) return written;
  const isProperty = group === 'request_response_rmt' && field === 'properties';
  if (isProperty && (!isNameBare(name) || isFieldName(name))) return quote(name);
  return isNameBare(name) ? written : `${written.slice(0, written.length - name.length)}${quote(name)}`;
}

function isNameBare(name: string): boolean {
  return isBare(name) && !name.startsWith('-') && !keywords.has(name);
}

function valueText({ family, value }: ConditionNode): string {
  switch (family) {
    case 'text':
    case 'key':
      return textValue(value);
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'boolean':
      return String(value);
    case 'timestamp':
      return timeText(value);
  }
}

function textValue(text: string): string {
  return isBare(text) && !/^[<>=~]/.test(text) ? text : quote(text);
}

/** TRICKY: a time beyond four digits of a year has no form that is read. */
function timeText(unixMs: number): string {
  return new Date(unixMs).toISOString();
}
