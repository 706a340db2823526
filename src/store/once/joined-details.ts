import { type ChangedValue, type ChangeEntry, type HistoryKind, historyKinds } from '../../model/change.ts';
import { type OrganizationId, uuidToNumber } from '../../model/ids.ts';
import { failureOfStatus } from '../../model/record/failure.ts';
import { type CallDetails, detailColumns, filledDetails } from '../../model/record/call-details.ts';
import { updateRows } from '../../sql/commands.ts';
import { columnName } from '../../sql/identifier.ts';
import { literal } from '../../sql/literal.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, join, param, sql } from '../../sql/sql.ts';
import { compileFor } from '../../sql/statement.ts';
import { tenantRows, requests } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';
import type { Connections } from '../engine/connections.ts';
import { changeFailure } from '../engine/failure.ts';
import { readRows } from '../engine/statements.ts';
import { changeRows } from '../insert/change-rows.ts';
import { makeInsertRows } from '../insert/insert.ts';
import { type PatchParts, updateSettings, writePatch } from '../update/change.ts';
import { displayValue } from '../update/display.ts';
import { insertJoined, type Teller } from './joined-history.ts';
import { isNamed, type StoredName } from './stored-name.ts';

const bytesOfPatch = 8 * 1024;

/** What a span tells of its call. */
export interface ToldDetails {
  readonly teller: Teller;
  readonly details: CallDetails;
}

/**
 * Gives a record what a span tells of its call and it lacks, and writes its history. Repeating it changes nothing.
 * @throws GatelogError when the store fails.
 */
export async function fillDetails(
  parts: PatchParts,
  organizationId: OrganizationId,
  into: StoredName,
  { teller, details }: ToldDetails,
): Promise<void> {
  const before = await readDetails(parts.connections, organizationId, into);
  const filled = before === undefined ? [] : filledDetails(details, before);
  if (filled.length === 0) return;
  const entries = filled.map((detail) => ({ kind: 'fields', ...detail }) as const);
  await insertJoined(parts.connections, organizationId, { teller, into, part: 'details', values: entries });
  const values = new Map<string, Fragment>([
    ...filled.map(({ name, new: value }) => [name, valueOf(name, value)] as const),
    ...(filled.some(({ name }) => name === 'status') ? failedBy(details.status) : []),
  ]);
  const assignments = Array.from(values, ([column, value]) => sql`${columnName(column)} = ${value}`);
  const bytes = details.texts.reduce((sum, { length }) => sum + length, 0);
  await update(parts, organizationId, into, { assignments: [...assignments, sql`display = ${displayValue(values)}`], bytes });
}

type DetailsRow = Pick<CallDetails, 'texts' | 'model' | 'status'> & { readonly first_ms: string | number };

const detailsColumns = sql`[${join(
  detailColumns.map((name) => columnName(name)),
  ', ',
)}] AS texts, model, status, ifNull(toInt64(time_to_first_token), -1) AS first_ms`;

async function readDetails(connections: Connections, organizationId: OrganizationId, of: StoredName): Promise<CallDetails | undefined> {
  const read = compileFor(organizationId, select({ columns: detailsColumns, from: requests(isNamed(of)), limit: 1 }));
  const [row] = await readRows<DetailsRow>(connections, 'update', read, updateSettings);
  if (row === undefined) return undefined;
  const { texts, model, status, first_ms: firstMs } = row;
  return { texts, model, status, firstTokenMs: Number(firstMs) < 0 ? null : Number(firstMs) };
}

function valueOf(name: string, value: string | number): Fragment {
  if (typeof value === 'string') return sql`${param(value, 'String', name)}`;
  const number = param(value, 'UInt64', name);
  return name === 'status' ? sql`toUInt16(${number})` : sql`${number}`;
}

/** A call that failed for a reason that is known keeps it. */
function failedBy(status: number): readonly (readonly [string, Fragment])[] {
  const kind = failureOfStatus(status)?.kind;
  return kind === undefined ? [] : [['failure_kind', sql`if(failure_kind = '', ${literal(kind)}, failure_kind)`]];
}

interface Update {
  readonly assignments: readonly Fragment[];
  /** Of the values. */
  readonly bytes: number;
}

async function update(parts: PatchParts, organizationId: OrganizationId, into: StoredName, { assignments, bytes }: Update): Promise<void> {
  const statement = updateRows(requests(isNamed(into)), [...assignments, sql`updated_at = now64(3, 'UTC')`]);
  try {
    await writePatch(parts, compileFor(organizationId, statement), bytesOfPatch + bytes);
  } catch (error) {
    throw changeFailure(error);
  }
}

