import type { FilterNode } from '../filter/ast.ts';

/** A filter as the API takes it. */
export function filterJson(node: FilterNode): unknown {
  if (node.kind === 'all') return 'all';
  if (node.kind !== 'condition') return joined(node.kind, node.operands.map(filterJson));
  const { group, field, name, operator, family, value } = node;
  const keys = group === 'values' ? [group] : [group, field];
  const operand = family === 'timestamp' ? new Date(value).toISOString() : value;
  return nested([...keys, ...(name === undefined ? [] : [name]), operator], operand);
}

/** A balanced tree, because the depth of a filter is limited. */
function joined(operator: 'and' | 'or', operands: readonly unknown[]): unknown {
  if (operands.length < 2) return operands[0];
  const middle = Math.ceil(operands.length / 2);
  return { left: joined(operator, operands.slice(0, middle)), operator, right: joined(operator, operands.slice(middle)) };
}

/** TRICKY: a property may have any name, `__proto__` too, which a plain assignment would lose. */
function nested(keys: readonly string[], value: unknown): unknown {
  return keys.reduceRight<unknown>((inner, key) => Object.fromEntries([[key, inner]]), value);
}
