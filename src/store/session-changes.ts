import type { ClickHouseClient } from '@clickhouse/client';
import { type OrganizationId, uuidToNumber } from '../model/ids.ts';
import { GatelogError } from '../model/errors.ts';
import { sessionProperties } from '../model/vocabulary/session-properties.ts';
import type { Connections } from './connections.ts';
import { storeFailure } from './failure.ts';
import { insertLines } from './insert.ts';
import { boundQuery } from './parameters.ts';
import { timeText } from './tables/time-text.ts';

/** Properties that are set on every request of a session. */
export interface SessionChange {
  readonly organizationId: OrganizationId;
  readonly sessionId: string;
  readonly values: ReadonlyMap<string, string>;
  readonly keyId: string;
  /** Unix milliseconds. */
  readonly acceptedAt: number;
  /** Of this change alone in the organisation: requests that it has reached hold it. */
  readonly number: number;
}

/** Changes the stored requests of sessions. Both are durable and visible to every later read when they return, and may be repeated. */
export interface ChangeStoredSession {
  /** How many stored requests the change would reach. @throws GatelogError `query_too_large`, or when the store fails. */
  readonly count: (change: SessionChange) => Promise<number>;
  /** One entry for each name, whatever the number of requests. @throws GatelogError when the store fails. */
  readonly writeHistory: (change: SessionChange) => Promise<void>;
  /**
   * Sets the properties on every stored request of the session that does not have the change yet.
   * @returns how many there were. @throws GatelogError `query_too_large`, or when the store fails.
   */
  readonly update: (change: SessionChange) => Promise<number>;
}

/** More requests are rewritten where they lie: a patch of so many rows would be applied again by every read until it is merged. */
const mostPatchedRows = 10_000;
/** Bytes that one change may write, over all requests of its session. */
const mostBytes = 256 * 1024 * 1024;
/** In bytes: room for 64 values of 8 KiB with every character escaped twice. */
const largestStatement = String(16 * 1024 * 1024);

/** Columns that follow a property. The session itself cannot be changed for all its requests at once. */
const followers = [
  ['session_name', sessionProperties.sessionName],
  ['session_path', sessionProperties.sessionPath],
] as const;

const rows = `org_id = {tenant:UInt128} AND session_id = {session:String} AND NOT has(session_changes, {number:UInt64})`;

/** Makes the functions that change stored sessions. @param mostPatched requests of a session that are changed by patches. */
export function makeChangeStoredSession(connections: Connections, mostPatched: number = mostPatchedRows): ChangeStoredSession {
  return {
    count: (change) => inTurn(connections, change, (client, bound) => countRows(client, bound, change)),
    writeHistory: (change) => writeHistory(connections, change),
    update: (change) => inTurn(connections, change, (client, bound) => update({ client, bound, mostPatched }, change)),
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

/** Runs `work` in one turn of the lane: no other change of a stored request comes between its statements. */
async function inTurn<Result>(
  connections: Connections,
  change: SessionChange,
  work: (client: ClickHouseClient, bound: Binder) => Promise<Result>,
): Promise<Result> {
  try {
    return await connections.run('update', (client) => work(client, binderOf(connections, change)));
  } catch (error) {
    throw storeFailure(error);
  }
}

async function countRows(client: ClickHouseClient, bound: Binder, change: SessionChange): Promise<number> {
  const found = await client.query({ ...bound(`SELECT count() AS total FROM requests WHERE ${rows}`), format: 'JSONEachRow' });
  const total = Number((await found.json<{ readonly total: number | string }>())[0]?.total ?? 0);
  checkSize(total, change);
  return total;
}

interface Updating {
  readonly client: ClickHouseClient;
  readonly bound: Binder;
  readonly mostPatched: number;
}

async function update({ client, bound, mostPatched }: Updating, change: SessionChange): Promise<number> {
  const total = await countRows(client, bound, change);
  if (total > 0) await client.command(bound(total > mostPatched ? mutationOf(change) : patchOf(change)));
  return total;
}

/** A statement with the parameters of a change. */
type Binder = ReturnType<typeof binderOf>;

function binderOf({ embedded }: Connections, change: SessionChange) {
  const params = {
    tenant: uuidToNumber(change.organizationId).toString(),
    session: change.sessionId,
    number: String(change.number),
    names: [...change.values.keys()],
    values: [...change.values.values()],
    at: String(change.acceptedAt),
  };
  return (text: string) => ({
    ...boundQuery(text, params, embedded),
    // TRICKY: in the embedded engine settings stick to the connection, so every statement of the lane sends the same ones.
    clickhouse_settings: { max_query_size: largestStatement },
  });
}

function patchOf(change: SessionChange): string {
  return `UPDATE requests SET ${assignmentsOf(change)} WHERE ${rows}`;
}

function mutationOf(change: SessionChange): string {
  return `ALTER TABLE requests UPDATE ${assignmentsOf(change)} WHERE ${rows} SETTINGS mutations_sync = 1`;
}

function assignmentsOf({ values }: SessionChange): string {
  return [
    `properties = mapUpdate(properties, mapFromArrays({names:Array(String)}, {values:Array(String)}))`,
    ...followers
      .filter(([, name]) => values.has(name))
      .map(([column, name]) => `${column} = {values:Array(String)}[indexOf({names:Array(String)}, '${name}')]`),
    `session_changes = arraySlice(arrayPushBack(session_changes, {number:UInt64}), -1000)`,
    `updated_at = fromUnixTimestamp64Milli({at:Int64}, 'UTC')`,
  ].join(', ');
}

function checkSize(total: number, { values }: SessionChange): void {
  let bytes = 0;
  for (const [name, value] of values) bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
  if (bytes * total <= mostBytes) return;
  throw new GatelogError(
    'query_too_large',
    `The session has ${total} requests, and these properties would write ${bytes * total} bytes; one change writes ${mostBytes}. Send fewer or shorter ones.`,
  );
}
