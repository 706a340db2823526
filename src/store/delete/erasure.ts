import { setTimeout as wait } from 'node:timers/promises';
import { GatelogError } from '../../model/errors.ts';
import { type OrganizationId, uuidToNumber } from '../../model/ids.ts';
import type { Connections } from '../engine/connections.ts';
import { boundQuery } from '../engine/parameters.ts';
import { assertFreeSpace } from '../engine/disk-space.ts';
import { syncParts } from '../parts/sync-parts.ts';
import {
  inLane,
  readRows,
  type RemovableTable,
  removeRows,
  type RemovingParts,
  type RowCondition,
  runInTurn,
  whenMutated,
} from './removing.ts';

/** Whose records an erasure takes out of the store. */
export interface StoreErasure {
  /** Of this erasure alone. */
  readonly number: number;
  readonly organizationId: OrganizationId;
  readonly userId: string;
  /** Unix milliseconds: what arrived later stays. */
  readonly erasedAt: number;
}

/** What an erasure has found in the store. */
export interface StoredCounts {
  readonly requests: number;
  /** Recorded bodies, of a request and of its response each one. */
  readonly bodies: number;
}

/**
 * Takes a user's records out of the store, in these steps. Each is durable when it returns and may be repeated.
 * All throw GatelogError when the store fails, `store_unavailable` while there is no room on its disk, and the abort reason when told to stop.
 */
export interface EraseStored {
  /** Writes down which requests go, and counts them. To be called before anything goes. */
  readonly list: (erasure: StoreErasure, signal: AbortSignal) => Promise<StoredCounts>;
  /** Takes out the requests: no query finds them from then on. */
  readonly removeRequests: (erasure: StoreErasure, signal: AbortSignal) => Promise<void>;
  /** Takes out what belonged to them: bodies, history, and the tags and changes of sessions of which no request is left. */
  readonly removeRest: (erasure: StoreErasure, signal: AbortSignal) => Promise<void>;
  /** Deletes the files that still hold any of it, and the list. @throws GatelogError `store_unavailable` also while something still reads one of them. */
  readonly removeFiles: (erasure: StoreErasure, signal: AbortSignal) => Promise<void>;
}

const tables = ['requests', 'bodies', 'changes', 'session_tags', 'session_changes'] as const satisfies readonly RemovableTable[];

const listed = 'FROM removals WHERE removal = {removal:UInt64}';
/** Rows of the requests that are listed. @param and what else has to hold for an entry of the list. */
function listedRows(and = ''): string {
  return `org_id = {tenant:UInt128} AND (created_at, request_id) IN (SELECT created_at, request_id ${listed}${and})`;
}
/** Of the sessions, those that nobody else has part in. */
const listedSessions = `session_id IN (SELECT session_id ${listed} AND session_id != '')`;
const emptySessions = `org_id = {tenant:UInt128} AND ${listedSessions}
  AND session_id NOT IN (SELECT session_id FROM requests WHERE org_id = {tenant:UInt128} AND ${listedSessions})`;

/** Makes the functions that erase. @param maxLooks after files that queries or merges still read, half a second apart. */
export function makeEraseStored(connections: Connections, maxLooks = 60): EraseStored {
  const partsWith = (signal: AbortSignal): RemovingParts => ({ connections, signal });
  return {
    list: (erasure, signal) => list(partsWith(signal), erasure),
    removeRequests: (erasure, signal) => removeByMonth(partsWith(signal), 'requests', erasure),
    removeRest: (erasure, signal) => removeRest(partsWith(signal), erasure),
    removeFiles: (erasure, signal) => removeFiles(partsWith(signal), erasure, maxLooks),
  };
}

function bound(text: string, { number, organizationId, userId, erasedAt }: StoreErasure): RowCondition {
  const params = { removal: String(number), tenant: uuidToNumber(organizationId).toString(), user: userId, before: String(erasedAt) };
  return { text, params };
}

