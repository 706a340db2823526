import { setTimeout as wait } from 'node:timers/promises';
import { GatelogError } from '../../model/errors.ts';
import { type OrganizationId, type RequestId, uuidToNumber } from '../../model/ids.ts';
import { alterTable, deleteRows, insertSelected } from '../../sql/commands.ts';
import { literal } from '../../sql/literal.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, join, param, sql } from '../../sql/sql.ts';
import { compileFor, compileForAll } from '../../sql/statement.ts';
import { dateTime64 } from '../../sql/time.ts';
import {
  acrossOrganizations,
  bodies,
  type OrganizationTable,
  organizationTables,
  tenantRows,
  requests,
  type Rows,
  systemRows,
} from '../../sql/tables.ts';
import type { Connections } from '../engine/connections.ts';
import { assertFreeSpace } from '../engine/disk-space.ts';
import { syncParts } from '../parts/sync-parts.ts';
import { runCommand, selectRows } from '../engine/statements.ts';
import { applyPatches } from '../update/pending-patches.ts';
import { keepWordsOfOthers } from '../parts/keep-words.ts';
import {
  inLane,
  partitionDrop,
  readForRemoval,
  removalSettings,
  removeRows,
  type RemovingParts,
  runInTurn,
  whenMutated,
} from '../parts/remove-rows.ts';

/** The records that an erasure deletes. */
export interface StoreErasure {
  readonly number: number;
  readonly organizationId: OrganizationId;
  readonly userId: string;
  /** Unix milliseconds: later records stay. */
  readonly erasedAt: number;
}

export interface StoredCounts {
  readonly requests: number;
  /** Recorded bodies; those of a request and its response count separately. */
  readonly bodies: number;
}

/**
 * Deletes a user's records in these steps. Each is durable on return and repeatable. All throw GatelogError when the store fails,
 * `store_unavailable` without free disk space, and the abort reason when the signal aborts.
 */
export interface EraseStored {
  /** Lists and counts the requests. Call it before anything is deleted. */
  readonly list: (erasure: StoreErasure, signal: AbortSignal) => Promise<StoredCounts>;
  /**
   * A page of the listed requests, in an order of their identifiers, while the list exists.
   * @param behind the last of the page before; undefined: the first page. @returns an empty page behind the last one.
   */
  readonly readList: (erasure: StoreErasure, behind: RequestId | undefined, signal: AbortSignal) => Promise<readonly RequestId[]>;
  /** Deletes the requests: no query finds them from then on. */
  readonly removeRequests: (erasure: StoreErasure, signal: AbortSignal) => Promise<void>;
  /** Deletes their bodies, history, and the tags and changes of sessions without remaining requests. */
  readonly removeRest: (erasure: StoreErasure, signal: AbortSignal) => Promise<void>;
  /**
   * Deletes the files that still contain any of it, and the list. @throws GatelogError `store_unavailable` also while something still
   * reads one of them.
   */
  readonly removeFiles: (erasure: StoreErasure, signal: AbortSignal) => Promise<void>;
}

/** @param maxLooks checks for files that queries or merges still read, half a second apart. */
export function makeEraseStored(connections: Connections, maxLooks = 60): EraseStored {
  const partsWith = (signal: AbortSignal): RemovingParts => ({ connections, signal });
  return {
    list: (erasure, signal) => list(partsWith(signal), erasure),
    readList: (erasure, behind, signal) => readList(partsWith(signal), erasure, behind),
    removeRequests: (erasure, signal) => removeByMonth(partsWith(signal), 'requests', erasure),
    removeRest: (erasure, signal) => removeRest(partsWith(signal), erasure),
    removeFiles: (erasure, signal) => removeFiles(partsWith(signal), erasure, maxLooks),
  };
}

/** @param and further conditions on an entry. */
function listed({ number }: StoreErasure, and: readonly Fragment[] = []): Rows {
  return tenantRows('removals', [sql`removal = ${param(number, 'UInt64', 'removal')}`, ...and]);
}

type RecordTable = 'requests' | 'bodies' | 'bodies_before';

function listedKeys(erasure: StoreErasure, and: readonly Fragment[] = []): Fragment {
  return sql`(created_at, request_id) IN ${select({ columns: sql`created_at, request_id`, from: listed(erasure, and) })}`;
}

/** Listed sessions without requests of others. */
function emptySessions(table: 'session_tags' | 'session_changes', erasure: StoreErasure): Rows {
  const isListed = sql`session_id IN ${select({ columns: sql`session_id`, from: listed(erasure, [sql`session_id != ''`]) })}`;
  const left = select({ columns: sql`session_id`, from: requests(isListed) });
  return tenantRows(table, [isListed, sql`session_id NOT IN ${left}`]);
}

