import type { Lane } from '../sql/statement.ts';
import { type ConditionNode, conjuncts, type FilterNode } from './filter/ast.ts';
import { isArrivalBound, isExpensive } from './filter/sql/compile.ts';
import type { RequestsPlan } from './requests/query.ts';

/** Rows that a page in the order of the key goes through at most, those before its offset with it, and still counts as quick. */
const maxRowsInPassing = 2000;

/**
 * Which connections run a page. `short` is for what finds its rows by the key and looks at few others, so that it is never long: one request by its
 * identifier, and the next rows in the order in which they lie. Any other condition may go through the whole history before it finds as many as the page
 * holds, and any other order has to.
 */
export function laneOfPage({ filter, flags, sort, limit, offset }: RequestsPlan): Lane {
  if (isExpensive(filter)) return 'long';
  if (soughtId(filter) !== undefined) return 'short';
  const isPlain = conjuncts(filter).every((operand) => operand.kind === 'all' || isArrivalBound(operand));
  const hasFlags = Object.values(flags).includes(true);
  const isInKeyOrder = sort !== 'random' && sort.every(({ key }) => key === 'created_at');
  return isPlain && !hasFlags && isInKeyOrder && offset + limit <= maxRowsInPassing ? 'short' : 'long';
}

/** The text to which the whole filter holds the identifier. */
export function soughtId(filter: FilterNode): string | undefined {
  return conjuncts(filter).find(isIdEquality)?.value;
}

function isIdEquality(node: FilterNode): node is ConditionNode & { family: 'text' } {
  return node.kind === 'condition' && node.family === 'text' && node.operator === 'equals' && isIdentifier(node);
}

/** The identifier by the one name or the other. */
function isIdentifier({ group, field }: ConditionNode): boolean {
  return (group === 'request_response_rmt' && field === 'request_id') || (group === 'request' && field === 'id');
}