async function list(parts: RemovingParts, erasure: StoreErasure): Promise<StoredCounts> {
  const { connections } = parts;
  const found = bound(
    `INSERT INTO removals SELECT {removal:UInt64}, org_id, created_at, request_id, session_id FROM requests
      WHERE org_id = {tenant:UInt128} AND user_id = {user:String} AND created_at <= fromUnixTimestamp64Milli({before:Int64}, 'UTC')`,
    erasure,
  );
  await inLane(connections, 'removal', (client) => {
    parts.signal.throwIfAborted();
    assertFreeSpace(connections);
    return client.command(boundQuery(found.text, found, connections.embedded));
  });
  // A list that was written twice holds each request twice.
  const [requests] = await readRows<Counted>(parts, bound(`SELECT uniqExact(request_id) AS counted ${listed}`, erasure));
  const [bodies] = await readRows<Counted>(
    parts,
    bound(
      `SELECT countIf(request_kind != 'absent') + countIf(response_kind != 'absent') AS counted FROM bodies WHERE ${listedRows()}`,
      erasure,
    ),
  );
  return { requests: Number(requests?.counted ?? 0), bodies: Number(bodies?.counted ?? 0) };
}

interface Counted {
  readonly counted: number | string;
}

/** Month by month, so that the parts of one month at most are rewritten at once. */
async function removeByMonth(parts: RemovingParts, table: 'requests' | 'bodies', erasure: StoreErasure): Promise<void> {
  const months = await readRows<{ readonly month: string }>(
    parts,
    bound(`SELECT DISTINCT toString(toYYYYMM(created_at)) AS month ${listed} ORDER BY month`, erasure),
  );
  for (const { month } of months) {
    const inMonth = listedRows(` AND toYYYYMM(created_at) = ${month}`);
    await removeRows(parts, table, bound(`ALTER TABLE ${table} DELETE IN PARTITION ID '${month}' WHERE ${inMonth}`, erasure));
  }
}

async function removeRest(parts: RemovingParts, erasure: StoreErasure): Promise<void> {
  await removeByMonth(parts, 'bodies', erasure);
  await removeWhere(parts, 'changes', bound(`org_id = {tenant:UInt128} AND request_id IN (SELECT request_id ${listed})`, erasure));
  for (const table of ['session_tags', 'session_changes'] as const) await removeWhere(parts, table, bound(emptySessions, erasure));
}

async function removeWhere(parts: RemovingParts, table: RemovableTable, { text, params }: RowCondition): Promise<void> {
  const [found] = await readRows<Counted>(parts, { text: `SELECT count() AS counted FROM ${table} WHERE ${text}`, params });
  if (Number(found?.counted ?? 0) === 0) return;
  await removeRows(parts, table, { text: `ALTER TABLE ${table} DELETE WHERE ${text}`, params });
}

/** Between two looks after files that queries or merges were still reading. */
const lookMs = 500;

/** No part is in it: dropping it drops nothing. */
const noPartition = '190001';

/**
 * TRICKY: an engine may keep parts that were replaced for some minutes (`old_parts_lifetime`), and has no command that deletes them. It does so when
 * a partition is dropped, to all that are older than their lifetime. That lifetime is for power losses, so the parts that took their place are
 * brought to the disk first; what merges make meanwhile is synced in any case. The texts of mutations that are done are files too, and may quote
 * what was written.
 */
async function removeFiles(parts: RemovingParts, erasure: StoreErasure, maxLooks: number): Promise<void> {
  await removeMasked(parts);
  await removePatches(parts);
  await runInTurn(parts, 'removals', [`ALTER TABLE removals DROP PARTITION ID '${erasure.number}'`]);
  const all = [...tables, 'removals'];
  try {
    await syncYoung(parts);
    for (const table of all) await setForTable(parts, table, 'MODIFY SETTING old_parts_lifetime = 0, finished_mutations_to_keep = 1');
    await whenDeleted(parts, all, maxLooks);
  } finally {
    // Without room this is refused as well: the erasure is not over then, and its next try resets them.
    for (const table of all) await setForTable(parts, table, 'RESET SETTING old_parts_lifetime, finished_mutations_to_keep');
  }
}

