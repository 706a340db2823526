import type { ClickHouseClient } from '@clickhouse/client';
import type { CompiledSql } from '../../sql/statement.ts';
import { migratedUntilParameter } from '../../sql/tables.ts';
import type { Connections } from './connections.ts';
import type { LaneName } from './lanes.ts';
import { storeFailure } from './failure.ts';
import { boundQuery, parameterTexts, type QuerySettings } from './parameters.ts';
import { runOnServer } from './server-client.ts';

export interface LaneClient {
  readonly client: ClickHouseClient;
  readonly embedded: boolean;
}

/** The text and parameters of a statement as long as bodies are moved, or after that. */
export function boundNow({ meanwhile, ...after }: CompiledSql, { bodies }: Connections): Pick<CompiledSql, 'text' | 'params'> {
  if (meanwhile === undefined || bodies.migratedUntil === undefined) return after;
  return { text: meanwhile.text, params: { ...meanwhile.params, [migratedUntilParameter]: String(bodies.migratedUntil) } };
}

/**
 * Runs a read in a lane. @throws GatelogError when the store fails. @param settings TRICKY: they stick to an embedded connection, so every
 * statement of a lane sends the same names.
 */
export async function readRows<Row>(
  connections: Connections,
  lane: LaneName,
  statement: CompiledSql,
  settings?: QuerySettings,
): Promise<readonly Row[]> {
  try {
    const { embedded } = connections;
    return await connections.run(lane, (client) => selectRows<Row>({ client, embedded }, boundNow(statement, connections), settings));
  } catch (error) {
    throw storeFailure(error);
  }
}

export async function selectRows<Row>(
  { client, embedded }: LaneClient,
  sql: Pick<CompiledSql, 'text' | 'params'>,
  settings?: QuerySettings,
): Promise<readonly Row[]> {
  return (await client.query({ ...bound(sql, settings, embedded), format: 'JSONEachRow' })).json<Row>();
}

export async function runCommand({ client, embedded }: LaneClient, sql: CompiledSql, settings: QuerySettings = {}): Promise<void> {
  if (embedded) await client.command(bound(sql, settings, embedded));
  else await runOnServer(client, { text: sql.text, params: parameterTexts(sql.text, sql.params), settings });
}

function bound({ text, params }: Pick<CompiledSql, 'text' | 'params'>, settings: QuerySettings = {}, embedded: boolean) {
  return boundQuery(text, { params, settings }, embedded);
}
