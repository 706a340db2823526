import { type FaultPath, filterFault, type Result, success } from '../../model/fault.ts';
import type { FieldDefinition } from '../../model/vocabulary/fields.ts';
import {
  type BooleanOperator,
  familyValueHints,
  type NumberOperator,
  operatorFamilies,
  type OperatorFamily,
  type TextOperator,
  type TimestampOperator,
} from '../../model/vocabulary/operators.ts';
import { wellFormed } from '../../model/text.ts';
import { maxFilterValue, overlongName } from '../../model/vocabulary/limits.ts';
import { endsInOpenEscape, maxLikePattern } from '../../sql/like.ts';
import type { Comparison } from './ast.ts';
import { code, preview } from './preview.ts';
import { parseTimestamp } from '../../model/vocabulary/timestamp.ts';

/** An unchecked comparison: the field with its definition, and the caller's operator and value. */
export interface RawComparison {
  readonly label: string;
  readonly definition: FieldDefinition;
  readonly operator: string;
  readonly value: unknown;
  /** Path of the operator. */
  readonly path: FaultPath;
}

/** Checks that the operator belongs to the field's family and that the value fits. */
export function checkComparison(raw: RawComparison): Result<Comparison> {
  const { definition, operator } = raw;
  if (definition.shape === 'key') return operator === 'equals' ? keyComparison(raw) : foreignOperator(raw, ['equals']);
  const known: readonly string[] = operatorFamilies[definition.family];
  if (!known.includes(operator)) return foreignOperator(raw, known);
  switch (definition.family) {
    case 'text':
      return textComparison(raw);
    case 'number': {
      const value = numberIn(raw);
      return value === undefined ? wrongValue(raw, 'number') : success({ family: 'number', operator: operator as NumberOperator, value });
    }
    case 'timestamp': {
      const value = parseTimestamp(raw.value);
      if (value === undefined) return wrongValue(raw, 'timestamp');
      return success({ family: 'timestamp', operator: operator as TimestampOperator, value });
    }
    case 'boolean':
      return typeof raw.value === 'boolean'
        ? success({ family: 'boolean', operator: operator as BooleanOperator, value: raw.value })
        : wrongValue(raw, 'boolean');
  }
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Older clients send a score's value as text. */
function numberIn({ definition, value }: RawComparison): number | undefined {
  const number = definition.shape === 'map' && typeof value === 'string' && jsonNumber.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function keyComparison(raw: RawComparison): Result<Comparison> {
  if (typeof raw.value !== 'string') return wrongValue(raw, 'text');
  const overlong = overlongName(raw.label, raw.value);
  if (overlong !== undefined) return filterFault(raw.path, overlong);
  return success({ family: 'key', operator: 'equals', value: wellFormed(raw.value) });
}

function textComparison(raw: RawComparison): Result<Comparison> {
  const { operator, value, path } = raw;
  if (typeof value !== 'string') return wrongValue(raw, 'text');
  if (value.length > maxFilterValue) {
    return filterFault(path, `A value has at most ${maxFilterValue} characters; this one has ${value.length}.`);
  }
  if (isPattern(raw)) {
    if (endsInOpenEscape(value)) {
      return filterFault(
        path,
        'The pattern ends in a lone backslash. Write two backslashes for one, or use `contains`, where nothing is special.',
      );
    }
    if (value.length > maxLikePattern) {
      return filterFault(
        path,
        `A pattern has at most ${maxLikePattern} characters; this one has ${value.length}. Use \`contains\` for long texts.`,
      );
    }
  }
  return success({ family: 'text', operator: operator as TextOperator, value: wellFormed(value) });
}

/** TRICKY: `equals` of a search property is a pattern too. */
function isPattern({ operator, definition }: RawComparison): boolean {
  return operator === 'like' || operator === 'ilike' || (operator === 'equals' && definition.equalsIsPattern === true);
}

function foreignOperator({ label, operator, path }: RawComparison, known: readonly string[]): Result<never> {
  return filterFault(path, `${code(label)} takes ${known.join(', ')}; got ${code(operator)}.`);
}

function wrongValue({ label, operator, value, path }: RawComparison, family: OperatorFamily): Result<never> {
  return filterFault(path, `${code(operator)} on ${code(label)} takes ${familyValueHints[family]}; got ${preview(value)}.`);
}
