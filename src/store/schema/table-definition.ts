/** A table of the store, whatever engine has it. */
export interface TableDefinition {
  readonly name: string;
  /** Columns and indexes. */
  readonly columns: string;
  /** Of rows with the same key the one with the greatest value of this column stays. */
  readonly newestBy?: string;
  /** `PARTITION BY` and `ORDER BY`. */
  readonly order: string;
  /** Blocks of inserts of which the table knows the token. */
  readonly deduplicatedBlocks?: number;
  readonly settings: string;
}

/**
 * Where a table is: in the engine of this process; on one server; in a database of engine Replicated, which replicates definitions itself,
 * or in ClickHouse Cloud, where a database does as well; or on the replicas of a cluster, by `ON CLUSTER`.
 */
export type Topology =
  | { readonly kind: 'embedded' | 'server' | 'replicated database' | 'cloud' }
  | { readonly kind: 'cluster'; readonly cluster: string };

/**
 * Parts are on the disk before an insert is answered, and before what they replace is deleted; replaced ones are deleted gradually. Why is
 * in the step `upkeep of parts`.
 */
const durable = `fsync_after_insert = 1, fsync_part_directory = 1,
      min_rows_to_fsync_after_merge = 1, min_compressed_bytes_to_fsync_after_merge = 1,
      cleanup_delay_period = 1, max_cleanup_delay_period = 1, cleanup_delay_period_random_add = 0`;

/** As long as a batch is repeated: the servers' own hour is over when a store was away for two. */
const deduplicatedSeconds = 7 * 24 * 3600;

/** The path of a replicated table in Keeper, and its replica, from the macros that every cluster has. */
const replica = "'/clickhouse/tables/{uuid}/{shard}', '{replica}'";

/**
 * The statement that makes a table. In this process it replaces what an interrupted start has left, which is empty; on servers, where two may
 * begin at once, it keeps what is there.
 */
export function createTable(table: TableDefinition, topology: Topology): string {
  const create = topology.kind === 'embedded' ? 'CREATE OR REPLACE TABLE' : 'CREATE TABLE IF NOT EXISTS';
  const cluster = topology.kind === 'cluster' ? ` ON CLUSTER ${quoted(topology.cluster)}` : '';
  return `${create} ${table.name}${cluster} (
${table.columns}
    )
    ENGINE = ${engineOf(table, topology)}
    ${table.order}
    SETTINGS ${settingsOf(table, topology).join(', ')}`;
}

function engineOf({ newestBy }: TableDefinition, { kind }: Topology): string {
  const isReplicated = kind === 'replicated database' || kind === 'cluster';
  const name = `${isReplicated ? 'Replicated' : ''}${newestBy === undefined ? '' : 'Replacing'}MergeTree`;
  const given = [...(kind === 'cluster' ? [replica] : []), ...(newestBy === undefined ? [] : [newestBy])];
  return given.length === 0 ? name : `${name}(${given.join(', ')})`;
}

function settingsOf({ deduplicatedBlocks, settings }: TableDefinition, { kind }: Topology): readonly string[] {
  const isAlone = kind === 'embedded' || kind === 'server';
  const replicated = `replicated_deduplication_window = ${deduplicatedBlocks ?? 0}, replicated_deduplication_window_seconds = ${deduplicatedSeconds}`;
  const window = isAlone ? `non_replicated_deduplication_window = ${deduplicatedBlocks ?? 0}` : replicated;
  // The disks of the cloud are none of ours.
  return [...(deduplicatedBlocks === undefined ? [] : [window]), settings, ...(kind === 'cloud' ? [] : [durable])];
}

/** An identifier as SQL has it. */
export function quoted(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}
