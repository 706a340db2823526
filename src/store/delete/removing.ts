import { setTimeout as wait } from 'node:timers/promises';
import { GatelogError } from '../../model/errors.ts';
import { alterTable, type CommandSettings } from '../../sql/commands.ts';
import { literal } from '../../sql/literal.ts';
import { select } from '../../sql/query.ts';
import { sql } from '../../sql/sql.ts';
import { type CompiledSql, compileForAll } from '../../sql/statement.ts';
import { acrossOrganizations, type OrganizationTable, systemRows } from '../../sql/tables.ts';
import type { Connections } from '../engine/connections.ts';
import { engineErrorOf, isDamage, storeFailure } from '../engine/failure.ts';
import { assertFreeSpace } from '../engine/disk-space.ts';
import { type LaneClient, readRows, runCommand } from '../engine/statements.ts';

export interface RemovingParts {
  readonly connections: Connections;
  /** Aborted when the work must stop; the engine finishes statements that it has begun. */
  readonly signal: AbortSignal;
}

const firstLookMs = 10;
const maxLookMs = 500;

/** Runs a query of a removal in its own lane. */
export function readForRemoval<Row>({ connections }: RemovingParts, statement: CompiledSql): Promise<readonly Row[]> {
  return readRows<Row>(connections, 'removal', statement);
}

/** Settings of a deleting statement. TRICKY: the mode is explicit, because `lightweight_update` leaves mutations that never end. */
export const removalSettings = { mutations_sync: 0, lightweight_deletes_sync: 0, lightweight_delete_mode: 'alter_update' };

/**
 * Runs a statement that removes rows, and waits until the engine has done it.
 *
 * Invariant: what rewrites parts of `requests` is ordered in the lane of the updates, and only ordered there. An update that is being written while
 * a mutation begins would be lost (ClickHouse issue 116686); one that comes later applies on top of it and waits for nothing.
 * TRICKY: the engine may run mutations that wait in one go (ClickHouse pull request 119127). The conditions here name only columns that never change.
 * @param statement with {@link removalSettings}.
 */
export async function removeRows(parts: RemovingParts, table: OrganizationTable, statement: CompiledSql): Promise<void> {
  await whenMutated(parts, table);
  await runInTurn(parts, table, [statement]);
  await whenMutated(parts, table);
}

/**
 * Runs statements one after the other in one turn of the lane that writes a table.
 * TRICKY: each asks for room, also one that only changes a setting. It writes the table's description anew, and with no byte free that becomes an
 * empty file, with which the store can never be opened again.
 * @throws GatelogError `store_unavailable` while there is no room; what stood before has run then.
 */
export async function runInTurn(
  { connections }: RemovingParts,
  table: OrganizationTable,
  statements: readonly CompiledSql[],
): Promise<void> {
  await inLane(connections, laneOf(table), async (lane) => {
    for (const statement of statements) {
      assertFreeSpace(connections);
      await runCommand(lane, statement);
    }
  });
}

/** Drops parts with all their rows. It needs no free space: it makes some. @throws GatelogError when the store fails. */
export async function dropPartitions(
  { connections }: RemovingParts,
  table: OrganizationTable,
  partitions: readonly string[],
): Promise<void> {
  await inLane(connections, laneOf(table), async (lane) => {
    for (const partition of partitions) await runCommand(lane, partitionDrop(table, partition, { max_partition_size_to_drop: 0 }));
  });
}

export function partitionDrop(table: OrganizationTable, partition: string, settings?: CommandSettings): CompiledSql {
  const all = acrossOrganizations(table, 'a partition is one of the whole table');
  return compileForAll(alterTable(all, sql`DROP PARTITION ID ${literal(partition)}`, settings));
}

/** Runs `work` with a connection of a lane. @throws GatelogError when the store fails. */
export async function inLane<Result>(
  connections: Connections,
  lane: 'removal' | 'update',
  work: (lane: LaneClient) => Promise<Result>,
): Promise<Result> {
  try {
    return await connections.run(lane, (client) => work({ client, embedded: connections.embedded }));
  } catch (error) {
    throw storeFailure(error);
  }
}

function laneOf(table: OrganizationTable): 'removal' | 'update' {
  return table === 'requests' ? 'update' : 'removal';
}

/**
 * Waits until the engine has finished all mutations of a table. @throws GatelogError when one fails; the abort reason when told to stop.
 */
export async function whenMutated(parts: RemovingParts, table: OrganizationTable): Promise<void> {
  const mutations = systemRows('mutations', sql`table = ${literal(table)} AND NOT is_done`);
  const statement = compileForAll(select({ columns: sql`latest_fail_reason AS failed`, from: mutations }));
  for (let pauseMs = firstLookMs; ; pauseMs = Math.min(pauseMs * 2, maxLookMs)) {
    parts.signal.throwIfAborted();
    const unfinished = await readForRemoval<{ readonly failed: string }>(parts, statement);
    if (unfinished.length === 0) return;
    const failed = unfinished.find((mutation) => mutation.failed !== '')?.failed;
    if (failed !== undefined) {
      const cause = engineErrorOf(failed);
      if (isDamage(cause)) throw storeFailure(cause);
      throw new GatelogError('store_unavailable', 'The store could not rewrite rows yet.', { cause });
    }
    await wait(pauseMs, undefined, { signal: parts.signal });
  }
}
