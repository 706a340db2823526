import type { ClickHouseClient } from '@clickhouse/client';
import { alterTable } from '../../sql/commands.ts';
import { sql } from '../../sql/sql.ts';
import { compileForAll } from '../../sql/statement.ts';
import { acrossOrganizations } from '../../sql/tables.ts';
import type { Connections } from '../engine/connections.ts';
import { assertFreeSpace } from '../engine/disk-space.ts';
import { runCommand } from '../engine/statements.ts';

/** Bytes of written patches between two checks, and maximum bytes of patches that reads must apply. */
const looksAfter = 16 * 1024 * 1024;
const maxPending = 64 * 1024 * 1024;

/** Merges all patches into the parts whose rows they change. */
export const applyPatches = compileForAll(
  alterTable(acrossOrganizations('requests', 'a patch is of a whole part'), sql`APPLY PATCHES`, { mutations_sync: 1 }),
);

/**
 * Patches of a month that not all of its parts contain yet.
 * TRICKY: a patch part stays listed after the parts contain it, so versions show which patches reads still apply.
 */
const pendingBytes = `SELECT sum(patches.data_uncompressed_bytes) AS pending
  FROM (SELECT extract(name, '^patch-[0-9a-f]+-([0-9]+)_') AS month, data_version, data_uncompressed_bytes
        FROM system.parts WHERE database = currentDatabase() AND table = 'requests' AND active AND startsWith(name, 'patch-')) AS patches
  INNER JOIN (SELECT partition_id AS month, min(data_version) AS oldest
        FROM system.parts WHERE database = currentDatabase() AND table = 'requests' AND active AND NOT startsWith(name, 'patch-') GROUP BY month) AS parts
  USING (month) WHERE patches.data_version > parts.oldest`;

/**
 * Bounds the patches of `requests`: every read of a patched row applies them in memory, and the engine merges them at a time of its own.
 */
export class PendingPatches {
  private written = 0;
  private readonly lookEvery: number;
  private readonly most: number;

  /** @param lookEvery bytes between two checks. @param most bytes of pending patches. */
  constructor(lookEvery: number = looksAfter, most: number = maxPending) {
    this.lookEvery = lookEvery;
    this.most = most;
  }

  /**
   * Call it in the `update` lane before writing a patch of about these bytes.
   * @throws GatelogError `store_unavailable` when patches must be merged without free disk space; the next call checks again.
   */
  async flushIfOverLimit(connections: Connections, client: ClickHouseClient, bytes: number): Promise<void> {
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
