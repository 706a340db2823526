import { type FieldDefinition, fieldGroups, type FieldGroup, mapWrappers, type MapWrapper } from '../../model/vocabulary/fields.ts';
import type { BooleanOperator, NumberOperator, TextOperator, TimestampOperator } from '../../model/vocabulary/operators.ts';

/** Matches every record: `{}` and `"all"`. */
export interface AllNode {
  readonly kind: 'all';
}

/**
 * Two or more operands under one operator. Invariant: no operand has the branch's own kind and none is `all`, so the tree is as flat as
 * possible.
 */
export interface BranchNode {
  readonly kind: 'and' | 'or';
  readonly operands: readonly FilterNode[];
}

/** The field of a condition; `name` is the property's or score's name where the field is a map. A map wrapper is its own field. */
export interface FieldReference {
  readonly group: FieldGroup | MapWrapper;
  readonly field: string;
  readonly name?: string;
}

/** An operator with its value, typed by the field's family. A timestamp is Unix milliseconds; `key` tests whether a name is present. */
export type Comparison =
  | { readonly family: 'text'; readonly operator: TextOperator; readonly value: string }
  | { readonly family: 'number'; readonly operator: NumberOperator; readonly value: number }
  | { readonly family: 'timestamp'; readonly operator: TimestampOperator; readonly value: number }
  | { readonly family: 'boolean'; readonly operator: BooleanOperator; readonly value: boolean }
  | { readonly family: 'key'; readonly operator: 'equals'; readonly value: string };

export type ConditionNode = FieldReference & { readonly kind: 'condition' } & Comparison;

export type TextCondition = Extract<ConditionNode, { readonly family: 'text' }>;

/** A parsed and checked filter of frozen plain nodes. */
export type FilterNode = AllNode | BranchNode | ConditionNode;

export const everything: AllNode = Object.freeze({ kind: 'all' });

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

/** The records that match at least one operand. Nested `or`s become one. */
export function anyOf(operands: readonly [FilterNode, ...FilterNode[]]): FilterNode {
  return operands.some(({ kind }) => kind === 'all') ? everything : (branch('or', operands) ?? everything);
}

/** The operands that must all hold: those of an `and`, else the node itself. */
export function conjuncts(filter: FilterNode): readonly FilterNode[] {
  return filter.kind === 'and' ? filter.operands : [filter];
}

export function conditionsIn(filter: FilterNode): readonly ConditionNode[] {
  if ('operands' in filter) return filter.operands.flatMap(conditionsIn);
  return filter.kind === 'condition' ? [filter] : [];
}

const definitions: Readonly<Record<string, Readonly<Record<string, FieldDefinition>>>> = { ...fieldGroups, values: mapWrappers };

/** @throws TypeError for an unchecked field: a fault in our own code. */
export function definitionOf({ group, field }: FieldReference): FieldDefinition {
  const definition = definitions[group]?.[field];
  if (definition === undefined) throw new TypeError(`The field ${field} was not checked.`);
  return definition;
}

/** The name in a condition on a map. @throws TypeError without one: a fault in our own code. */
export function nameOf({ name }: FieldReference): string {
  if (name === undefined) throw new TypeError('A condition on a map of names has a name.');
  return name;
}

function branch(kind: BranchNode['kind'], operands: readonly FilterNode[]): FilterNode | undefined {
  const flat = operands.flatMap((operand) => (operand.kind === kind ? operand.operands : [operand]));
  return flat.length < 2 ? flat[0] : Object.freeze({ kind, operands: Object.freeze(flat) });
}
