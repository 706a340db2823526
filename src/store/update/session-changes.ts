import type { ClickHouseClient } from '@clickhouse/client';
import { type OrganizationId, uuidToNumber } from '../../model/ids.ts';
import { GatelogError } from '../../model/errors.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';
import type { Connections } from '../engine/connections.ts';
import { storeFailure } from '../engine/failure.ts';
import { insertLines } from '../insert/insert.ts';
import { bytesOfProperties, requestPropertyLimits } from '../../model/vocabulary/limits.ts';
import { boundQuery } from '../engine/parameters.ts';
import { PendingPatches } from './pending-patches.ts';
import { runWrite } from '../engine/disk-space.ts';
import { whenMutated } from '../delete/removing.ts';
import { propertyBytesOf, quotaError } from './property-quota.ts';
import { timeText } from '../insert/time-text.ts';

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

/** More requests, or more bytes of their properties, are rewritten where they lie: every read would apply such a patch in memory until it is merged. */
const maxPatchedRows = 10_000;
const maxPatchedBytes = 8 * 1024 * 1024;
/** Bytes that one change may write, over all requests of its session. */
const maxBytes = 64 * 1024 * 1024;
/** In bytes: room for 64 values of 8 KiB with every character escaped twice. */
const maxStatement = String(16 * 1024 * 1024);

/** Columns that follow a property. The session itself cannot be changed for all its requests at once. */
const followers = [
  ['session_name', sessionProperties.sessionName],
  ['session_path', sessionProperties.sessionPath],
] as const;

const rows = `org_id = {tenant:UInt128} AND session_id = {session:String} AND NOT has(session_changes, {number:UInt64})`;

const rewritings =
  "SELECT count() AS total FROM system.mutations WHERE database = currentDatabase() AND table = 'requests' AND NOT is_done";

/** How changes of sessions are written. */
export interface SessionWriting {
  readonly patches?: PendingPatches;
  /** Requests of a session that are changed by patches. */
  readonly maxPatched?: number;
}

/** Makes the functions that change stored sessions. */
export function makeChangeStoredSession(
  connections: Connections,
  { patches = new PendingPatches(), maxPatched = maxPatchedRows }: SessionWriting = {},
): ChangeStoredSession {
  return {
    count: (change) => inTurn(connections, change, (client, bound) => countWithRoom({ client, bound }, change)),
    writeHistory: (change) => writeHistory(connections, change),
    update: (change) => updateAll({ connections, patches, maxPatched }, change),
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
    return await runWrite(connections, 'update', (client) => work(client, binderOf(connections, change)));
  } catch (error) {
    throw storeFailure(error);
  }
}

interface Reading {
  readonly client: ClickHouseClient;
  readonly bound: Binder;
}

type Writing = Required<SessionWriting> & { readonly connections: Connections };
type Updating = Reading & Writing;

/** What a change would reach: requests, and of their properties the bytes, most of one request, and most names of one. */
interface Reached {
  readonly total: number;
  readonly bytes: number;
  readonly maxBytesOfOne: number;
  readonly maxNames: number;
}

const reached = `count() AS total, sum(${propertyBytesOf('properties')}) AS bytes, max(${propertyBytesOf('properties')}) AS maxBytesOfOne, max(length(properties)) AS maxNames`;

/** @throws GatelogError `query_too_large` when the change writes too much, to all requests or to one. */
async function countWithRoom(reading: Reading, change: SessionChange): Promise<number> {
  const found = await measure(reading, change);
  const bytes = bytesOfProperties(change.values);
  // Most changes fit even where nothing is replaced; only others are worth a read that tells exactly.
  const fits =
    found.maxNames + change.values.size <= requestPropertyLimits.properties && found.maxBytesOfOne + bytes <= requestPropertyLimits.bytes;
  const full = fits || found.total === 0 ? 0 : await countFull(reading);
  if (full > 0) throw quotaError(`${full} of the ${found.total} requests of the session`);
  return found.total;
}

