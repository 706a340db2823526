import type { ClickHouseClient } from '@clickhouse/client';
import { alterTable } from '../../sql/commands.ts';
import { sql } from '../../sql/sql.ts';
import { compileForAll } from '../../sql/statement.ts';
import { acrossOrganizations } from '../../sql/tables.ts';
import type { Connections } from '../engine/connections.ts';
import { assertFreeSpace } from '../engine/disk-space.ts';
import { runCommand } from '../engine/statements.ts';

/** Bytes of changes that were written before somebody looks, and bytes of patches that reads may have to apply. */
const looksAfter = 16 * 1024 * 1024;
const maxPending = 64 * 1024 * 1024;

/** Writes all patches into the parts whose rows they change. */
export const applyPatches = compileForAll(
  alterTable(acrossOrganizations('requests', 'a patch is of a whole part'), sql`APPLY PATCHES`, { mutations_sync: 1 }),
);

/**
 * Patches of a month that are not in all of its parts yet.
 * TRICKY: a patch part stays in the list when its rows have it, so versions tell which ones reads still apply.
 */
const pendingBytes = `SELECT sum(patches.data_uncompressed_bytes) AS pending
  FROM (SELECT extract(name, '^patch-[0-9a-f]+-([0-9]+)_') AS month, data_version, data_uncompressed_bytes
        FROM system.parts WHERE database = currentDatabase() AND table = 'requests' AND active AND startsWith(name, 'patch-')) AS patches
  INNER JOIN (SELECT partition_id AS month, min(data_version) AS oldest
        FROM system.parts WHERE database = currentDatabase() AND table = 'requests' AND active AND NOT startsWith(name, 'patch-') GROUP BY month) AS parts
  USING (month) WHERE patches.data_version > parts.oldest`;

/**
 * Bounds the patches of `requests`: every read of a patched row applies them in memory, and the engine merges them when it likes.
 */
export class PendingPatches {
  private written = 0;
  private readonly lookEvery: number;
  private readonly most: number;

  /** @param lookEvery bytes written between two looks. @param most bytes of patches that may be pending. */
  constructor(lookEvery: number = looksAfter, most: number = maxPending) {
    this.lookEvery = lookEvery;
    this.most = most;
  }

  /**
   * To be called before a patch of about so many bytes, in the lane of the updates.
   * @throws GatelogError `store_unavailable` when they must be merged and the disk has no room; the next call looks again.
   */
  async makeRoom(connections: Connections, client: ClickHouseClient, bytes: number): Promise<void> {
    this.written += bytes;
    if (this.written < this.lookEvery) return;
    const found = await client.query({ query: pendingBytes, format: 'JSONEachRow' });
    const [row] = await found.json<{ readonly pending: number | string }>();
    if (Number(row?.pending ?? 0) + bytes > this.most) {
      assertFreeSpace(connections);
      await runCommand({ client, embedded: connections.embedded }, applyPatches);
    }
    this.written = 0;
  }
}
