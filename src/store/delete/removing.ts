import { setTimeout as wait } from 'node:timers/promises';
import { GatelogError } from '../../model/errors.ts';
import type { Connections } from '../engine/connections.ts';
import { engineErrorOf, isDamage, storeFailure } from '../engine/failure.ts';
import { boundQuery } from '../engine/parameters.ts';
import { assertFreeSpace } from '../engine/disk-space.ts';

/** Tables that rows are removed from. */
export type RemovableTable = 'requests' | 'bodies' | 'changes' | 'session_tags' | 'session_changes';

/** A condition on rows, with its parameters. */
export interface RowCondition {
  readonly text: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface RemovingParts {
  readonly connections: Connections;
  /** Aborted when the work must stop; what the engine has begun it goes on with by itself. */
  readonly signal: AbortSignal;
}

const firstLookMs = 10;
const maxLookMs = 500;

/** Runs a query that removals need, in their own lane. */
export async function readRows<Row>({ connections }: RemovingParts, { text, params }: RowCondition): Promise<readonly Row[]> {
  return inLane(connections, 'removal', async (client) =>
    (await client.query({ ...boundQuery(text, { params }, connections.embedded), format: 'JSONEachRow' })).json<Row>(),
  );
}

/**
 * Runs a statement that removes rows, and waits until the engine has done it.
 *
 * Invariant: what rewrites parts of `requests` is ordered in the lane of the updates, and only ordered there. An update that is being written while
 * a mutation begins would be lost (ClickHouse issue 116686); one that comes later applies on top of it and waits for nothing.
 * TRICKY: the mode is said, because another one, `lightweight_update`, leaves mutations that never end. And the engine may run mutations that wait in one go (ClickHouse pull request 119127). The conditions here name only columns that never change.
 */
export async function removeRows(parts: RemovingParts, table: RemovableTable, statement: RowCondition): Promise<void> {
  const { connections } = parts;
  const later = `${statement.text} SETTINGS mutations_sync = 0, lightweight_deletes_sync = 0, lightweight_delete_mode = 'alter_update'`;
  await whenMutated(parts, table);
  await inLane(connections, laneOf(table), (client) => {
    assertFreeSpace(connections);
    return client.command(boundQuery(later, statement, connections.embedded));
  });
  await whenMutated(parts, table);
}

/**
 * Runs statements one after the other in one turn of the lane that writes a table.
 * TRICKY: each asks for room, also one that only changes a setting. It writes the table's description anew, and with no byte free that becomes an
 * empty file, with which the store can never be opened again.
 * @throws GatelogError `store_unavailable` while there is no room; what stood before has run then.
 */
export async function runInTurn({ connections }: RemovingParts, table: string, statements: readonly string[]): Promise<void> {
  await inLane(connections, laneOf(table), async (client) => {
    for (const query of statements) {
      assertFreeSpace(connections);
      await client.command({ query });
    }
  });
}

/** Drops parts of a table with all their rows. It asks for no room: this is what makes some. @throws GatelogError when the store fails. */
export async function dropPartitions({ connections }: RemovingParts, table: RemovableTable, partitions: readonly string[]): Promise<void> {
  await inLane(connections, laneOf(table), async (client) => {
    for (const partition of partitions) {
      await client.command({ query: `ALTER TABLE ${table} DROP PARTITION ID '${partition}' SETTINGS max_partition_size_to_drop = 0` });
    }
  });
}

type Client = Parameters<Parameters<Connections['run']>[1]>[0];

/** Runs `work` with a connection of a lane. @throws GatelogError when the store fails. */
export async function inLane<Result>(
  connections: Connections,
  lane: 'removal' | 'update',
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  try {
    return await connections.run(lane, work);
  } catch (error) {
    throw storeFailure(error);
  }
}

function laneOf(table: string): 'removal' | 'update' {
  return table === 'requests' ? 'update' : 'removal';
}

/**
 * Waits until the engine has rewritten all that it was told to rewrite.
 * @throws GatelogError when the engine says that it cannot do it; the abort reason when told to stop.
 */
export async function whenMutated(parts: RemovingParts, table: RemovableTable): Promise<void> {
  const text = `SELECT latest_fail_reason AS failed FROM system.mutations WHERE database = currentDatabase() AND table = '${table}' AND NOT is_done`;
  for (let pauseMs = firstLookMs; ; pauseMs = Math.min(pauseMs * 2, maxLookMs)) {
    parts.signal.throwIfAborted();
    const unfinished = await readRows<{ readonly failed: string }>(parts, { text, params: {} });
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
