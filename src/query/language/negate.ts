import { allOf, anyOf, type Comparison, condition, type ConditionNode, type FilterNode } from '../filter/ast.ts';

/**
 * The denial of a node. Of a record without the value, neither a comparison nor its denial holds, but for texts. @returns undefined where
 * the grammar of filters has none.
 */
export function negated(node: FilterNode): FilterNode | undefined {
  if (node.kind === 'all') return undefined;
  if (node.kind === 'condition') return negatedCondition(node);
  const [first, ...others] = node.operands.map(negated);
  const known = others.filter((one) => one !== undefined);
  if (first === undefined || known.length < others.length) return undefined;
  return node.kind === 'and' ? anyOf([first, ...known]) : allOf([first, ...known]);
}

const opposites = {
  equals: 'not-equals',
  'not-equals': 'equals',
  contains: 'not-contains',
  'not-contains': 'contains',
  gte: 'lt',
  lt: 'gte',
  gt: 'lte',
  lte: 'gt',
} as const;

function negatedCondition(node: ConditionNode): FilterNode | undefined {
  const { family, operator, value } = node;
  if (family === 'key' || operator === 'like' || operator === 'ilike') return undefined;
  if (family === 'boolean') return comparedWith(node, { family, operator, value: !value });
  if (family === 'timestamp' && operator === 'equals') {
    return anyOf([comparedWith(node, { family, operator: 'lt', value }), comparedWith(node, { family, operator: 'gt', value })]);
  }
  return comparedWith(node, { family, operator: opposites[operator], value } as Comparison);
}

function comparedWith({ group, field, name }: ConditionNode, comparison: Comparison): ConditionNode {
  return condition({ group, field, ...(name === undefined ? {} : { name }) }, comparison);
}