async function list(parts: RemovingParts, erasure: StoreErasure): Promise<StoredCounts> {
  const { connections } = parts;
  const { number, organizationId, userId, erasedAt } = erasure;
  const found = select({
    columns: sql`${param(number, 'UInt64', 'removal')}, org_id, created_at, request_id, session_id`,
    from: requests([sql`user_id = ${param(userId, 'String', 'user')}`, sql`created_at <= ${dateTime64(erasedAt, 'before')}`]),
  });
  await inLane(connections, 'removal', (lane) => {
    parts.signal.throwIfAborted();
    assertFreeSpace(connections);
    return runCommand(
      lane,
      compileFor(
        organizationId,
        insertSelected({ table: 'removals', columns: ['removal', 'org_id', 'created_at', 'request_id', 'session_id'] }, found),
      ),
    );
  });
  const bodyCount = sql`countIf(request_kind != 'absent') + countIf(response_kind != 'absent')`;
  return {
    // A list that was written twice has each request twice.
    requests: await count(parts, erasure, { of: sql`uniqExact(request_id)`, from: listed(erasure) }),
    bodies: await count(parts, erasure, { of: bodyCount, from: bodies(listedKeys(erasure)) }),
  };
}

/** Identifiers of a page: some hundred kilobytes. */
const listPage = 5000;

async function readList(parts: RemovingParts, erasure: StoreErasure, behind: RequestId | undefined): Promise<readonly RequestId[]> {
  const isBehind = behind === undefined ? [] : [sql`request_id > ${param(uuidToNumber(behind), 'UInt128', 'behind')}`];
  const page = select({
    distinct: true,
    columns: sql`request_id, UUIDNumToString(reverse(reinterpretAsFixedString(request_id))) AS id`,
    from: listed(erasure, isBehind),
    orderBy: sql`request_id`,
    limit: listPage,
  });
  const rows = await readForRemoval<{ readonly id: RequestId }>(parts, compileFor(erasure.organizationId, page));
  return rows.map(({ id }) => id);
}

interface Counting {
  readonly of: Fragment;
  readonly from: Rows;
}

async function count(parts: RemovingParts, { organizationId }: StoreErasure, { of, from }: Counting): Promise<number> {
  const statement = compileFor(organizationId, select({ columns: sql`${of} AS counted`, from }));
  const [row] = await readForRemoval<{ readonly counted: number | string }>(parts, statement);
  return Number(row?.counted ?? 0);
}

/** Month by month, so that only one month's parts are rewritten at once. */
async function removeByMonth(parts: RemovingParts, table: RecordTable, erasure: StoreErasure): Promise<void> {
  const query = select({
    distinct: true,
    columns: sql`toString(toYYYYMM(created_at)) AS month`,
    from: listed(erasure),
    orderBy: sql`month`,
  });
  const months = await readForRemoval<{ readonly month: string }>(parts, compileFor(erasure.organizationId, query));
  for (const { month } of months) {
    const rows = tenantRows(table, listedKeys(erasure, [sql`toYYYYMM(created_at) = ${literal(Number(month))}`]));
    const deletion = deleteRows(rows, { by: 'rewriting', partition: month, settings: removalSettings });
    await removeRows(parts, table, compileFor(erasure.organizationId, deletion));
  }
}

async function removeRest(parts: RemovingParts, erasure: StoreErasure): Promise<void> {
  await keepWordsOfOthers(parts, erasure.organizationId, listedKeys(erasure));
  await removeByMonth(parts, 'bodies', erasure);
  await removeByMonth(parts, 'bodies_before', erasure);
  const ids = select({ columns: sql`request_id`, from: listed(erasure) });
  await removeWhere(parts, erasure, 'changes', tenantRows('changes', sql`request_id IN ${ids}`));
  await removeWhere(parts, erasure, 'job_requests', tenantRows('job_requests', sql`request_id IN ${ids}`));
  for (const table of ['session_tags', 'session_changes'] as const) {
    await removeWhere(parts, erasure, table, emptySessions(table, erasure));
  }
}

async function removeWhere(parts: RemovingParts, erasure: StoreErasure, table: OrganizationTable, rows: Rows): Promise<void> {
  if ((await count(parts, erasure, { of: sql`count()`, from: rows })) === 0) return;
  const deletion = deleteRows(rows, { by: 'rewriting', settings: removalSettings });
  await removeRows(parts, table, compileFor(erasure.organizationId, deletion));
}

