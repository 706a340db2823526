import type { ClickHouseClient } from '@clickhouse/client';
import type { Topology } from './table-definition.ts';

/** Engines of databases that replicate the definitions of their tables. */
const byDatabase: Readonly<Record<string, Topology>> = {
  Replicated: { kind: 'replicated database' },
  Shared: { kind: 'cloud' },
};

/** Asks a server what its database is. @param cluster of the address: the tables are made on all its replicas. */
export async function readTopology(client: ClickHouseClient, cluster?: string): Promise<Topology> {
  if (cluster !== undefined) return { kind: 'cluster', cluster };
  const query = 'SELECT engine FROM system.databases WHERE name = currentDatabase()';
  const [found] = await (await client.query({ query, format: 'JSONEachRow' })).json<{ engine: string }>();
  return byDatabase[found?.engine ?? ''] ?? { kind: 'server' };
}
