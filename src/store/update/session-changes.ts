import { type OrganizationId, type RequestId, uuidToNumber } from '../../model/ids.ts';
import { GatelogError } from '../../model/errors.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';
import { type ChangeLog, noChangeLog, type StoredRow } from '../read/change-log.ts';
import type { Connections } from '../engine/connections.ts';
import { changeFailure } from '../engine/failure.ts';
import { insertLines } from '../insert/insert.ts';
import { bytesOfProperties, requestPropertyLimits } from '../../model/vocabulary/limits.ts';
import { rewriteRows, updateRows } from '../../sql/commands.ts';
import { literal } from '../../sql/literal.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, param, sql } from '../../sql/sql.ts';
import { type CompiledSql, compileFor, compileForAll } from '../../sql/statement.ts';
import { requests, type Rows, systemRows } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';
import { type LaneClient, runCommand, selectRows } from '../engine/statements.ts';
import { PendingPatches } from './pending-patches.ts';
import { runWrite } from '../engine/disk-space.ts';
import { whenMutated } from '../parts/remove-rows.ts';
import { propertyBytesOf, quotaError } from './property-quota.ts';
import { timeText } from '../insert/time-text.ts';

/** Sets properties on every request of a session. */
export interface SessionChange {
  readonly organizationId: OrganizationId;
  readonly sessionId: string;
  readonly values: ReadonlyMap<string, string>;
  readonly keyId: string;
  /** Unix milliseconds. */
  readonly acceptedAt: number;
  /** Unique in the organisation; changed requests hold it. */
  readonly number: number;
}

/** The steps of a change of stored requests. All are durable and visible to every later read on return, and repeatable. */
export interface ChangeStoredSession {
  /** Counts the stored requests that the change would reach. @throws GatelogError `query_too_large`, or when the store fails. */
  readonly count: (change: SessionChange) => Promise<number>;
  /** Writes one entry per name, for all requests together. @throws GatelogError when the store fails. */
  readonly writeHistory: (change: SessionChange) => Promise<void>;
  /**
   * Sets the properties on the stored requests that do not have the change yet.
   * @param log gets the requests before they are changed.
   * @returns their number.
   * @throws GatelogError `query_too_large`, or when the store fails.
   */
  readonly update: (change: SessionChange, log?: ChangeLog) => Promise<number>;
}

/**
 * Beyond these rows or bytes of properties, parts are rewritten: every read would apply such a large patch in memory until it is merged.
 */
const maxPatchedRows = 10_000;
const maxPatchedBytes = 8 * 1024 * 1024;
/** Maximum bytes that one change writes, over all requests of its session. */
const maxBytes = 64 * 1024 * 1024;
/** Bytes: enough for 64 values of 8 KiB with every character escaped twice. */
const maxStatement = String(16 * 1024 * 1024);

/** Columns that mirror a property. The session id is not among them, because a session change cannot set it. */
const mirroredColumns = [
  [sql`session_name`, sessionProperties.sessionName],
  [sql`session_path`, sessionProperties.sessionPath],
] as const;

const rewritings = compileForAll(
  select({ columns: sql`count() AS total`, from: systemRows('mutations', sql`table = 'requests' AND NOT is_done`) }),
);

export interface SessionWriting {
  readonly patches?: PendingPatches;
  /** Maximum requests of a session that are changed by a patch. */
  readonly maxPatched?: number;
}

export function makeChangeStoredSession(
  connections: Connections,
  { patches = new PendingPatches(), maxPatched = maxPatchedRows }: SessionWriting = {},
): ChangeStoredSession {
  return {
    count: (change) => inTurn(connections, (lane) => countWithinLimit(lane, change)),
    writeHistory: (change) => writeHistory(connections, change),
    update: (change, log = noChangeLog) => updateLogged({ connections, patches, maxPatched, log }, change),
  };
}

const historyColumns = ['org_id', 'number', 'name', 'session_id', 'changed_at', 'key_id', 'new'] as const;

async function writeHistory(
  connections: Connections,
  { organizationId, sessionId, values, keyId, ...change }: SessionChange,
): Promise<void> {
  const organization = uuidToNumber(organizationId).toString();
  const time = timeText(change.acceptedAt);
  const lines = [...values].map(([name, value]) =>
    JSON.stringify([organization, change.number, name, sessionId, time, keyId, JSON.stringify(value)]),
  );
  await insertLines(connections, 'history', {
    table: 'session_changes',
    columns: historyColumns,
    lines: lines.join('\n'),
    token: `session-${organization}-${change.number}`,
  });
}