/**
 * Waits until the parts that may hold what was erased are gone: all that are not active now. What becomes inactive later was made of active ones,
 * which hold nothing of it; under inserts there are always some of these.
 */
async function whenDeleted(parts: RemovingParts, all: readonly string[], maxLooks: number): Promise<void> {
  const replaced = new Set(await replacedParts(parts));
  for (let looks = 0; looks < maxLooks; looks += 1) {
    const left = (await replacedParts(parts)).filter((part) => replaced.has(part));
    if (left.length === 0) return;
    for (const table of all) await runInTurn(parts, table, [`ALTER TABLE ${table} DROP PARTITION ID '${noPartition}'`]);
    await wait(lookMs, undefined, { signal: parts.signal });
  }
  const left = (await replacedParts(parts)).filter((part) => replaced.has(part));
  if (left.length === 0) return;
  throw new GatelogError(
    'store_unavailable',
    'Some files that hold what is erased are still being read; the erasure goes on when they are not.',
    {
      cause: new Error(`still on disk: ${left.join(', ')}`),
    },
  );
}

/** Parts that merges or rewrites have replaced and whose files are still there, by table and name. */
async function replacedParts(parts: RemovingParts): Promise<readonly string[]> {
  const names = [...tables, 'removals'].map((name) => `'${name}'`).join(', ');
  const text = `SELECT concat(table, '/', name) AS part FROM system.parts WHERE database = currentDatabase() AND table IN (${names}) AND NOT active`;
  return (await readRows<{ readonly part: string }>(parts, { text, params: {} })).map(({ part }) => part);
}

/** What was merged or rewritten before the schema had that synced. The system brings what is older to the disk by itself. A server's disk is not ours. */
async function syncYoung(parts: RemovingParts): Promise<void> {
  if (!parts.connections.embedded) return;
  const names = [...tables, 'removals'].map((name) => `'${name}'`).join(', ');
  const text = `SELECT path FROM system.parts WHERE database = currentDatabase() AND table IN (${names}) AND active AND modification_time > now() - 600`;
  await syncParts((await readRows<{ readonly path: string }>(parts, { text, params: {} })).map(({ path }) => path));
}

async function setForTable(parts: RemovingParts, table: string, setting: string): Promise<void> {
  await runInTurn(parts, table, [`ALTER TABLE ${table} ${setting}`]);
}

/** Rows that retention has hidden may be the user's too. */
async function removeMasked(parts: RemovingParts): Promise<void> {
  for (const table of await tablesWith(parts, 'active AND has_lightweight_delete')) {
    await removeRows(parts, table, { text: `ALTER TABLE ${table} APPLY DELETED MASK`, params: {} });
  }
}

/** Changes that have reached their rows stay in files of their own. No update runs meanwhile, so that all that are there have been applied. */
async function removePatches(parts: RemovingParts): Promise<void> {
  const { connections } = parts;
  await whenMutated(parts, 'requests');
  await inLane(connections, 'update', async (client) => {
    const query = `SELECT DISTINCT partition_id AS partition FROM system.parts
      WHERE database = currentDatabase() AND table = 'requests' AND active AND rows > 0 AND startsWith(name, 'patch-')`;
    const patches = await (await client.query({ query, format: 'JSONEachRow' })).json<{ readonly partition: string }>();
    if (patches.length === 0) return;
    assertFreeSpace(connections);
    await client.command({ query: 'ALTER TABLE requests APPLY PATCHES SETTINGS mutations_sync = 1' });
    for (const { partition } of patches) {
      assertFreeSpace(connections);
      await client.command({ query: `ALTER TABLE requests DROP PARTITION ID '${partition}'` });
    }
  });
}

async function tablesWith(parts: RemovingParts, condition: string): Promise<readonly RemovableTable[]> {
  const names = [...tables, 'removals'].map((name) => `'${name}'`).join(', ');
  const text = `SELECT DISTINCT table FROM system.parts WHERE database = currentDatabase() AND table IN (${names}) AND ${condition} ORDER BY table`;
  return (await readRows<{ readonly table: RemovableTable }>(parts, { text, params: {} })).map(({ table }) => table);
}