async function measure({ client, bound }: Reading, change: SessionChange): Promise<Reached> {
  const [row] = await rowsOf<Record<keyof Reached, number | string>>(client, bound(`SELECT ${reached} FROM requests WHERE ${rows}`));
  const number = (name: keyof Reached): number => Number(row?.[name] ?? 0);
  checkSize(number('total'), change);
  return { total: number('total'), bytes: number('bytes'), maxBytesOfOne: number('maxBytesOfOne'), maxNames: number('maxNames') };
}

/** How many requests have no room for the change: as `isTooMuch` of one request. */
async function countFull({ client, bound }: Reading): Promise<number> {
  const after = `mapUpdate(properties, mapFromArrays({names:Array(String)}, {values:Array(String)}))`;
  const tooMany = `(length(${after}) AS names_after) > ${requestPropertyLimits.properties} AND names_after > length(properties)`;
  const tooLong = `(${propertyBytesOf(after)} AS bytes_after) > ${requestPropertyLimits.bytes} AND bytes_after > ${propertyBytesOf('properties')}`;
  const text = `SELECT countIf((${tooMany}) OR (${tooLong})) AS total FROM requests WHERE ${rows}`;
  const [row] = await rowsOf<{ readonly total: number | string }>(client, bound(text));
  return Number(row?.total ?? 0);
}

async function rowsOf<Row>(client: ClickHouseClient, query: ReturnType<Binder>): Promise<readonly Row[]> {
  return (await client.query({ ...query, format: 'JSONEachRow' })).json<Row>();
}

/**
 * Many requests are rewritten outside of the lane: it may take minutes, and changes of other organisations go on. Those of this one wait for the change
 * (`ingest/changes/organization-lock.ts`), so that nobody changes a row that is about to be rewritten.
 * TRICKY: a rewriting begins only when no other is under way, as the engine may run those that wait in one go.
 */
async function updateAll(writing: Writing, change: SessionChange): Promise<number> {
  const { connections } = writing;
  const parts = { connections, signal: new AbortController().signal };
  for (;;) {
    const { total, step } = await inTurn(connections, change, (client, bound) => update({ ...writing, client, bound }, change));
    if (step === 'done') return total;
    await whenMutated(parts, 'requests');
    if (step === 'begun') return total;
  }
}

/** What one turn in the lane came to: all is done, a rewriting has begun, or one of others has to end before. */
interface Turned {
  readonly total: number;
  readonly step: 'done' | 'begun' | 'put off';
}

async function update(updating: Updating, change: SessionChange): Promise<Turned> {
  const { connections, client, bound, patches, maxPatched } = updating;
  const { total, bytes: bytesBefore } = await measure(updating, change);
  if (total === 0) return { total, step: 'done' };
  const bytes = bytesBefore + total * bytesOfProperties(change.values);
  if (total > maxPatched || bytes > maxPatchedBytes) {
    const [others] = await rowsOf<{ readonly total: number | string }>(client, bound(rewritings));
    if (Number(others?.total ?? 0) > 0) return { total, step: 'put off' };
    await client.command(bound(mutationOf(change)));
    return { total, step: 'begun' };
  }
  await patches.makeRoom(connections, client, bytes);
  await client.command(bound(patchOf(change)));
  return { total, step: 'done' };
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
  // TRICKY: in the embedded engine settings stick to the connection, so every statement of the lane sends the same ones.
  return (text: string) => boundQuery(text, { params, settings: { max_query_size: maxStatement } }, embedded);
}

function patchOf(change: SessionChange): string {
  return `UPDATE requests SET ${assignmentsOf(change)} WHERE ${rows}`;
}

function mutationOf(change: SessionChange): string {
  return `ALTER TABLE requests UPDATE ${assignmentsOf(change)} WHERE ${rows} SETTINGS mutations_sync = 0`;
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
  const bytes = bytesOfProperties(values);
  if (bytes * total <= maxBytes) return;
  throw new GatelogError(
    'query_too_large',
    `The session has ${total} requests, and these properties would write ${bytes * total} bytes; one change writes ${maxBytes}. Send fewer or shorter ones.`,
  );
}