/** Runs `work` on the connection of the lane: no other change of a stored request comes between its statements. */
async function inTurn<Result>(connections: Connections, work: (lane: LaneClient) => Promise<Result>): Promise<Result> {
  try {
    return await runWrite(connections, 'update', (client) => work({ client, embedded: connections.embedded }));
  } catch (error) {
    throw changeFailure(error);
  }
}

type Writing = Required<SessionWriting> & { readonly connections: Connections };

/** Totals of the requests that a change would reach: their number, bytes of properties, and the maxima of one request. */
interface Reached {
  readonly total: number;
  readonly bytes: number;
  readonly maxBytesOfOne: number;
  readonly maxNames: number;
}

const bytesOfOne = propertyBytesOf(sql`properties`);
const reached = sql`count() AS total, sum(${bytesOfOne}) AS bytes, max(${bytesOfOne}) AS maxBytesOfOne, max(length(properties)) AS maxNames`;

/** @throws GatelogError `query_too_large` when the change writes too much, for all requests or for one. */
async function countWithinLimit(lane: LaneClient, change: SessionChange): Promise<number> {
  const found = await measure(lane, change);
  const bytes = bytesOfProperties(change.values);
  // Most changes fit even if they replace nothing; only the others need the exact read.
  const fits =
    found.maxNames + change.values.size <= requestPropertyLimits.properties && found.maxBytesOfOne + bytes <= requestPropertyLimits.bytes;
  const full = fits || found.total === 0 ? 0 : await countFull(lane, change);
  if (full > 0) throw quotaError(`${full} of the ${found.total} requests of the session`);
  return found.total;
}

async function measure(lane: LaneClient, change: SessionChange): Promise<Reached> {
  const [row] = await read<Record<keyof Reached, number | string>>(lane, change, reached);
  const number = (name: keyof Reached): number => Number(row?.[name] ?? 0);
  checkSize(number('total'), change);
  return { total: number('total'), bytes: number('bytes'), maxBytesOfOne: number('maxBytesOfOne'), maxNames: number('maxNames') };
}

/** Counts the requests that the change would take over their quota, by the rule of `exceedsQuota`. */
async function countFull(lane: LaneClient, change: SessionChange): Promise<number> {
  const { names, values } = paramsOf(change);
  const after = sql`mapUpdate(properties, mapFromArrays(${names}, ${values}))`;
  const { properties, bytes } = requestPropertyLimits;
  const tooMany = sql`(length(${after}) AS names_after) > ${literal(properties)} AND names_after > length(properties)`;
  const tooLong = sql`(${propertyBytesOf(after)} AS bytes_after) > ${literal(bytes)} AND bytes_after > ${bytesOfOne}`;
  const [row] = await read<{ readonly total: number | string }>(lane, change, sql`countIf((${tooMany}) OR (${tooLong})) AS total`);
  return Number(row?.total ?? 0);
}

function read<Row>(lane: LaneClient, change: SessionChange, columns: Fragment): Promise<readonly Row[]> {
  return selectRows<Row>(lane, compileFor(change.organizationId, select({ columns, from: rowsWithout(change) })), settings);
}

/** Requests of the session without the change. */
function rowsWithout({ sessionId, number }: SessionChange, further: readonly Fragment[] = []): Rows {
  return requests([
    sql`session_id = ${param(sessionId, 'String', 'session')}`,
    sql`NOT has(session_changes, ${param(number, 'UInt64', 'number')})`,
    ...further,
  ]);
}

/** Requests that are written down at once. */
const loggedAtOnce = 10_000;
/** How often the requests are listed again because others of the session were stored meanwhile. */
const maxListings = 3;

type LoggedWriting = Writing & { readonly log: ChangeLog };

async function updateLogged(writing: LoggedWriting, change: SessionChange): Promise<number> {
  if (!writing.log.isWatched(change.organizationId)) return (await updateAll(writing, change)).total;
  for (let listing = 1; ; listing += 1) {
    const { total, isDone } = await logThenUpdate(writing, change, { isLast: listing === maxListings, count: 0, after: undefined });
    if (isDone) return total;
  }
}

interface Logged {
  /** The change is made even if it reaches more requests than were written down. */
  readonly isLast: boolean;
  readonly count: number;
  readonly after: StoredRow | undefined;
}

/** Writes down the next requests that the change is going to reach, and behind the last of them makes it. */
async function logThenUpdate(writing: LoggedWriting, change: SessionChange, { isLast, count, after }: Logged): Promise<Updated> {
  const rows = await rowsBehind(writing, change, after);
  const logged = { isLast, count: count + rows.length, after: rows.at(-1) };
  return writing.log.during(change.organizationId, rows, () =>
    rows.length < loggedAtOnce ? updateAll(writing, change, isLast ? undefined : logged.count) : logThenUpdate(writing, change, logged),
  );
}

