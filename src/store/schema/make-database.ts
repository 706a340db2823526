import type { ClickHouseServers } from '../../config/clickhouse-url.ts';
import { openServerClient } from '../engine/server-client.ts';
import { quoted } from './table-definition.ts';

/** The database in which a session begins, and which every server has. */
const firstDatabase = 'default';

/** Makes the database of the tables where it is missing; one that is there needs no right to make any. @throws the client's error. */
export async function makeDatabase({ urls: [first = ''], database, cluster }: ClickHouseServers): Promise<void> {
  const url = new URL(first);
  url.pathname = `/${firstDatabase}`;
  const client = openServerClient(url.href);
  try {
    const query = 'SELECT name FROM system.databases WHERE name = {name:String}';
    const found = await client.query({ query, query_params: { name: database }, format: 'JSONEachRow' });
    if ((await found.json()).length > 0) return;
    const on = cluster === undefined ? '' : ` ON CLUSTER ${quoted(cluster)}`;
    await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${quoted(database)}${on}` });
  } finally {
    await client.close();
  }
}
