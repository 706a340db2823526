import { type OrganizationId, type RequestId, uuidToNumber } from '../../model/ids.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, param, sql } from '../../sql/sql.ts';
import { type Lane, type Statement, statementFor } from '../../sql/statement.ts';
import { requests } from '../../sql/tables.ts';
import { dateTime64, dateTimes } from '../../sql/time.ts';
import type { FilterNode } from '../filter/ast.ts';
import { compileFilter } from '../filter/sql/compile.ts';
import { decodeRequestRow, type NumberCell, requestRowColumns, requestRowWithInputs, type RequestRow } from '../requests/columns.ts';

/** A row of a page with what only filters read. Whole numbers of any size are exact. */
export interface StreamRow extends RequestRow {
  readonly stored_number: number;
  readonly key_hash: string;
}

/** Numbers in the order of storage, exclusive and inclusive. */
export interface StoredRange {
  readonly after: number;
  readonly through: number;
}

/** Times of records, Unix milliseconds, both inclusive. */
export interface Arrivals {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The number of records in a range and their times. */
export interface RangeRow {
  readonly total: NumberCell;
  readonly from_ms: NumberCell;
  readonly to_ms: NumberCell;
}

/** The statement for a {@link RangeRow}. */
export function rangeStatement(tenant: OrganizationId, range: StoredRange): Statement {
  const times = sql`toUnixTimestamp64Milli(min(created_at)) AS from_ms, toUnixTimestamp64Milli(max(created_at)) AS to_ms`;
  return statementFor(tenant, select({ columns: sql`count() AS total, ${times}`, from: requests(within(range)) }), 'export');
}

export interface StreamPage {
  readonly range: StoredRange;
  /** Of all records in the range, by which the store finds them; undefined: not known. */
  readonly arrivals: Arrivals | undefined;
  readonly filter: FilterNode;
  readonly limit: number;
  /** A filter reads them. */
  readonly withInputs: boolean;
  readonly lane: Lane;
}

/** The statement for the next {@link StreamRow}s, in the order of storage. */
export function streamStatement(tenant: OrganizationId, { range, arrivals, filter, limit, withInputs, lane }: StreamPage): Statement {
  const times = arrivals === undefined ? [] : [between(arrivals)];
  const matching = filter.kind === 'all' ? [] : [compileFilter(filter, times)];
  const query = select({
    columns: sql`${withInputs ? requestRowWithInputs : requestRowColumns}, stored_number, key_hash`,
    from: requests([...times, ...within(range), ...matching]),
    orderBy: sql`stored_number`,
    limit: param(limit, 'UInt64'),
  });
  return statementFor(tenant, query, lane, decodeStreamRow);
}

/** The statement for the {@link StreamRow}s of requests whose times are known, in any order. */
export function requestRowsStatement(
  tenant: OrganizationId,
  keys: readonly { readonly requestId: RequestId; readonly createdAt: number }[],
  withInputs: boolean,
): Statement {
  const times = dateTimes([...new Set(keys.map(({ createdAt }) => createdAt))]);
  const ids = param(
    keys.map(({ requestId }) => uuidToNumber(requestId)),
    'Array(UInt128)',
  );
  const query = select({
    columns: sql`${withInputs ? requestRowWithInputs : requestRowColumns}, stored_number, key_hash`,
    from: requests(sql`created_at IN ${times} AND request_id IN ${ids}`),
  });
  return statementFor(tenant, query, 'short', decodeStreamRow);
}

function within({ after, through }: StoredRange): readonly Fragment[] {
  return [sql`stored_number > ${param(after, 'UInt64')}`, sql`stored_number <= ${param(through, 'UInt64')}`];
}

function between({ fromMs, toMs }: Arrivals): Fragment {
  return sql`created_at >= ${dateTime64(fromMs)} AND created_at <= ${dateTime64(toMs)}`;
}

/** A text, or a whole number that is too large for a JavaScript number to be exact. */
const textOrLongNumber = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g;

function decodeStreamRow(row: Readonly<Record<string, unknown>>, tenant: OrganizationId): RequestRow {
  const display = String(row['display']);
  if (!/\d{16}/.test(display)) return decodeRequestRow(row, tenant);
  return decodeRequestRow(
    { ...row, display: display.replaceAll(textOrLongNumber, (found) => (found.startsWith('"') ? found : `"${found}"`)) },
    tenant,
  );
}
