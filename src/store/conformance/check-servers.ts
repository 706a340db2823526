import { randomUUID } from 'node:crypto';
import type { ClickHouseServers } from '../../config/clickhouse-url.ts';
import { messageOf } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Connections } from '../engine/connections.ts';
import { openConnections } from '../engine/open-connections.ts';
import { openServerClient } from '../engine/server-client.ts';
import { makeDatabase } from '../schema/make-database.ts';
import { migrateStore } from '../schema/migrate.ts';
import { quoted } from '../schema/table-definition.ts';
import type { Check, CheckResult, CheckScene } from './check.ts';
import { checks } from './checks.ts';

const prepares = 'a database and the tables of the store can be made';

/**
 * Tries servers in a database of its own, which is removed at the end, whatever came out. Nothing else on them is touched.
 * @returns the results one by one. After a failure to make the tables nothing else is tried.
 */
export async function* checkServers(servers: ClickHouseServers): AsyncGenerator<CheckResult> {
  const database = `gatelog_check_${randomUUID().replaceAll('-', '')}`;
  const scratch: ClickHouseServers = { ...servers, database, urls: servers.urls.map((url) => withDatabase(url, database)) };
  const [url = ''] = scratch.urls;
  let connections: Connections | undefined;
  try {
    try {
      await makeDatabase(scratch);
      connections = openConnections({ servers: scratch });
      await migrateStore(connections, () => undefined);
      yield { name: prepares, remedy: '' };
    } catch (error) {
      yield { name: prepares, fault: reasonOf(error), remedy: remedyOfRights };
      return;
    }
    const scene: CheckScene = { connections, url, organizationId: randomUUID() as OrganizationId };
    for (const check of checks) yield await resultOf(check, scene);
  } finally {
    await connections?.close();
    await dropDatabase(scratch);
  }
}

const remedyOfRights =
  'Give the user CREATE DATABASE, or make the database and give it the rights that docs/operations/clickhouse.md lists.';

async function resultOf({ name, remedy, run }: Check, scene: CheckScene): Promise<CheckResult> {
  try {
    await run(scene);
    return { name, remedy };
  } catch (error) {
    return { name, fault: reasonOf(error), remedy };
  }
}

/** The server's own words where there are any; one line. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return (messageOf(cause).split('\n', 1)[0] ?? '').slice(0, 300);
}

function withDatabase(text: string, database: string): string {
  const url = new URL(text);
  url.pathname = `/${database}`;
  return url.href;
}

async function dropDatabase({ urls: [first = ''], database, cluster }: ClickHouseServers): Promise<void> {
  const client = openServerClient(withDatabase(first, 'default'));
  try {
    const on = cluster === undefined ? '' : ` ON CLUSTER ${quoted(cluster)}`;
    await client.command({ query: `DROP DATABASE IF EXISTS ${quoted(database)}${on} SYNC` });
  } catch {
    // It could not be made, or the server is away: its name says what it was for.
  } finally {
    await client.close();
  }
}
