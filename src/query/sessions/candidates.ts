import { select } from '../../sql/query.ts';
import { type Fragment, join, param, sql } from '../../sql/sql.ts';
import { requests } from '../../sql/tables.ts';
import type { ConditionNode, FilterNode } from '../filter/ast.ts';
import { compareColumn } from '../filter/sql/compile-text.ts';

/** Sessions that are looked up by a list; of more it is quicker to go through all. */
const maxCandidates = 500;

/**
 * What one request of every session has to meet for which the filter holds; undefined when nothing is known. A session has the name of one of
 * its requests, so that to search for a name means to search for requests with it first.
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

/** An operator that an empty text never meets: then the text of the session stands in one of its requests. */
function neededByCondition(node: ConditionNode): Fragment | undefined {
  if (node.group !== 'sessions_request_response_rmt' || node.family !== 'text') return undefined;
  const column = columns[node.field];
  const { operator, value } = node;
  const isPositive = operator === 'equals' ? value !== '' : operator === 'contains' || operator === 'like' || operator === 'ilike';
  return column !== undefined && isPositive ? compareColumn(column, { operator, value }) : undefined;
}

/** A list of the sessions that come into question, under the name `candidates`. */
export function candidateList(inRange: readonly Fragment[], needed: Fragment): Fragment {
  const some = select({
    distinct: true,
    columns: sql`session_id`,
    from: requests([...inRange, needed]),
    // One more than the maximum, so that a full list is known to be cut.
    limit: param(maxCandidates + 1, 'UInt64'),
  });
  return sql`${select({ columns: sql`groupArray(session_id)`, from: some })} AS candidates`;
}

/**
 * Whether a row's session is on the list, or the list is too long to be one.
 * TRICKY: an array behind IN is gone through for every row; what a SELECT gives there is a set.
 */
export const isCandidate: Fragment = sql`(length(candidates) > ${param(maxCandidates, 'UInt64')} OR session_id IN ${select({ columns: sql`arrayJoin(candidates)` })})`;
