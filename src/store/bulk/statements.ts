import type { ListedRequest, TargetValues } from '../../model/jobs/job.ts';
import { uuidToNumber } from '../../model/ids.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';
import { updateRows } from '../../sql/commands.ts';
import { literal } from '../../sql/literal.ts';
import { select, unionAll } from '../../sql/query.ts';
import { type Fragment, param, sql } from '../../sql/sql.ts';
import { type CompiledSql, compileFor } from '../../sql/statement.ts';
import { tenantRows, requests as requestRows, type Rows } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';
import { propertyBytesOf } from '../update/property-quota.ts';
import type { KeyedRequests } from '../update/request-keys.ts';
import type { JobKey } from './list.ts';

/** Columns that mirror a property. */
const mirroredColumns = [
  [sql`session_id`, sessionProperties.sessionId],
  [sql`session_name`, sessionProperties.sessionName],
  [sql`session_path`, sessionProperties.sessionPath],
] as const;

export interface SizeRow {
  readonly id: string;
  readonly bytes: number | string;
}

/** Bytes that the job reads of each request: its properties and its history from that number on. As {@link SizeRow}s. */
export function sizesStatement({ organizationId }: JobKey, requests: readonly ListedRequest[], since: number): CompiledSql {
  const ofRows = select({
    columns: sql`request_id, ${propertyBytesOf(sql`properties`)} AS size`,
    from: keyed(requests).rows(),
  });
  const ofHistory = select({ columns: sql`request_id, length(old) + length(new) AS size`, from: historySince(requests, since) });
  const query = select({
    columns: sql`toString(request_id) AS id, sum(size) AS bytes`,
    from: unionAll([ofRows, ofHistory]),
    groupBy: sql`request_id`,
  });
  return compileFor(organizationId, query);
}

export interface BulkRow {
  readonly id: string;
  /** In the order of the names of the statement. */
  readonly old_values: readonly (string | null)[];
  readonly property_count: number | string;
  readonly property_bytes: number | string;
  /** Changes of the whole session that came later. */
  readonly session_numbers: readonly (number | string)[];
}

/** The rows of requests, as {@link BulkRow}s. @param names of properties. @param since the number of the job, or of the undone one. */
export function rowsStatement(job: JobKey, requests: readonly ListedRequest[], names: readonly string[], since: number): CompiledSql {
  const columns = [
    sql`toString(request_id) AS id`,
    sql`arrayMap(name -> if(mapContains(properties, name), toNullable(properties[name]), NULL), ${param(names, 'Array(String)', 'names')}) AS old_values`,
    sql`length(properties) AS property_count, ${propertyBytesOf(sql`properties`)} AS property_bytes`,
    sql`arrayFilter(number -> number > ${param(since, 'UInt64', 'since')}, session_changes) AS session_numbers`,
  ];
  return compileFor(job.organizationId, select({ columns, from: keyed(requests).rows() }));
}

export interface HistoryRow {
  readonly id: string;
  readonly name: string;
  readonly number: number | string;
  /** JSON. */
  readonly old: string;
  readonly new: string;
}

/** Entries of properties from a number on, oldest first, as {@link HistoryRow}s. */
export function historyStatement({ organizationId }: JobKey, requests: readonly ListedRequest[], since: number): CompiledSql {
  const query = select({
    columns: sql`toString(request_id) AS id, name, number, old, new`,
    from: historySince(requests, since),
    orderBy: sql`number, name`,
  });
  return compileFor(organizationId, query);
}

export interface SessionChangeRow {
  readonly number: number | string;
  readonly name: string;
  /** JSON. */
  readonly new: string;
}

/** Changes of whole sessions by their numbers, as {@link SessionChangeRow}s. */
export function sessionChangesStatement({ organizationId }: JobKey, numbers: readonly bigint[]): CompiledSql {
  const query = select({
    columns: sql`number, name, new`,
    from: tenantRows('session_changes', sql`number IN ${param(numbers, 'Array(UInt64)', 'numbers')}`),
  });
  return compileFor(organizationId, query);
}

/** A request and the values to write; null removes a name. */
export interface RequestWrites {
  readonly request: ListedRequest;
  readonly writes: TargetValues;
}

