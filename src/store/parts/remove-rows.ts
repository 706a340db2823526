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
  /** Stops the work; the engine finishes statements that it has begun. */
  readonly signal: AbortSignal;
}

const firstLookMs = 10;
const maxLookMs = 500;

export function readForRemoval<Row>({ connections }: RemovingParts, statement: CompiledSql): Promise<readonly Row[]> {
  return readRows<Row>(connections, 'removal', statement);
}

/** TRICKY: the mode is explicit, because `lightweight_update` leaves mutations that never end. */
export const removalSettings = { mutations_sync: 0, lightweight_deletes_sync: 0, lightweight_delete_mode: 'alter_update' };

/**
 * Runs a deleting statement and waits until the engine has finished it.
 *
 * Invariant: statements that rewrite parts of `requests` are ordered in the `update` lane, and only there. The engine loses an update that
 * is being written while a mutation begins (ClickHouse issue 116686); a later one applies on top of the mutation and does not wait.
 * TRICKY: the engine may run waiting mutations together (ClickHouse pull request 119127), so conditions name only columns that never
 * change.
 * @param statement with {@link removalSettings}.
 */
export async function removeRows(parts: RemovingParts, table: OrganizationTable, statement: CompiledSql): Promise<void> {
  await whenMutated(parts, table);
  await runInTurn(parts, table, [statement]);
  await whenMutated(parts, table);
}

/**
 * Runs statements in order on one connection of the lane that writes the table.
 * TRICKY: each checks for free space, even one that only changes a setting. It rewrites the table's description, which becomes an empty
 * file on a full disk, and then the store can never be opened again.
 * @throws GatelogError `store_unavailable` without free disk space; the statements before have run then.
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

/** Drops parts with all their rows. Needs no free space, and frees some. @throws GatelogError when the store fails. */
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

/** @throws GatelogError when the store fails. */
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
 * Waits until the engine has finished all mutations of a table.
 * @throws GatelogError when one fails; the abort reason when the signal aborts.
 */
export async function whenMutated(parts: RemovingParts, table: OrganizationTable): Promise<void> {
  const mutations = systemRows('mutations', sql`table = ${literal(table)} AND NOT is_done`);
  // A reason stays until the next attempt, also when the part that it tells of has been set aside.
  const present = select({ columns: sql`name`, from: systemRows('parts', sql`table = ${literal(table)} AND active`) });
  const failed = sql`if(latest_failed_part IN ${present}, latest_fail_reason, '') AS failed`;
  const statement = compileForAll(select({ columns: failed, from: mutations }));
  for (let pauseMs = firstLookMs; ; pauseMs = Math.min(pauseMs * 2, maxLookMs)) {
    parts.signal.throwIfAborted();
    const unfinished = await readForRemoval<{ readonly failed: string }>(parts, statement);
    if (unfinished.length === 0) return;
    const reason = unfinished.find((mutation) => mutation.failed !== '')?.failed;
    if (reason !== undefined) {
      const cause = engineErrorOf(reason);
      if (isDamage(cause)) throw storeFailure(cause);
      throw new GatelogError('store_unavailable', 'The store could not rewrite rows yet.', { cause });
    }
    await wait(pauseMs, undefined, { signal: parts.signal });
  }
}
