import type { FieldGroup, MapWrapper } from '../../model/vocabulary/fields.ts';
import type { BooleanOperator, NumberOperator, TextOperator, TimestampOperator } from '../../model/vocabulary/operators.ts';

/** Matches every record: what `{}` and `"all"` say. */
export interface AllNode {
  readonly kind: 'all';
}

/** Two or more operands under one operator. Invariant: no operand has the branch's own kind, none is `all`, so the tree is as flat as it can be. */
export interface BranchNode {
  readonly kind: 'and' | 'or';
  readonly operands: readonly FilterNode[];
}

/** Which field a condition reads; `name` is the property's or score's name where the field is a map of names. A map wrapper is its own field. */
export interface FieldReference {
  readonly group: FieldGroup | MapWrapper;
  readonly field: string;
  readonly name?: string;
}

/** An operator with its value, typed by the field's family. A timestamp is Unix milliseconds; `key` asks whether a name is present. */
export type Comparison =
  | { readonly family: 'text'; readonly operator: TextOperator; readonly value: string }
  | { readonly family: 'number'; readonly operator: NumberOperator; readonly value: number }
  | { readonly family: 'timestamp'; readonly operator: TimestampOperator; readonly value: number }
  | { readonly family: 'boolean'; readonly operator: BooleanOperator; readonly value: boolean }
  | { readonly family: 'key'; readonly operator: 'equals'; readonly value: string };

/** One leaf of the filter. */
export type ConditionNode = FieldReference & { readonly kind: 'condition' } & Comparison;

/** A parsed and checked filter: frozen plain nodes. */
export type FilterNode = AllNode | BranchNode | ConditionNode;

/** The one node that matches every record. */
export const everything: AllNode = Object.freeze({ kind: 'all' });

/** A condition on a field. */
export function condition(reference: FieldReference, comparison: Comparison): ConditionNode {
  return Object.freeze({ kind: 'condition', ...reference, ...comparison });
}

/** The records that match every operand. Nested `and`s become one. */
export function allOf(operands: readonly FilterNode[]): FilterNode {
  return (
    branch(
      'and',
      operands.filter(({ kind }) => kind !== 'all'),
    ) ?? everything
  );
}

/** The records that match at least one of the operands. Nested `or`s become one. */
export function anyOf(operands: readonly [FilterNode, ...FilterNode[]]): FilterNode {
  return operands.some(({ kind }) => kind === 'all') ? everything : (branch('or', operands) ?? everything);
}

/** The operands that all have to hold: of an `and` its own, of anything else itself. */
export function conjuncts(filter: FilterNode): readonly FilterNode[] {
  return filter.kind === 'and' ? filter.operands : [filter];
}

/** All conditions of a filter. */
export function conditionsIn(filter: FilterNode): readonly ConditionNode[] {
  if ('operands' in filter) return filter.operands.flatMap(conditionsIn);
  return filter.kind === 'condition' ? [filter] : [];
}

function branch(kind: BranchNode['kind'], operands: readonly FilterNode[]): FilterNode | undefined {
  const flat = operands.flatMap((operand) => (operand.kind === kind ? operand.operands : [operand]));
  return flat.length < 2 ? flat[0] : Object.freeze({ kind, operands: Object.freeze(flat) });
}