/** Changes rows. Most jobs do the same to all rows; then the statement has the values once. */
export function bulkUpdateStatement({ organizationId }: JobKey, written: readonly RequestWrites[]): CompiledSql {
  const { rows, entry } = keyed(written.map(({ request }) => request));
  const actions = new Map<string, Action & { readonly actionNumber: number }>();
  const actionNumbers = written.map(({ writes }) => {
    const action = actionOf(writes);
    const key = JSON.stringify(action);
    const known = actions.get(key) ?? { ...action, actionNumber: actions.size + 1 };
    actions.set(key, known);
    return known.actionNumber;
  });
  const texts = textsOf([...actions.values()], actionNumbers, entry);
  const isRemoving = [...actions.values()].some(({ removed }) => removed.length > 0);
  const kept = isRemoving ? sql`mapFilter((name, text) -> NOT has(${texts.removed}, name), properties)` : sql`properties`;
  const assignments = [
    ...mirrorAssignments(written, texts),
    sql`properties = mapUpdate(${kept}, mapFromArrays(${texts.names}, ${texts.values}))`,
    sql`updated_at = now64(3, 'UTC')`,
  ];
  return compileFor(organizationId, updateRows(rows(), assignments));
}

interface Action {
  readonly names: readonly string[];
  readonly values: readonly string[];
  readonly removed: readonly string[];
}

function actionOf(writes: TargetValues): Action {
  const set = [...writes].flatMap(([name, value]): (readonly [string, string])[] => (value === null ? [] : [[name, value]]));
  return {
    names: set.map(([name]) => name),
    values: set.map(([, value]) => value),
    removed: [...writes].flatMap(([name, value]) => (value === null ? [name] : [])),
  };
}

/** Expressions of a row's action. */
type Texts = Readonly<Record<keyof Action, Fragment>>;

function textsOf(actions: readonly Action[], actionNumbers: readonly number[], entry: KeyedRequests['entry']): Texts {
  const [only] = actions;
  if (only !== undefined && actions.length === 1) {
    const list = (name: keyof Action): Fragment => sql`${param(only[name], 'Array(String)', name)}`;
    return { names: list('names'), values: list('values'), removed: list('removed') };
  }
  const actionNumber = entry(actionNumbers, 'Array(UInt64)', 'places');
  const list = (name: keyof Action): Fragment =>
    sql`${param(
      actions.map((action) => action[name]),
      'Array(Array(String))',
      name,
    )}[${actionNumber}]`;
  return { names: list('names'), values: list('values'), removed: list('removed') };
}

function mirrorAssignments(written: readonly RequestWrites[], { names, values, removed }: Texts): readonly Fragment[] {
  return mirroredColumns
    .filter(([, name]) => written.some(({ writes }) => writes.has(name)))
    .map(([column, property]) => {
      const name = literal(property);
      return sql`${column} = multiIf(has(${names}, ${name}), (${values})[indexOf(${names}, ${name})], has(${removed}, ${name}), '', ${column})`;
    });
}

function historySince(requests: readonly ListedRequest[], since: number): Rows {
  return tenantRows('changes', [
    sql`request_id IN ${param(
      requests.map(({ requestId }) => uuidToNumber(requestId)),
      'Array(UInt128)',
      'entry_ids',
    )}`,
    sql`number >= ${param(since, 'UInt64', 'since')}`,
    sql`kind = 'property'`,
  ]);
}

/** TRICKY: a range of times instead of a list, which the engine would parse and look up for every row. */
function keyed(requests: readonly ListedRequest[]): KeyedRequests {
  const times = requests.map(({ createdAt }) => createdAt);
  const ids = param(
    requests.map(({ requestId }) => uuidToNumber(requestId)),
    'Array(UInt128)',
    'ids',
  );
  return {
    rows: (and = []) =>
      requestRows([
        sql`created_at >= ${dateTime64(Math.min(...times), 'from')}`,
        sql`created_at <= ${dateTime64(Math.max(...times), 'to')}`,
        sql`request_id IN ${ids}`,
        ...and,
      ]),
    entry: (values, type, name) => sql`${param(values, type, name)}[indexOf(${ids}, request_id)]`,
  };
}