const lookMs = 500;

/** A partition without parts: dropping it drops nothing. */
const noPartition = '190001';

/**
 * TRICKY: the engine may keep replaced parts for some minutes (`old_parts_lifetime`) and has no command that deletes them, but dropping a
 * partition deletes all that are older than their lifetime. The lifetime protects against power loss, so the parts that replaced them are
 * synced first; merges meanwhile sync their own. The texts of finished mutations are files too, and may quote stored values.
 */
async function removeFiles(parts: RemovingParts, erasure: StoreErasure, maxLooks: number): Promise<void> {
  await removeMasked(parts);
  await removePatches(parts);
  await runInTurn(parts, 'removals', [partitionDrop('removals', String(erasure.number))]);
  try {
    await syncYoung(parts);
    await alterAll(parts, sql`MODIFY SETTING old_parts_lifetime = 0, finished_mutations_to_keep = 1`);
    await whenDeleted(parts, maxLooks);
  } finally {
    // Without space this is refused as well; the erasure is not finished then, and its next attempt resets them.
    await alterAll(parts, sql`RESET SETTING old_parts_lifetime, finished_mutations_to_keep`);
  }
}

/**
 * Waits until all currently inactive parts are deleted, because they may contain erased rows. Parts that become inactive later were made
 * from active ones, which contain none; under inserts there are always some.
 */
async function whenDeleted(parts: RemovingParts, maxLooks: number): Promise<void> {
  const replaced = new Set(await replacedParts(parts));
  for (let looks = 0; looks < maxLooks; looks += 1) {
    const left = (await replacedParts(parts)).filter((part) => replaced.has(part));
    if (left.length === 0) return;
    for (const table of organizationTables) await runInTurn(parts, table, [partitionDrop(table, noPartition)]);
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

/** Replaced parts whose files still exist, by table and name. */
async function replacedParts(parts: RemovingParts): Promise<readonly string[]> {
  const query = select({ columns: sql`concat(table, '/', name) AS part`, from: partsWhere(sql`NOT active`) });
  return (await readForRemoval<{ readonly part: string }>(parts, compileForAll(query))).map(({ part }) => part);
}

/**
 * Syncs parts that were merged or rewritten before the schema synced merges; the system writes older ones by itself. A server's disk is
 * not ours.
 */
async function syncYoung(parts: RemovingParts): Promise<void> {
  if (!parts.connections.embedded) return;
  const young = partsWhere(sql`active AND modification_time > now() - 600`);
  const found = await readForRemoval<{ readonly path: string }>(parts, compileForAll(select({ columns: sql`path`, from: young })));
  await syncParts(found.map(({ path }) => path));
}

function partsWhere(condition: Fragment): Rows {
  return systemRows('parts', [sql`table IN [${join(organizationTables.map(literal), ', ')}]`, condition]);
}

const reason = 'parts hold rows of many';

async function alterAll(parts: RemovingParts, action: Fragment): Promise<void> {
  for (const table of organizationTables) {
    await runInTurn(parts, table, [compileForAll(alterTable(acrossOrganizations(table, reason), action))]);
  }
}

/** Rows that retention has masked may be the user's too. */
async function removeMasked(parts: RemovingParts): Promise<void> {
  const query = select({
    distinct: true,
    columns: sql`table`,
    from: partsWhere(sql`active AND has_lightweight_delete`),
    orderBy: sql`table`,
  });
  const masked = await readForRemoval<{ readonly table: OrganizationTable }>(parts, compileForAll(query));
  for (const { table } of masked) {
    const removal = alterTable(acrossOrganizations(table, reason), sql`APPLY DELETED MASK`, removalSettings);
    await removeRows(parts, table, compileForAll(removal));
  }
}

const patchPartitions = compileForAll(
  select({
    distinct: true,
    columns: sql`partition_id AS partition`,
    from: systemRows('parts', sql`table = 'requests' AND active AND rows > 0 AND startsWith(name, 'patch-')`),
  }),
);

/** Applied updates stay in files of their own. No update runs meanwhile, so all existing ones are applied. */
async function removePatches(parts: RemovingParts): Promise<void> {
  const { connections } = parts;
  await whenMutated(parts, 'requests');
  await inLane(connections, 'update', async (lane) => {
    const patches = await selectRows<{ readonly partition: string }>(lane, patchPartitions);
    if (patches.length === 0) return;
    assertFreeSpace(connections);
    await runCommand(lane, applyPatches);
    for (const { partition } of patches) {
      assertFreeSpace(connections);
      await runCommand(lane, partitionDrop('requests', partition));
    }
  });
}
