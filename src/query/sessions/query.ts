import { type Result, success } from '../../model/fault.ts';
import type { SessionNameQuery, SessionQuery } from '../../contract/sessions/query.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { wellFormed } from '../../model/text.ts';
import type { TextOperator } from '../../model/vocabulary/operators.ts';
import { allOf, anyOf, condition, type ConditionNode, everything, type FilterNode } from '../filter/ast.ts';
import { filterWrappers, type FilterDialect } from '../filter/leaf.ts';
import { parseFilter } from '../filter/parse.ts';
import { clampTime } from '../../model/vocabulary/timestamp.ts';
import { parseSessionCursor } from './cursor.ts';
import { parseSessionSort, type SessionPosition, type SessionSortTerm } from './order.ts';
import type { ArrivalRange, SessionSelection } from './selection.ts';

/** A session query bound to its tenant. */
export interface SessionsPlan extends SessionSelection {
  readonly sort: readonly SessionSortTerm[];
  /** The last session of the previous page; undefined for the first page. */
  readonly after: SessionPosition | undefined;
  readonly offset: number;
  readonly limit: number;
  /** Minutes east of UTC, for times in the response. */
  readonly offsetMinutes: number;
}

/** Values in a histogram: a share of the smallest, or those near the quartiles. */
export type Tail = 'interquartile' | NonNullable<SessionNameQuery['pSize']>;

/** A query of session names or metrics, bound to its tenant. */
export interface SessionNamesPlan extends SessionSelection {
  readonly offsetMinutes: number;
  readonly tail: Tail;
}

export const sessionDialect: FilterDialect = { wrappers: filterWrappers, unwrappedProperties: 'refuse', propertyWrapper: 'session' };

/** @returns the first fault in the filter or cursor, when there is one. */
export function planSessions(tenant: OrganizationId, body: SessionQuery): Result<SessionsPlan> {
  const { search = '', nameEquals } = body;
  const parsed = selectionOf(tenant, body, [
    search === ''
      ? everything
      : anyOf([ofSession('session_session_id', 'contains', search), ofSession('session_session_name', 'contains', search)]),
    nameEquals === undefined ? everything : ofSession('session_session_name', 'equals', nameEquals),
  ]);
  if (!parsed.ok) return parsed;
  const sort = parseSessionSort(body.sort);
  if (!sort.ok) return sort;
  const sorted = { ...parsed.value, sort: sort.value };
  const after = body.cursor === undefined ? success(undefined) : parseSessionCursor(body.cursor, sorted);
  if (!after.ok) return after;
  return success({
    ...sorted,
    after: after.value,
    offset: after.value === undefined ? (body.offset ?? 0) : 0,
    limit: body.limit ?? 50,
    offsetMinutes: offsetMinutesOf(body.timezoneDifference ?? 0),
  });
}

/** @returns the first fault in the filter, when there is one. */
export function planSessionNames(tenant: OrganizationId, body: SessionNameQuery): Result<SessionNamesPlan> {
  const { nameContains = '', pSize = 'p75', useInterquartile, timezoneDifference = 0 } = body;
  const named = nameContains === '' ? everything : ofSession('session_session_name', 'contains', nameContains);
  const parsed = selectionOf(tenant, body, [named]);
  if (!parsed.ok) return parsed;
  const tail = useInterquartile === true ? 'interquartile' : pSize;
  return success({ ...parsed.value, offsetMinutes: offsetMinutesOf(timezoneDifference), tail });
}

type SelectionFields = Pick<SessionQuery, 'filter' | 'timeFilter' | 'startTimeUnixMs' | 'endTimeUnixMs'>;

function selectionOf(tenant: OrganizationId, body: SelectionFields, more: readonly FilterNode[]): Result<SessionSelection> {
  const parsed = parseFilter(body.filter === undefined ? {} : body.filter, sessionDialect);
  if (!parsed.ok) return parsed;
  return success({ tenant, range: rangeOf(body.timeFilter ?? body), filter: allOf([...more, parsed.value.filter]) });
}

/** The filter for the fields `search`, `nameEquals` and `nameContains`. */
function ofSession(field: 'session_session_id' | 'session_session_name', operator: TextOperator, value: string): ConditionNode {
  return condition({ group: 'sessions_request_response_rmt', field }, { family: 'text', operator, value: wellFormed(value) });
}

/** Bounds between two milliseconds move inside the range. */
function rangeOf({ startTimeUnixMs: from, endTimeUnixMs: to }: Pick<SelectionFields, 'startTimeUnixMs' | 'endTimeUnixMs'>): ArrivalRange {
  return {
    from: from === undefined ? undefined : clampTime(Math.ceil(from)),
    to: to === undefined ? undefined : clampTime(Math.floor(to)),
  };
}

const maxHours = 24;

/** Up to 24 it is hours, as in the contract; more is minutes, as upstream's dashboard sends them. */
function offsetMinutesOf(timezoneDifference: number): number {
  return Math.round(Math.abs(timezoneDifference) <= maxHours ? timezoneDifference * 60 : timezoneDifference);
}
