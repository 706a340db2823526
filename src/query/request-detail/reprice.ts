import { filterWrappers } from '../filter/leaf.ts';
import type { RepriceItem, repriceSchema } from '../../contract/reprice.ts';
import { bodyFault, type Result, success } from '../../model/fault.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { usdOf } from '../../model/pricing/money.ts';
import type { CostDifference, RepricedRequest, RepriceReport } from '../../model/record/reprice.ts';
import type { Statement } from '../../sql/statement.ts';
import { billedRequest, type BilledRow, billedRowColumns } from './billed.ts';
import { cursorBehind, parseCursor } from '../requests/cursor.ts';
import { allOf, condition, type FilterNode } from '../filter/ast.ts';
import { parseFilter } from '../filter/parse.ts';
import { parseTimestamp } from '../../model/vocabulary/timestamp.ts';
import type { RequestsPlan } from '../requests/query.ts';
import { noFlags, type RequestSelection } from '../requests/selection.ts';
import { pageOf } from '../requests/select.ts';

type RepriceBody = (typeof repriceSchema)['_output'];

const dayMs = 24 * 60 * 60_000;

/** Binds a call of repricing to its tenant: requests in order of time, from the cursor on. @returns the first fault in its body. */
export function planReprice(tenant: OrganizationId, body: RepriceBody, defaultLimit: number): Result<RequestsPlan> {
  const parsed = parseFilter(body.filter, { wrappers: filterWrappers, unwrappedProperties: 'refuse' });
  if (!parsed.ok) return parsed;
  const start = arrivalBound('startDate', body.startDate);
  if (!start.ok) return start;
  const end = arrivalBound('endDate', body.endDate);
  if (!end.ok) return end;
  const selection: RequestSelection = {
    tenant,
    filter: allOf([...start.value, ...end.value, parsed.value.filter]),
    flags: noFlags,
    sort: [{ key: 'created_at', direction: 'asc' }],
  };
  const after = body.cursor === undefined ? success(undefined) : parseCursor(body.cursor, selection);
  if (!after.ok) return after;
  return success({ ...selection, after: after.value, offset: 0, limit: body.limit ?? defaultLimit, includeInputs: false });
}

/** @returns no condition without a bound. */
function arrivalBound(name: 'startDate' | 'endDate', text: string | undefined): Result<readonly FilterNode[]> {
  if (text === undefined) return success([]);
  const time = parseTimestamp(text);
  if (time === undefined) return bodyFault([name], `\`${name}\` takes an ISO 8601 time or a date, UTC, such as "2026-01-31".`);
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const reference = { group: 'request_response_rmt', field: 'request_created_at' } as const;
  return success([
    name === 'startDate'
      ? condition(reference, { family: 'timestamp', operator: 'gte', value: time })
      : condition(reference, { family: 'timestamp', operator: 'lte', value: isDate ? time + dayMs - 1 : time }),
  ]);
}

/** Statements for the requests of one call, as {@link BilledRow}s. */
export function repriceStatements(plan: RequestsPlan): readonly Statement[] {
  return pageOf(plan, billedRowColumns);
}

export function repricedRequest(row: BilledRow): RepricedRequest {
  return { requestId: row.id as RequestId, model: row.model, billed: billedRequest(row) };
}

/** The report of a call in the API's shape. @param total the number of matching requests, where it was counted. */
export function repriceItem(report: RepriceReport, plan: RequestsPlan, rows: readonly BilledRow[], total: number | null): RepriceItem {
  const last = rows.length < plan.limit ? undefined : rows.at(-1);
  return {
    total,
    checked: report.checked,
    stated: report.stated,
    ...differenceItem(report.total),
    by_model: [...report.byModel].map(([model, difference]) => ({ model, ...differenceItem(difference) })),
    cursor: last === undefined ? null : (cursorBehind(plan, last) ?? null),
  };
}

function differenceItem({ changed, before, after }: CostDifference) {
  return { changed, before: usdOf(before), after: usdOf(after) };
}
