import type { ClickHouseClient } from '@clickhouse/client';

/** A replica that takes longer is not used. */
const maxSeconds = 10;

/** Waits until a replica has the parts of the others. Tables that are not replicated have nothing to wait for. */
export async function catchUp(client: ClickHouseClient): Promise<void> {
  const query =
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND (engine LIKE 'Replicated%' OR engine LIKE 'Shared%')";
  const tables = await (await client.query({ query, format: 'JSONEachRow' })).json<{ readonly name: string }>();
  const settings = { receive_timeout: maxSeconds, max_execution_time: maxSeconds };
  await Promise.all(
    tables.map(({ name }) => client.command({ query: `SYSTEM SYNC REPLICA ${name} LIGHTWEIGHT`, clickhouse_settings: settings })),
  );
}
