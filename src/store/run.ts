import type { ClickHouseSettings } from '@clickhouse/client';
import type { Statement } from '../sql/statement.ts';
import type { Connections } from './connections.ts';
import { storeFailure } from './failure.ts';
import { boundQuery } from './parameters.ts';

export interface RunOptions {
  /** Upper bound for every query, milliseconds; a statement's own limit holds where it is lower. */
  readonly queryTimeoutMs: number;
  readonly queryMemoryBytes: number;
}

/** Runs a read and returns its rows. */
export type RunStatement = <Row>(statement: Statement, signal?: AbortSignal) => Promise<readonly Row[]>;

/**
 * Makes the function that runs Statements.
 * @throws (from it) GatelogError `query_timeout`, `query_too_large`, `store_unavailable` or `internal`.
 */
export function makeRunStatement(connections: Connections, options: RunOptions): RunStatement {
  return async <Row>(statement: Statement, signal?: AbortSignal): Promise<readonly Row[]> => {
    const { text, params, limits } = statement;
    try {
      return await connections.run(limits.lane, async (client) => {
        signal?.throwIfAborted();
        const result = await client.query({
          ...boundQuery(text, params, connections.embedded),
          format: 'JSONEachRow',
          clickhouse_settings: readSettings(Math.min(limits.maxExecutionMs, options.queryTimeoutMs), options),
          ...(signal === undefined || connections.embedded ? {} : { abort_signal: signal }),
        });
        return result.json<Row>();
      });
    } catch (error) {
      throw storeFailure(error);
    }
  };
}

/**
 * TRICKY: in the embedded engine settings stick to the connection, so every query on a lane sends the same set of names.
 */
function readSettings(maxExecutionMs: number, options: RunOptions): ClickHouseSettings {
  return {
    max_execution_time: Math.max(1, Math.ceil(maxExecutionMs / 1000)),
    max_memory_usage: String(options.queryMemoryBytes),
    max_parser_depth: '4000',
    max_query_size: String(16 * 1024 * 1024),
    output_format_json_quote_64bit_integers: 0,
    output_format_json_quote_denormals: 0,
    join_use_nulls: 0,
  };
}
