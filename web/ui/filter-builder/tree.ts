import type { OperatorFamily } from '../../../src/model/vocabulary/operators.ts';
import {
  allOf,
  anyOf,
  type Comparison,
  condition,
  type ConditionNode,
  everything,
  type FilterNode,
} from '../../../src/query/filter/ast.ts';
import { searchedText, textSearch } from '../../../src/query/language/conditions.ts';
import { fieldNamed, nameOfField, presence } from '../../../src/query/language/fields.ts';
import { numberOf } from '../form/number-field.tsx';

/** A condition as a form has it. The field `text` is a text anywhere in the bodies, `has` a property that is there. */
export interface RowNode {
  readonly kind: 'row';
  readonly id: number;
  readonly field: string;
  readonly operator: string;
  readonly value: string;
  /** An empty value is meant, and not one that is still missing. */
  readonly isEmptyMeant?: boolean;
}

export interface GroupNode {
  readonly kind: 'group';
  readonly id: number;
  readonly joiner: 'and' | 'or';
  readonly items: readonly TreeNode[];
}

export type TreeNode = RowNode | GroupNode;

/** The field of a text anywhere in the bodies. */
const anyText = 'text';

const operators: Readonly<Record<OperatorFamily, Readonly<Record<string, string>>>> = {
  text: {
    equals: 'is',
    'not-equals': 'is not',
    contains: 'contains',
    'not-contains': 'does not contain',
    ilike: 'is like (any case)',
    like: 'is like',
  },
  number: { equals: 'is', 'not-equals': 'is not', gte: 'is at least', gt: 'is over', lte: 'is at most', lt: 'is under' },
  timestamp: { equals: 'is', gte: 'is at or after', gt: 'is after', lte: 'is at or before', lt: 'is before' },
  boolean: { equals: 'is' },
};

export function familyOf(field: string): OperatorFamily {
  return field === anyText || field === presence || field.trim() === '' ? 'text' : fieldNamed(field.trim()).definition.family;
}

/** The operators of a field with their words. */
export function operatorsOf(field: string): Readonly<Record<string, string>> {
  if (field === anyText) return { contains: 'contains' };
  return field === presence ? { equals: 'the property' } : operators[familyOf(field)];
}

let ids = 0;

function newId(): number {
  ids += 1;
  return ids;
}

export function emptyRow(): RowNode {
  return { kind: 'row', id: newId(), field: 'model', operator: 'equals', value: '' };
}

export function emptyGroup(joiner: GroupNode['joiner']): GroupNode {
  return { kind: 'group', id: newId(), joiner, items: [emptyRow()] };
}

/** A filter as a group: of a single condition, a group of one. */
export function groupOf(filter: FilterNode): GroupNode {
  const node = treeOf(filter);
  if (node === undefined) return { kind: 'group', id: newId(), joiner: 'and', items: [] };
  return node.kind === 'group' ? node : { kind: 'group', id: newId(), joiner: 'and', items: [node] };
}

function treeOf(filter: FilterNode): TreeNode | undefined {
  if (filter.kind === 'all') return undefined;
  if (filter.kind === 'condition') return rowOf(filter);
  const text = searchedText(filter);
  if (text !== undefined) return { kind: 'row', id: newId(), field: anyText, operator: 'contains', value: text };
  return { kind: 'group', id: newId(), joiner: filter.kind, items: filter.operands.map(treeOf).filter((node) => node !== undefined) };
}

function rowOf(node: ConditionNode): RowNode {
  if (node.family === 'key') return { kind: 'row', id: newId(), field: presence, operator: 'equals', value: node.value };
  const name = nameOfField(node);
  const value = node.family === 'timestamp' ? new Date(node.value).toISOString() : String(node.value);
  return {
    kind: 'row',
    id: newId(),
    field: name === anyText ? `properties.${name}` : name,
    operator: node.operator,
    value,
    isEmptyMeant: value === '',
  };
}

/** The filter of a tree; rows that are not complete are left out. */
export function filterOf(node: TreeNode): FilterNode {
  if (node.kind === 'row') return conditionOf(node) ?? everything;
  const operands = node.items.map(filterOf).filter(({ kind }) => kind !== 'all');
  const [first, ...others] = operands;
  if (first === undefined) return everything;
  return node.joiner === 'and' ? allOf(operands) : anyOf([first, ...others]);
}

/** @returns undefined where something is missing or wrong. */
export function conditionOf({ field, operator, value, isEmptyMeant = false }: RowNode): FilterNode | undefined {
  const name = field.trim();
  if (name === '' || (value === '' && !isEmptyMeant) || !Object.hasOwn(operatorsOf(name), operator)) return undefined;
  if (name === anyText) return textSearch(value);
  if (name === presence) {
    const reference = { group: 'request_response_rmt', field: 'property_key' } as const;
    return condition(reference, { family: 'key', operator: 'equals', value });
  }
  const { reference, definition } = fieldNamed(name);
  if (reference.name === '') return undefined;
  const parsed = valueOf(definition.family, value);
  return parsed === undefined ? undefined : condition(reference, { family: definition.family, operator, value: parsed } as Comparison);
}

function valueOf(family: OperatorFamily, text: string): string | number | boolean | undefined {
  switch (family) {
    case 'text':
      return text;
    case 'number':
      return numberOf(text);
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'timestamp': {
      const time = Date.parse(text);
      return Number.isNaN(time) ? undefined : time;
    }
  }
}
