import { filterWrappers } from '../filter/leaf.ts';
import type { ExportBody } from '../../contract/export.ts';
import { bodyFault, type Result, success } from '../../model/fault.ts';
import { type OrganizationId, parseUuid, uuidToNumber } from '../../model/ids.ts';
import type { Statement } from '../../sql/statement.ts';
import { allOf, condition, type FilterNode } from '../filter/ast.ts';
import { parseFilter } from '../filter/parse.ts';
import { parseTimestamp } from '../../model/vocabulary/timestamp.ts';
import { isoTime, type NumberCell, requestRowWithInputs, decodeRequestRow } from '../requests/columns.ts';
import type { Keyset } from '../requests/cursor.ts';
import type { RequestsPlan } from '../requests/query.ts';
import { arrivalStatements, pageOf, type PageStatements } from '../requests/select.ts';
import { noFlags, type RequestSelection } from '../requests/selection.ts';
import type { Sort } from '../requests/sort.ts';

/** An export bound to its tenant: requests in the order of their keys, by Unix milliseconds of their arrival. */
export interface ExportPlan {
  readonly tenant: OrganizationId;
  readonly filter: FilterNode;
  /** Inclusive; undefined: from the first on. */
  readonly startMs: number | undefined;
  /** Exclusive; undefined: decided when the export begins. */
  readonly endMs: number | undefined;
  /** The last record that the caller has. */
  readonly after: Keyset | undefined;
}

/** A part of an export's time. */
export interface ExportSlice {
  readonly after: Keyset | undefined;
  /** Exclusive. */
  readonly untilMs: number;
  readonly limit: number;
}

const inKeyOrder: Sort = [{ key: 'created_at', direction: 'asc' }];
const arrival = { group: 'request_response_rmt', field: 'request_created_at' } as const;

/** @returns the first fault in the body. */
export function planExport(tenant: OrganizationId, body: ExportBody): Result<ExportPlan> {
  const parsed = parseFilter(body.filter ?? {}, { wrappers: filterWrappers, unwrappedProperties: 'refuse' });
  if (!parsed.ok) return parsed;
  const window = windowOf(body);
  if (!window.ok) return window;
  const after = body.cursor === undefined ? success(undefined) : keysetIn(body.cursor);
  if (!after.ok) return after;
  return success({ tenant, filter: parsed.value.filter, ...window.value, after: after.value });
}

type Window = Pick<ExportPlan, 'startMs' | 'endMs'>;

function windowOf({ startDate, endDate, timeFilter }: ExportBody): Result<Window> {
  if (timeFilter !== undefined && (startDate !== undefined || endDate !== undefined)) {
    return bodyFault(['timeFilter'], '`timeFilter` and `startDate` or `endDate` say the same twice. Send one of them.');
  }
  const start = boundOf('startDate', startDate ?? timeFilter?.startTimeUnixMs);
  if (!start.ok) return start;
  const end = boundOf('endDate', endDate ?? timeFilter?.endTimeUnixMs);
  if (!end.ok) return end;
  if (start.value !== undefined && end.value !== undefined && start.value > end.value) {
    return bodyFault(
      [timeFilter === undefined ? 'endDate' : 'timeFilter'],
      'The window ends before it begins: its start is later than its end.',
    );
  }
  return success({ startMs: start.value, endMs: end.value });
}

function boundOf(name: 'startDate' | 'endDate', given: string | number | undefined): Result<number | undefined> {
  if (given === undefined) return success(undefined);
  const time = parseTimestamp(given);
  if (time !== undefined) return success(time);
  return bodyFault([name], `\`${name}\` takes an ISO 8601 time or a date, UTC, such as "2026-01-31", or Unix milliseconds.`);
}

/** The value of the column `cursor`. */
export function exportCursor({ created_ms: ms, id }: { readonly created_ms: NumberCell; readonly id: string }): string {
  return `${isoTime(ms)},${id}`;
}

function keysetIn(cursor: string): Result<Keyset> {
  const comma = cursor.indexOf(',');
  const time = parseTimestamp(cursor.slice(0, comma));
  const id = parseUuid(cursor.slice(comma + 1));
  if (comma > 0 && time !== undefined && id !== undefined) return success(keysetOf({ created_ms: time, id }));
  return bodyFault(['cursor'], '`cursor` takes `<request_created_at>,<request_id>` of the last record that you have.');
}

/** The place behind a record. */
export function keysetOf({ created_ms: ms, id }: { readonly created_ms: NumberCell; readonly id: string }): Keyset {
  return { arrival: String(ms), id: uuidToNumber(id as OrganizationId).toString(), values: [] };
}

/** Statements for the newest arrival of the organisation. */
export function newestStatements({ tenant }: ExportPlan): PageStatements {
  const newest = { tenant, filter: allOf([]), flags: noFlags, sort: [{ key: 'created_at', direction: 'desc' }] } as const;
  return arrivalStatements({ ...newest, after: undefined, offset: 0, limit: 1, includeInputs: false });
}

/** What the export holds, for its count. */
export function exportSelection({ tenant, filter, startMs, after }: ExportPlan, untilMs: number): RequestSelection {
  const fromMs = Math.max(startMs ?? -Infinity, after === undefined ? -Infinity : Number(after.arrival));
  const start = Number.isFinite(fromMs) ? [condition(arrival, { family: 'timestamp', operator: 'gte', value: fromMs })] : [];
  const end = condition(arrival, { family: 'timestamp', operator: 'lt', value: untilMs });
  return { tenant, filter: allOf([...start, end, filter]), flags: noFlags, sort: inKeyOrder };
}

/** Statements for the next `RequestRow`s of an export, with their inputs. */
export function exportStatements(plan: ExportPlan, { after, untilMs, limit }: ExportSlice): readonly Statement[] {
  const page: RequestsPlan = { ...exportSelection({ ...plan, after }, untilMs), after, offset: 0, limit, includeInputs: true };
  return pageOf(page, requestRowWithInputs, { decode: decodeRequestRow, lane: 'export' });
}
