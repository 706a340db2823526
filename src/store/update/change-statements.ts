import {
  type AcceptedChange,
  applyChange,
  type MutableFields,
  type ChangeEntry,
  fillingValues,
  previewColumns,
} from '../../model/change.ts';
import { feedbackScore } from '../../model/vocabulary/scores.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { givenMarks, readMarks } from '../../model/vocabulary/span-marks.ts';
import { previewLimits } from '../../model/vocabulary/limits.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';
import { updateRows } from '../../sql/commands.ts';
import { columnName } from '../../sql/identifier.ts';
import { literal } from '../../sql/literal.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, sql } from '../../sql/sql.ts';
import { type CompiledSql, compileFor } from '../../sql/statement.ts';
import { exceedsQuota, propertyBytesOf, type PropertyTotal, totalAfter } from './property-quota.ts';
import { type KeyedRequests, requestsByKey } from './request-keys.ts';

/** Changes of one stored request, in the order of acceptance. */
export interface RequestChanges {
  readonly requestId: RequestId;
  /** Possible times of the row, Unix milliseconds. The actual time among them finds the row by key. */
  readonly createdAts: readonly number[];
  readonly changes: readonly AcceptedChange[];
}

/** The current values of a row that its changes may replace; members are absent when no change of the statement needs them. */
export interface MutableFieldsRow {
  /** A decimal number. */
  readonly id: string;
  readonly old_properties?: readonly (string | null)[];
  readonly property_count?: number | string;
  readonly property_bytes?: number | string;
  readonly old_scores?: readonly (number | null)[];
  readonly feedback_rating: boolean | null;
  readonly span_links?: readonly string[];
  readonly trace_id?: string;
}

/** The number when no change gives feedback: the row keeps its own. */
const givenBefore = 0;

/** Links to spans that a record keeps: a caller may send any number that tell of one call. */
const maxLinks = 64;

/** Columns that mirror a property. */
const mirroredColumns = [
  [sql`session_id`, sessionProperties.sessionId],
  [sql`session_name`, sessionProperties.sessionName],
  [sql`session_path`, sessionProperties.sessionPath],
] as const;

export function readStatement(organizationId: OrganizationId, requests: readonly RequestChanges[]): CompiledSql {
  const { rows, properties, scores } = keysOf(requests);
  const columns = [
    sql`toString(request_id) AS id`,
    // Only what the changes need: the engine copies all identifiers into each use.
    ...(properties === undefined ? [] : [oldValues(sql`properties`, properties, sql`old_properties`), propertyTotal]),
    ...(scores === undefined ? [] : [oldValues(sql`scores`, scores, sql`old_scores`)]),
    sql`feedback_rating`,
    ...(requests.some(isFilled) ? [sql`span_links, trace_id`] : []),
  ];
  return compileFor(organizationId, select({ columns, from: rows() }));
}

const propertyTotal = sql`length(properties) AS property_count, ${propertyBytesOf(sql`properties`)} AS property_bytes`;

function oldValues(map: Fragment, names: Fragment, alias: Fragment): Fragment {
  return sql`arrayMap(name -> if(mapContains(${map}, name), toNullable(${map}[name]), NULL), ${names}) AS ${alias}`;
}

/** A request with its applied changes; `changes` excludes refused ones. */
export interface ChangedRequest extends RequestChanges {
  /** Not applied, because the request would have too many properties. */
  readonly refused: readonly AcceptedChange[];
  /** After the changes. */
  readonly total: PropertyTotal;
  readonly fields: MutableFields;
  readonly entries: readonly ChangeEntry[];
}

/** Applies changes to the values of a row, in order: a later change of the same name sees the result of the earlier one. */
export function changedRequest(request: RequestChanges, row: MutableFieldsRow): ChangedRequest {
  const rating = row.feedback_rating;
  const fields: MutableFields = {
    properties: presentOf(propertyNamesOf(request), row.old_properties ?? []),
    scores: presentOf(scoreNamesOf(request), row.old_scores ?? []),
    feedback: rating === null ? null : { rating, number: givenBefore, createdAt: 0 },
    sessionChanges: [],
    spanMarks: readMarks(row.span_links ?? [], row.trace_id ?? ''),
  };
  let total: PropertyTotal = { count: Number(row.property_count ?? 0), bytes: Number(row.property_bytes ?? 0) };
  const changes: AcceptedChange[] = [];
  const refused: AcceptedChange[] = [];
  const entries: ChangeEntry[] = [];
  for (const accepted of request.changes) {
    const { change } = accepted;
    const values = change.kind === 'fill' ? fillingValues(fields, change) : change.kind === 'property' ? change.values : undefined;
    const after = values === undefined ? total : totalAfter(total, fields.properties, values);
    if (exceedsQuota(total, after)) {
      refused.push(accepted);
      continue;
    }
    total = after;
    changes.push(accepted);
    entries.push(...applyChange(fields, accepted));
  }
  return { ...request, changes, refused, total, fields, entries };
}

