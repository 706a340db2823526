import type { Statement } from '../sql/statement.ts';
import type { Connections } from './connections.ts';
import { storeFailure } from './failure.ts';
import { boundQuery, type QuerySettings } from './parameters.ts';

/** What one query may take. */
export interface RunOptions {
  /** Milliseconds after which the engine ends a query; waiting for a free connection does not count. */
  readonly queryTimeoutMs: number;
  readonly queryMemoryBytes: number;
}

/** Runs a read and returns its rows. @throws GatelogError `query_timeout`, `query_too_large`, `store_unavailable` or `internal`. */
export type RunStatement = <Row>(statement: Statement, signal?: AbortSignal) => Promise<readonly Row[]>;

/** Makes the function that runs Statements. */
export function makeRunStatement(connections: Connections, options: RunOptions): RunStatement {
  return async <Row>(statement: Statement, signal?: AbortSignal): Promise<readonly Row[]> => {
    const { text, params, lane } = statement;
    try {
      return await connections.run(lane, async (client) => {
        signal?.throwIfAborted();
        const result = await client.query({
          ...boundQuery(text, { params, settings: readSettings(options) }, connections.embedded),
          format: 'JSONEachRow',
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
 * Runs statements in order until one gives rows. @returns its rows, or none when none gives any.
 * @throws GatelogError what {@link RunStatement} throws.
 */
export async function runUntilRows<Row>(
  run: RunStatement,
  statements: readonly Statement[],
  signal?: AbortSignal,
): Promise<readonly Row[]> {
  for (const statement of statements) {
    const rows = await run<Row>(statement, signal);
    if (rows.length > 0) return rows;
  }
  return [];
}

/**
 * TRICKY: in the embedded engine settings stick to the connection, so every query on a lane sends the same set of names.
 */
function readSettings({ queryTimeoutMs, queryMemoryBytes }: RunOptions): QuerySettings {
  return {
    // In seconds; the engine takes fractions of them.
    max_execution_time: queryTimeoutMs / 1000,
    max_memory_usage: String(queryMemoryBytes),
    max_parser_depth: '4000',
    max_ast_elements: '2000000',
    max_expanded_ast_elements: '2000000',
    max_query_size: String(16 * 1024 * 1024),
    output_format_json_quote_64bit_integers: 0,
    output_format_json_quote_denormals: 0,
    join_use_nulls: 0,
    // What a query reads twice, it reads of one state of the table: the sessions of a page and their totals.
    enable_shared_storage_snapshot_in_query: 1,
    // TRICKY: the rewriting of patterns under OR fails on those over a group's rows (`LOGICAL_ERROR`, seen on 26.7).
    optimize_or_like_chain: 0,
  };
}
