import type { Lane } from '../../sql/statement.ts';
import { type ConditionNode, conjuncts, type FilterNode } from '../filter/ast.ts';
import { isArrivalBound, isExpensive } from '../filter/sql/compile.ts';
import type { RequestsPlan } from './query.ts';

/** Rows that a page in key order may pass, its offset included, and still count as quick. */
const maxRowsInPassing = 2000;

/**
 * The lane of a page. `short` is for pages that find their rows by the key and read few others: one request by its identifier, or the next
 * rows in key order. Any other condition may scan the whole history before the page is full, and any other order must.
 */
export function laneOfPage({ filter, flags, sort, limit, offset }: RequestsPlan): Lane {
  if (isExpensive(filter)) return 'long';
  if (soughtId(filter) !== undefined) return 'short';
  const isPlain = conjuncts(filter).every((operand) => operand.kind === 'all' || isArrivalBound(operand));
  const hasFlags = Object.values(flags).includes(true);
  const isInKeyOrder = sort !== 'random' && sort.every(({ key }) => key === 'created_at');
  return isPlain && !hasFlags && isInKeyOrder && offset + limit <= maxRowsInPassing ? 'short' : 'long';
}

/** The identifier that the whole filter demands. */
export function soughtId(filter: FilterNode): string | undefined {
  return conjuncts(filter).find(isIdEquality)?.value;
}

function isIdEquality(node: FilterNode): node is ConditionNode & { family: 'text' } {
  return node.kind === 'condition' && node.family === 'text' && node.operator === 'equals' && isIdentifier(node);
}

/** Either name of the identifier. */
function isIdentifier({ group, field }: ConditionNode): boolean {
  return (group === 'request_response_rmt' && field === 'request_id') || (group === 'request' && field === 'id');
}
