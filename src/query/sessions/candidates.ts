import { select } from '../../sql/query.ts';
import { type Fragment, join, param, sql } from '../../sql/sql.ts';
import { requests } from '../../sql/tables.ts';
import type { ConditionNode, FilterNode } from '../filter/ast.ts';
import { compareColumn } from '../filter/sql/compile-text.ts';

/** Maximum sessions in a list of candidates; beyond it a scan of all is faster. */
const maxCandidates = 500;

/**
 * A condition that one request of every matching session satisfies; undefined when none is known. A session has the name of one of its
 * requests, so a search for a name starts with requests of that name.
 */
export function neededOfRequest(filter: FilterNode): Fragment | undefined {
  switch (filter.kind) {
    case 'all':
      return undefined;
    case 'condition':
      return neededByCondition(filter);
    case 'and': {
      const known = filter.operands.flatMap((operand) => neededOfRequest(operand) ?? []);
      return known.length === 0 ? undefined : sql`(${join(known, ' AND ')})`;
    }
    case 'or': {
      const known = filter.operands.flatMap((operand) => neededOfRequest(operand) ?? []);
      return known.length < filter.operands.length ? undefined : sql`(${join(known, ' OR ')})`;
    }
  }
}

const columns: Readonly<Record<string, Fragment>> = { session_session_id: sql`session_id`, session_session_name: sql`session_name` };

/** For operators that an empty text never matches, one request contains the session's text. */
function neededByCondition(node: ConditionNode): Fragment | undefined {
  if (node.group !== 'sessions_request_response_rmt' || node.family !== 'text') return undefined;
  const column = columns[node.field];
  const { operator, value } = node;
  const isPositive = operator === 'equals' ? value !== '' : operator === 'contains' || operator === 'like' || operator === 'ilike';
  return column !== undefined && isPositive ? compareColumn(column, { operator, value }) : undefined;
}

/** The list of candidate sessions, named `candidates`. */
export function candidateList(inRange: readonly Fragment[], needed: Fragment): Fragment {
  const some = select({
    distinct: true,
    columns: sql`session_id`,
    from: requests([...inRange, needed]),
    // One more than the maximum shows that the list is truncated.
    limit: param(maxCandidates + 1, 'UInt64'),
  });
  return sql`${select({ columns: sql`groupArray(session_id)`, from: some })} AS candidates`;
}

/**
 * Whether a row's session is a candidate, or the list is too long. TRICKY: the engine scans an array behind IN for every row, but makes a
 * set of a SELECT.
 */
export const isCandidate: Fragment = sql`(length(candidates) > ${param(maxCandidates, 'UInt64')} OR session_id IN ${select({ columns: sql`arrayJoin(candidates)` })})`;
