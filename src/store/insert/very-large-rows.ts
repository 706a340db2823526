import type { ClickHouseClient } from '@clickhouse/client';
import { alterTable } from '../../sql/commands.ts';
import { sql } from '../../sql/sql.ts';
import { compileForAll } from '../../sql/statement.ts';
import { acrossOrganizations } from '../../sql/tables.ts';

/** Bytes of one row. */
export const veryLarge = 16 * 1024 * 1024;

const ofBodies = acrossOrganizations('bodies', 'how parts are merged is one of the whole table');
const fewerParts = sql`MODIFY SETTING max_parts_to_merge_at_once = 4, merge_selector_base = 3`;

/**
 * Prepares the embedded engine for very large rows. A merge holds a row of each of its parts in memory, whatever their size: eleven parts
 * with rows of 60 MB took 490 MB. So from the first such row on merges of bodies take fewer parts. It makes each row merged more often,
 * and stays so, because the rows do.
 */
export class VeryLargeRows {
  private isPrepared = false;

  /** Call it before rows of `bodies` are inserted. */
  async prepare(client: ClickHouseClient, rows: readonly Uint8Array[]): Promise<void> {
    if (this.isPrepared || !rows.some(({ length }) => length > veryLarge)) return;
    await prepareVeryLargeRows(client);
    this.isPrepared = true;
  }
}

/** For rows of which nobody has looked at each. Repeatable. */
export async function prepareVeryLargeRows(client: ClickHouseClient): Promise<void> {
  await client.command({ query: compileForAll(alterTable(ofBodies, fewerParts)).text });
}