/** Updates only the columns that the changes name, because every patched column costs. */
export function updateStatement(organizationId: OrganizationId, requests: readonly ChangedRequest[]): CompiledSql {
  const { rows, entry, properties, scores } = keysOf(requests);
  const values = requests.map((request) => propertyNamesOf(request).map((name) => request.fields.properties.get(name) ?? ''));
  const scoreValues = requests.map((request) => scoreNamesOf(request).map((name) => request.fields.scores.get(name) ?? 0));
  const assignments: Fragment[] = [];
  if (properties !== undefined) {
    const changed = sql`mapFromArrays(${properties}, ${entry(values, 'Array(Array(String))', 'values')})`;
    if (requests.some(changesMirrored)) assignments.push(...mirrorAssignments(properties, changed));
    assignments.push(sql`properties = mapUpdate(properties, ${changed})`);
  }
  if (scores !== undefined) {
    const changed = sql`mapFromArrays(${scores}, ${entry(scoreValues, 'Array(Array(Float64))', 'score_values')})`;
    assignments.push(sql`scores = mapUpdate(scores, ${changed})`);
  }
  const links = requests.map(linksOf);
  if (namesAny(links)) {
    assignments.push(
      sql`span_links = arraySlice(arrayDistinct(arrayConcat(span_links, ${entry(links, 'Array(Array(String))', 'links')})), 1, ${literal(maxLinks)})`,
    );
  }
  for (const column of previewColumns) {
    const previews = requests.map((request) => previewOf(request, column));
    if (!previews.some((preview) => preview !== '')) continue;
    const preview = entry(previews, 'Array(String)', column);
    assignments.push(sql`${columnName(column)} = if(${preview} = '', ${columnName(column)}, ${preview})`);
  }
  if (requests.some(isRated)) assignments.push(...feedbackAssignments(requests, entry));
  return compileFor(organizationId, updateRows(rows(), [...assignments, sql`updated_at = now64(3, 'UTC')`]));
}

function changesMirrored(request: RequestChanges): boolean {
  return mirroredColumns.some(([, name]) => propertyNamesOf(request).includes(name));
}

function mirrorAssignments(names: Fragment, values: Fragment): readonly Fragment[] {
  return mirroredColumns.map(
    ([column, name]) => sql`${column} = if(has(${names}, ${literal(name)}), (${values})[${literal(name)}], ${column})`,
  );
}

function feedbackAssignments(requests: readonly ChangedRequest[], entry: KeyedRequests['entry']): readonly Fragment[] {
  const fields = requests.map(({ fields: { feedback } }) => feedback);
  const number = entry(
    fields.map((feedback) => feedback?.number ?? givenBefore),
    'Array(UInt64)',
    'feedback_numbers',
  );
  const rating = entry(
    fields.map((feedback) => (feedback?.rating === true ? 1 : 0)),
    'Array(UInt8)',
    'feedback_ratings',
  );
  const time = entry(
    fields.map((feedback) => feedback?.createdAt ?? 0),
    'Array(Int64)',
    'feedback_times',
  );
  // 0 is `givenBefore`.
  return [
    sql`feedback_number = if(${number} = 0, feedback_number, ${number})`,
    sql`feedback_rating = if(${number} = 0, feedback_rating, ${rating} = 1)`,
    sql`feedback_created_at = if(${number} = 0, feedback_created_at, fromUnixTimestamp64Milli(${time}, 'UTC'))`,
  ];
}

/** The rows of the requests, and for each row the names of changed properties and scores; undefined when no change has any. */
function keysOf(requests: readonly RequestChanges[]) {
  const keyed = requestsByKey(
    requests.map(({ requestId }) => requestId),
    requests.flatMap(({ createdAts }) => createdAts),
  );
  const names = requests.map(propertyNamesOf);
  const scoreNames = requests.map(scoreNamesOf);
  return {
    ...keyed,
    properties: namesAny(names) ? keyed.entry(names, 'Array(Array(String))', 'names') : undefined,
    scores: namesAny(scoreNames) ? keyed.entry(scoreNames, 'Array(Array(String))', 'score_names') : undefined,
  };
}

function namesAny(names: readonly (readonly string[])[]): boolean {
  return names.some(({ length }) => length > 0);
}

function propertyNamesOf({ changes }: RequestChanges): string[] {
  return [
    ...new Set(changes.flatMap(({ change }) => (change.kind === 'property' || change.kind === 'fill' ? [...change.values.keys()] : []))),
  ];
}

function linksOf({ changes, fields: { spanMarks } }: ChangedRequest): string[] {
  const marks = spanMarks === undefined ? [] : givenMarks(spanMarks);
  return [...new Set([...marks, ...changes.flatMap(({ change }) => (change.kind === 'fill' ? change.links : []))])];
}

function isFilled({ changes }: RequestChanges): boolean {
  return changes.some(({ change }) => change.kind === 'fill' && change.values.size > 0);
}

/** Empty: the row keeps its own. */
function previewOf({ changes }: RequestChanges, column: (typeof previewColumns)[number]): string {
  return changes.reduce((last, { change }) => (change.kind === 'fill' ? (change.previews?.[column] ?? last) : last), '');
}

/** Bytes of the previews that a patch holds: it has each changed column of every row, also of a row that keeps its own. */
export function bytesOfPreviews(requests: readonly RequestChanges[]): number {
  return previewColumns.reduce((bytes, column) => {
    const previews = requests.map((request) => previewOf(request, column));
    if (previews.every((preview) => preview === '')) return bytes;
    return bytes + previews.reduce((sum, preview) => sum + (preview === '' ? previewLimits.bytes : Buffer.byteLength(preview)), 0);
  }, 0);
}

function scoreNamesOf(request: RequestChanges): string[] {
  const named = request.changes.flatMap(({ change }) => (change.kind === 'score' ? [...change.values.keys()] : []));
  return [...new Set(isRated(request) ? [...named, feedbackScore] : named)];
}

function isRated({ changes }: RequestChanges): boolean {
  return changes.some(({ change }) => change.kind === 'feedback');
}

function presentOf<Value>(names: readonly string[], values: readonly (Value | null)[]): Map<string, Value> {
  const present = new Map<string, Value>();
  for (const [index, name] of names.entries()) {
    const value = values[index];
    if (value !== undefined && value !== null) present.set(name, value);
  }
  return present;
}
