import type { ClickHouseServers } from '../../config/clickhouse-url.ts';
import { isUnreachable } from '../engine/failure.ts';
import { openServerClient } from '../engine/server-client.ts';
import { quoted } from './table-definition.ts';

/** The database in which a session begins, and which every server has. */
const firstDatabase = 'default';

/** Makes the database of the tables where it is missing; one that is there needs no right to make any. @throws the client's error. */
export async function makeDatabase({ urls, ...rest }: ClickHouseServers): Promise<void> {
  for (const [index, url] of urls.entries()) {
    try {
      return await makeDatabaseAt(url, rest);
    } catch (error) {
      if (!isUnreachable(error) || index === urls.length - 1) throw error;
    }
  }
}

async function makeDatabaseAt(address: string, { database, cluster }: Omit<ClickHouseServers, 'urls'>): Promise<void> {
  const url = new URL(address);
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