async function rowsBehind({ connections }: Writing, change: SessionChange, after: StoredRow | undefined): Promise<readonly StoredRow[]> {
  const behind =
    after === undefined
      ? []
      : [
          sql`(created_at, request_id) > (${dateTime64(after.createdAt, 'after_at')}, ${param(uuidToNumber(after.requestId), 'UInt128', 'after')})`,
        ];
  const query = select({
    columns: sql`id_text AS id, toUnixTimestamp64Milli(created_at) AS created_ms`,
    from: rowsWithout(change, behind),
    orderBy: sql`created_at, request_id`,
    limit: loggedAtOnce,
  });
  const rows = await inTurn(connections, (lane) =>
    selectRows<{ readonly id: string; readonly created_ms: number | string }>(lane, compileFor(change.organizationId, query), settings),
  );
  return rows.map(({ id, created_ms: createdAt }) => ({ requestId: id as RequestId, createdAt: Number(createdAt) }));
}

/**
 * Many requests are rewritten outside the lane: that may take minutes, and changes of other organisations continue. Those of this one wait
 * (`ingest/changes/organization-lock.ts`), so that nothing changes a row before it is rewritten.
 * TRICKY: a rewriting begins only when no other runs, because the engine may run waiting ones together.
 */
async function updateAll(writing: Writing, change: SessionChange, maxReached = Infinity): Promise<Updated> {
  const { connections } = writing;
  const parts = { connections, signal: new AbortController().signal };
  for (;;) {
    const { total, step } = await inTurn(connections, (lane) => update({ ...writing, maxReached }, lane, change));
    if (step === 'done' || step === 'left') return { total, isDone: step === 'done' };
    await whenMutated(parts, 'requests');
    if (step === 'begun') return { total, isDone: true };
  }
}

interface Updated {
  readonly total: number;
  readonly isDone: boolean;
}

/**
 * The result of one turn in the lane: all done, a rewriting begun, put off until another one has ended, or left because it would reach more
 * requests than it may.
 */
interface Turned {
  readonly total: number;
  readonly step: 'done' | 'begun' | 'put off' | 'left';
}

async function update(
  { connections, patches, maxPatched, maxReached }: Writing & { readonly maxReached: number },
  lane: LaneClient,
  change: SessionChange,
): Promise<Turned> {
  const { total, bytes: bytesBefore } = await measure(lane, change);
  if (total === 0) return { total, step: 'done' };
  if (total > maxReached) return { total, step: 'left' };
  const bytes = bytesBefore + total * bytesOfProperties(change.values);
  if (total > maxPatched || bytes > maxPatchedBytes) {
    const [others] = await selectRows<{ readonly total: number | string }>(lane, rewritings, settings);
    if (Number(others?.total ?? 0) > 0) return { total, step: 'put off' };
    await runCommand(lane, mutationOf(change), settings);
    return { total, step: 'begun' };
  }
  await patches.flushIfOverLimit(connections, lane.client, bytes);
  await runCommand(lane, patchOf(change), settings);
  return { total, step: 'done' };
}

/** TRICKY: settings stay on an embedded connection, so every statement of the lane sends the same ones. */
const settings = { max_query_size: maxStatement };

function patchOf(change: SessionChange): CompiledSql {
  return compileFor(change.organizationId, updateRows(rowsWithout(change), assignmentsOf(change)));
}

function mutationOf(change: SessionChange): CompiledSql {
  return compileFor(change.organizationId, rewriteRows(rowsWithout(change), assignmentsOf(change), { mutations_sync: 0 }));
}

function assignmentsOf(change: SessionChange): readonly Fragment[] {
  const { names, values } = paramsOf(change);
  return [
    sql`properties = mapUpdate(properties, mapFromArrays(${names}, ${values}))`,
    ...mirroredColumns
      .filter(([, name]) => change.values.has(name))
      .map(([column, name]) => sql`${column} = ${values}[indexOf(${names}, ${literal(name)})]`),
    sql`session_changes = arraySlice(arrayPushBack(session_changes, ${param(change.number, 'UInt64', 'number')}), -1000)`,
    sql`updated_at = ${dateTime64(change.acceptedAt, 'at')}`,
  ];
}

function paramsOf({ values }: SessionChange) {
  return { names: param([...values.keys()], 'Array(String)', 'names'), values: param([...values.values()], 'Array(String)', 'values') };
}

function checkSize(total: number, { values }: SessionChange): void {
  const bytes = bytesOfProperties(values);
  if (bytes * total <= maxBytes) return;
  throw new GatelogError(
    'query_too_large',
    `The session has ${total} requests, and these properties would write ${bytes * total} bytes; one change writes ${maxBytes}. Send fewer or shorter ones.`,
  );
}
