import { operatorFamilies } from '../../model/vocabulary/operators.ts';
import { parseTimestamp } from '../../model/vocabulary/timestamp.ts';
import { allOf, anyOf, type Comparison, condition, type FilterNode } from '../filter/ast.ts';
import { SearchFault } from './fault.ts';
import { fieldNamed, nameOfField, type SearchField } from './fields.ts';

interface Plain {
  readonly operator: 'equals' | 'gte' | 'lte' | 'gt' | 'lt' | 'contains' | 'like' | 'ilike';
  readonly value: string;
}

/** An operator and its value as they were written. */
export type Compared =
  | Plain
  | { readonly operator: 'present'; readonly value: string }
  /** `written` is the whole of it, for a field that has no ranges. */
  | { readonly operator: 'range'; readonly value: string; readonly high: string; readonly written: string };

export interface Span {
  readonly from: number;
  readonly to: number;
}

const bodies = ['request_body', 'response_body'] as const;

/** Records with a body that contains the text. */
export function textSearch(text: string): FilterNode {
  const [request, response] = bodies.map((name) =>
    condition(fieldNamed(name).reference, { family: 'text', operator: 'contains', value: text }),
  );
  if (request === undefined || response === undefined) throw new TypeError('There are two bodies.');
  return anyOf([request, response]);
}

/** @returns the text of {@link textSearch}; undefined for any other node. */
export function searchedText(node: FilterNode): string | undefined {
  if (node.kind !== 'or' || node.operands.length !== bodies.length) return undefined;
  const texts = node.operands.map((operand, index) => {
    const isContained = operand.kind === 'condition' && operand.group === 'request_response_rmt' && operand.operator === 'contains';
    return isContained && operand.field === bodies[index] ? operand.value : undefined;
  });
  const [text] = texts;
  return texts.every((one) => one === text) ? text : undefined;
}

/** The pattern of a value in which `*` stands for any characters. */
export function wildcardPattern(value: string): string {
  return value.replaceAll(/[\\%_]/g, String.raw`\$&`).replaceAll('*', '%');
}

/** @throws SearchFault for an operator or a value that the field does not take. */
export function conditionWith(field: SearchField, compared: Compared, span: Span): FilterNode {
  if (compared.operator === 'present') {
    const reference = { group: 'request_response_rmt', field: 'property_key' } as const;
    return condition(reference, { family: 'key', operator: 'equals', value: compared.value });
  }
  if (compared.operator !== 'range') return condition(field.reference, comparisonOf(field, compared, span));
  const { family } = field.definition;
  if (family !== 'number' && family !== 'timestamp') {
    return condition(field.reference, comparisonOf(field, { operator: 'equals', value: compared.written }, span));
  }
  const [low, high] = [
    { operator: 'gte', value: compared.value },
    { operator: 'lte', value: compared.high },
  ] as const;
  return allOf([low, high].map((bound) => condition(field.reference, comparisonOf(field, bound, span))));
}

function comparisonOf(field: SearchField, { operator, value }: Plain, span: Span): Comparison {
  const { family } = field.definition;
  const operators: readonly string[] = operatorFamilies[family];
  if (!operators.includes(operator)) throw new SearchFault(`${nameOfField(field.reference)} ${wanted[family]}.`, span.from, span.to);
  const refuse = (): never => {
    throw new SearchFault(`${nameOfField(field.reference)} ${wanted[family]}; "${value.slice(0, 60)}" is none.`, span.from, span.to);
  };
  switch (family) {
    case 'text':
      return { family, operator, value } as Comparison;
    case 'number':
      return { family, operator, value: numberOf(value, field.definition.unit) ?? refuse() } as Comparison;
    case 'timestamp':
      return { family, operator, value: parseTimestamp(value) ?? refuse() } as Comparison;
    case 'boolean':
      if (value !== 'true' && value !== 'false') return refuse();
      return { family, operator: 'equals', value: value === 'true' };
  }
}

const wanted = {
  text: 'takes a text, `~` before a part of it, or `*` for any characters',
  number: 'takes a number such as 400, >=400 or 400..499',
  timestamp: 'takes a time such as >=2026-01-31 or 2026-01-31T12:00Z',
  boolean: 'takes true or false',
} as const;

const milliseconds: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const numberForm = /^(?<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?<unit>ms|s|m|h|k|M)?$/;

/** A field of milliseconds takes `2s`; any other number `10k` and `2M`. */
function numberOf(text: string, unit: string | undefined): number | undefined {
  const { number = '', unit: given } = numberForm.exec(text)?.groups ?? {};
  if (number === '') return undefined;
  const factor = given === undefined ? 1 : unit === 'ms' ? milliseconds[given] : { k: 1000, M: 1_000_000 }[given];
  const value = factor === undefined ? Number.NaN : Number(number) * factor;
  return Number.isFinite(value) ? value : undefined;
}