interface RatedRow {
  readonly score_names: readonly string[];
  readonly score_values: readonly number[];
  /** Empty: not rated. */
  readonly number_text: string;
  readonly rating: boolean | null;
  readonly rated_ms: string | number;
  readonly session_numbers: readonly (string | number)[];
}

const ratedColumns = sql`mapKeys(scores) AS score_names, mapValues(scores) AS score_values, ifNull(toString(feedback_number), '') AS number_text,
  feedback_rating AS rating, ifNull(toUnixTimestamp64Milli(feedback_created_at), 0) AS rated_ms, session_changes AS session_numbers`;

/**
 * Gives a record the history of another, and the scores and the feedback that it has not itself. Repeating it changes nothing.
 * @throws GatelogError when the store fails.
 */
export async function moveChanges(parts: PatchParts, organizationId: OrganizationId, from: StoredName, into: StoredName): Promise<void> {
  const { connections } = parts;
  await copyHistory(connections, organizationId, from, into);
  const rated = compileFor(organizationId, select({ columns: ratedColumns, from: requests(isNamed(from)), limit: 1 }));
  const [row] = await readRows<RatedRow>(connections, 'update', rated, updateSettings);
  if (row === undefined) return;
  const assignments = ratedAssignments(row);
  if (assignments.length > 0) await update(parts, organizationId, into, { assignments, bytes: JSON.stringify(row).length });
}

function ratedAssignments(row: RatedRow): readonly Fragment[] {
  const names = param(row.score_names, 'Array(String)', 'score_names');
  const scores = param([row.score_values], 'Array(Array(Float64))', 'score_values');
  const numbers = param(row.session_numbers.map(BigInt), 'Array(UInt64)', 'session_numbers');
  return [
    ...(row.score_names.length === 0 ? [] : [sql`scores = mapUpdate(mapFromArrays(${names}, (${scores})[1]), scores)`]),
    ...(row.session_numbers.length === 0 ? [] : [sql`session_changes = arrayDistinct(arrayConcat(session_changes, ${numbers}))`]),
    ...(row.number_text === ''
      ? []
      : [
          sql`feedback_rating = if(feedback_number IS NULL, ${row.rating === true ? sql`true` : sql`false`}, feedback_rating)`,
          sql`feedback_created_at = if(feedback_number IS NULL, ${dateTime64(Number(row.rated_ms), 'rated')}, feedback_created_at)`,
          sql`feedback_number = ifNull(feedback_number, ${param(BigInt(row.number_text), 'UInt64', 'number')})`,
        ]),
  ];
}

interface HistoryRow {
  readonly id: string;
  readonly changed_ms: string | number;
  readonly number: string | number;
  readonly name: string;
  readonly kind: HistoryKind;
  readonly key_id: string;
  readonly old: string;
  readonly new: string;
}

async function copyHistory(connections: Connections, organizationId: OrganizationId, from: StoredName, into: StoredName): Promise<void> {
  const [fromNumber, intoNumber] = [from, into].map(({ requestId }) => uuidToNumber(requestId));
  if (fromNumber === undefined || intoNumber === undefined) return;
  const ids = param([fromNumber, intoNumber], 'Array(UInt128)', 'requests');
  const isHistory = sql`kind IN ${param(historyKinds, 'Array(String)', 'kinds')}`;
  const columns = sql`toString(request_id) AS id, toUnixTimestamp64Milli(changed_at) AS changed_ms, number, name, kind, key_id, old, new`;
  const history = select({ columns, from: tenantRows('changes', [sql`request_id IN ${ids}`, isHistory]) });
  const rows = await readRows<HistoryRow>(connections, 'update', compileFor(organizationId, history), updateSettings);
  const nameOf = ({ changed_ms: at, number, kind, name }: HistoryRow): string => `${at} ${number} ${kind} ${name}`;
  const presentEntries = new Set(rows.filter(({ id }) => id === String(intoNumber)).map(nameOf));
  const entries = rows
    .filter((row) => row.id === String(fromNumber) && !presentEntries.has(nameOf(row)))
    .map((row): ChangeEntry => ({
      organizationId,
      requestId: into.requestId,
      acceptedAt: Number(row.changed_ms),
      number: Number(row.number),
      name: row.name,
      kind: row.kind,
      keyId: row.key_id,
      old: JSON.parse(row.old) as ChangedValue | null,
      new: JSON.parse(row.new) as ChangedValue | null,
    }));
  await makeInsertRows(connections, 'history')('changes', [changeRows(entries)], `joined-${from.requestId}-${into.requestId}`);
}
