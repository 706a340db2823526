import { type OrganizationId, parseUuid, type RequestId, timeOfUuid, uuidToNumber } from '../../model/ids.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, type Param, param, type Query, sql } from '../../sql/sql.ts';
import { type DecodeRow, type Lane, type Statement, statementFor } from '../../sql/statement.ts';
import { bodies, requests } from '../../sql/tables.ts';
import { dateTime64, dateTimes } from '../../sql/time.ts';
import type { FilterNode } from '../filter/ast.ts';
import { createdAtBounds, compileFilter } from '../filter/sql/compile.ts';
import { afterKeyset, sortCellColumns } from './cursor.ts';
import { laneOfPage, soughtId } from './lane.ts';
import { joinsFor, orderBy, orderOf } from './order.ts';
import type { RequestsPlan } from './query.ts';
import type { RequestFlags, RequestSelection } from './selection.ts';
import { type Span, within } from './spans.ts';
import { bodiesRowColumns, decodeRequestRow, type NumberCell, requestRowColumns, requestRowWithInputs } from './columns.ts';

/** One or two statements; the last one searches everywhere. */
export type PageStatements = readonly [Statement, ...Statement[]];

/**
 * Statements for a page of `RequestRow`s, to run in order until one returns rows; when none does, the page is empty. There are two when
 * the filter demands one identifier that contains its time: the first reads exactly that place.
 */
export function pageStatements(plan: RequestsPlan): PageStatements {
  return pageOf(plan, plan.includeInputs ? requestRowWithInputs : requestRowColumns, { decode: decodeRequestRow });
}

/** The statement for the first `RequestRow`s of a page that arrived in a span of time. */
export function spanStatement(plan: RequestsPlan, span: Span, limit: number): Statement {
  const columns = plan.includeInputs ? requestRowWithInputs : requestRowColumns;
  return pageIn({ ...plan, limit }, columns, { decode: decodeRequestRow })(within(span));
}

/** As {@link pageStatements}, with the time alone, as `created_ms`. */
export function arrivalStatements(plan: RequestsPlan): PageStatements {
  return pageOf(plan, sql`toUnixTimestamp64Milli(created_at) AS created_ms`);
}

/** @param lane absent: by the cost of the page. */
interface PageReading {
  readonly decode?: DecodeRow;
  readonly lane?: Lane;
}

/** As {@link pageStatements}, with these columns. */
export function pageOf(plan: RequestsPlan, columns: Fragment, reading: PageReading = {}): PageStatements {
  const page = pageIn(plan, columns, reading);
  const time = timeOfSoughtId(plan.filter);
  return time === undefined ? [page([])] : [page([sql`created_at = ${dateTime64(time)}`]), page([])];
}

/** @returns the statement of a page among the requests within bounds of time. */
function pageIn(
  plan: RequestsPlan,
  columns: Fragment,
  { decode, lane = laneOfPage(plan) }: PageReading,
): (bounds: readonly Fragment[]) => Statement {
  const steps = plan.sort === 'random' ? [] : orderOf(plan.sort);
  const after = plan.after === undefined ? [] : [afterKeyset(steps, plan.after)];
  const clauses = {
    columns: [columns, ...sortCellColumns(steps)],
    orderBy: plan.sort === 'random' ? sql`rand64()` : orderBy(steps),
    limit: param(plan.limit, 'UInt64'),
    offset: param(plan.offset, 'UInt64'),
  };
  return (bounds) => {
    const where = [...conditionsOf(plan, bounds), ...bounds];
    const joins = joinsFor(steps, [...createdAtBounds(plan.filter), ...bounds]);
    if (joins.length === 0) return statementFor(plan.tenant, select({ ...clauses, from: requests([...where, ...after]) }), lane, decode);
    // TRICKY: a join reads from the filtered rows, and an asterisk omits their computed columns.
    const query = select({ columns: sql`*, id_text, org_text`, from: requests(where) });
    return statementFor(
      plan.tenant,
      select({ ...clauses, from: { kind: 'joined', query, as: 'records', joins }, where: after }),
      lane,
      decode,
    );
  };
}

/** The statement for the number of matching requests, as a {@link CountRow}. */
export function countStatement(selection: RequestSelection): Statement {
  return statementFor(selection.tenant, select({ columns: sql`count() AS total`, from: requests(conditionsOf(selection)) }), 'long');
}

export interface CountRow {
  readonly total: NumberCell;
}

/** @param span bounds of time that stand beside them. */
export function conditionsOf({ filter, flags }: RequestSelection, span: readonly Fragment[] = []): readonly Fragment[] {
  return [...flagConditions(flags), ...filterCondition(filter, span)];
}

/** The key of a record, which every row of a page has. */
export interface RequestKey {
  readonly id: string;
  readonly created_ms: NumberCell;
  /** Absent: the store looks it up. */
  readonly group_text?: string;
}

/**
 * Statements for the bodies of a page, in any order; a record may have none, and an empty page needs no statement. Hours, times and groups narrow
 * the read by the primary key, the identifiers decide: they are unique within an organisation. @param lane `long` for many bytes.
 */
export function bodiesStatements(
  tenant: OrganizationId,
  keys: readonly RequestKey[],
  lane: Lane = 'short',
  columns: Fragment = bodiesRowColumns,
): readonly Statement[] {
  if (keys.length === 0) return [];
  const times = dateTimes(keys.map(({ created_ms: ms }) => Number(ms)));
  const ids = param(
    keys.map(({ id }) => uuidToNumber(id as RequestId)),
    'Array(UInt128)',
  );
  const here = sql`created_at IN ${times} AND request_id IN ${ids}`;
  const from = bodies(here, [...hoursOf(keys), sql`body_group IN ${groupsOf(keys, here)}`]);
  return [statementFor(tenant, select({ columns, from }), lane)];
}

const hourSeconds = 3600;
/** The store's hours are those of a 32-bit time. */
const maxHour = 2 ** 32 - hourSeconds;

/** The hours of the keys, which the engine does not derive from their times to look them up in the order of the table. */
function hoursOf(keys: readonly RequestKey[]): readonly Fragment[] {
  const hours = [...new Set(keys.map(({ created_ms: ms }) => Math.floor(Number(ms) / 1000 / hourSeconds) * hourSeconds))];
  if (hours.some((hour) => hour < 0 || hour > maxHour)) return [];
  return [sql`toStartOfHour(created_at) IN ${param(hours, "Array(DateTime('UTC'))")}`];
}

function groupsOf(keys: readonly RequestKey[], here: Fragment): Param | Query {
  const groups = new Set(keys.map(({ group_text: group }) => group));
  if (groups.has(undefined)) return select({ columns: sql`body_group`, from: requests(here) });
  return param(
    [...groups].map((group) => BigInt(group ?? 0)),
    'Array(UInt64)',
  );
}

/**
 * The statement for the `RequestRow`s of these identifiers, in any order. `own time`: only identifiers that contain their time, searched
 * there. @returns undefined when there is nothing to search.
 */
export function requestsByIdStatement(
  tenant: OrganizationId,
  ids: readonly RequestId[],
  scope: 'own time' | 'anywhere',
): Statement | undefined {
  const times = new Map(ids.map((id) => [id, timeOfUuid(id)]));
  const sought = scope === 'anywhere' ? ids : ids.filter((id) => times.get(id) !== undefined);
  if (sought.length === 0) return undefined;
  const numbers = param(sought.map(uuidToNumber), 'Array(UInt128)');
  const own = dateTimes([...times.values()].filter((time) => time !== undefined));
  const here = sql`created_at IN ${own} AND request_id IN ${numbers}`;
  const from = requests(scope === 'anywhere' ? sql`request_id IN ${numbers}` : here);
  return statementFor(tenant, select({ columns: requestRowColumns, from }), 'short', decodeRequestRow);
}

function filterCondition(filter: FilterNode, span: readonly Fragment[]): readonly Fragment[] {
  return filter.kind === 'all' ? [] : [compileFilter(filter, [], span)];
}

const isScored: Fragment = sql`(notEmpty(scores) OR feedback_rating IS NOT NULL)`;

function flagConditions({ cached, scored, inExperiment, unscored }: RequestFlags): readonly Fragment[] {
  return [
    ...(cached ? [sql`cached`] : []),
    ...(scored ? [isScored] : []),
    ...(unscored === true ? [sql`NOT ${isScored}`] : []),
    ...(inExperiment ? [sql`experiment_id != ''`] : []),
  ];
}

/** The time in the one identifier that the whole filter demands, if that is a UUIDv7. */
function timeOfSoughtId(filter: FilterNode): number | undefined {
  const sought = soughtId(filter);
  const id = sought === undefined ? undefined : parseUuid(sought);
  return id === undefined ? undefined : timeOfUuid(id);
}
