import type { ClickHouseClient } from '@clickhouse/client';
import { usableCores } from '../../platform/cgroup.ts';
import type { CompiledSql, Lane, Statement } from '../../sql/statement.ts';
import type { Connections } from '../engine/connections.ts';
import type { LaneName } from '../engine/lanes.ts';
import { isOverMemory, storeFailure } from '../engine/failure.ts';
import { boundNow } from '../engine/statements.ts';
import { boundQuery, type QuerySettings } from '../engine/parameters.ts';
import { foregroundLanes, untilOthersRead } from './in-background.ts';
import { rowsInTurns } from './rows-in-turns.ts';

export interface RunOptions {
  /** The wait for a connection counts. */
  readonly queryTimeoutMs: number;
  /** Maximum wait of a query for a connection; absent: its whole time. */
  readonly queryMaxWaitMs?: number;
  /** For all queries together. */
  readonly queryMemoryBytes: number;
}

export interface ReadOptions {
  /** Maximum bytes of the rows; more is `query_too_large`. */
  readonly maxResultBytes?: number;
  /** Shorter than the timeout of queries. */
  readonly timeoutMs?: number;
  /** When the timeout began, by `performance.now()`; absent: it begins now. */
  readonly startedAt?: number;
  /** Fails where it exceeds the memory of its lane: the caller has a statement that needs less. */
  readonly hasFrugal?: boolean;
}

/**
 * Runs a read and returns its rows.
 * @throws GatelogError `query_timeout`, `query_too_large`, `service_busy`, `store_unavailable` or `internal`.
 */
export type RunStatement = <Row>(statement: Statement, signal?: AbortSignal, options?: ReadOptions) => Promise<readonly Row[]>;

/** Rows are in this process several times. */
const defaultMaxResultBytes = 96 * 1024 * 1024;

/** Shares of the query memory for all connections of a lane together; the sum is 1. */
const memoryShare: Readonly<Record<ReadLane, number>> = { short: 1 / 6, long: 3 / 8, export: 1 / 12, alerts: 1 / 24, large: 1 / 3 };

/** A large query needs so much, however little all may use: the largest change of a session does. */
const leastLargeBytes = 128 * 1024 * 1024;

/** Reads for which nobody waits. */
const inBackground: ReadonlySet<ReadLane> = new Set(['export', 'alerts']);

type ReadLane = Lane | 'large';

/** The engine's own. */
const defaultBlockRows = 65_409;
/**
 * TRICKY: of bodies, the engine reads as many rows at once as it may, whatever their bytes. A search is several times as fast with many; a
 * search of bodies of a megabyte that exceeds its memory runs again with few.
 */
const blockRowsOfBodies = { first: 256, again: 32 };

/** Half of the cores for one long read, for the sake of other reads. */
const longThreads = Math.max(1, Math.floor(usableCores() / 2));

/** Bodies of a page lie in blocks that take milliseconds each to decompress. */
const bodiesThreads = Math.min(2, usableCores());

function threadsOf(statement: Statement, lane: ReadLane, connections: Connections): number {
  if (inBackground.has(lane)) return 1;
  if (readsBodies(statement) && lane !== 'large' && isAlone(connections)) return bodiesThreads;
  return lane === 'short' ? 1 : longThreads;
}

/** Whether a read that has its connection is the only one: what others do is slower for each further thread. */
function isAlone({ lanes }: Connections): boolean {
  return lanes().reduce((sum, { name, busy }) => (foregroundLanes.has(name) ? sum + busy : sum), 0) <= 1;
}

/** Rows of `bodies` are the ones that may still be moved. */
function readsBodies({ meanwhile }: CompiledSql): boolean {
  return meanwhile !== undefined;
}

interface Run {
  readonly statement: Statement;
  readonly signal: AbortSignal | undefined;
  /** By `performance.now()`. */
  readonly endsAt: number;
  readonly maxResultBytes: number;
}

/** A read that exceeds the memory of its lane runs once more in the lane `large`. */
export function makeRunStatement(connections: Connections, options: RunOptions): RunStatement {
  return async <Row>(
    statement: Statement,
    signal?: AbortSignal,
    {
      maxResultBytes = defaultMaxResultBytes,
      timeoutMs = options.queryTimeoutMs,
      startedAt = performance.now(),
      hasFrugal = false,
    }: ReadOptions = {},
  ): Promise<readonly Row[]> => {
    const run: Run = { statement, signal, endsAt: startedAt + Math.min(timeoutMs, options.queryTimeoutMs), maxResultBytes };
    try {
      return await runIn<Row>(statement.lane, run, connections, options);
    } catch (error) {
      if (hasFrugal || !isOverMemory(error) || signal?.aborted === true) throw storeFailure(error);
    }
    try {
      return await runIn<Row>('large', run, connections, options);
    } catch (error) {
      throw storeFailure(error);
    }
  };
}

async function runIn<Row>(
  lane: ReadLane,
  { statement, signal, endsAt, maxResultBytes }: Run,
  connections: Connections,
  options: RunOptions,
): Promise<readonly Row[]> {
  const leftMs = Math.max(1, endsAt - performance.now());
  const turn = { owner: statement.tenant, signal, maxWaitMs: Math.min(options.queryMaxWaitMs ?? Infinity, leftMs) };
  const read = async (client: ClickHouseClient): Promise<readonly Row[]> => {
    const settings = readSettings({
      timeoutMs: Math.max(1, endsAt - performance.now()),
      memoryBytes: memoryOf(lane, connections, options),
      maxResultBytes,
      maxThreads: threadsOf(statement, lane, connections),
      blockRows: readsBodies(statement) ? blockRowsOfBodies[lane === 'large' ? 'again' : 'first'] : defaultBlockRows,
    });
    const { text, params } = boundNow(statement, connections);
    const result = await client.query({
      ...boundQuery(text, { params, settings }, connections.embedded),
      format: 'JSONEachRow',
      ...(signal === undefined || connections.embedded ? {} : { abort_signal: signal }),
    });
    const decode = (row: Readonly<Record<string, unknown>>): Row => (statement.decode?.(row, statement.tenant) ?? row) as Row;
    return rowsInTurns(result.stream<Record<string, unknown>>(), statement.tenant, decode);
  };
  if (inBackground.has(lane)) await untilOthersRead(connections);
  return connections.run(lane, read, turn);
}

/** Bytes for one query of a lane. */
function memoryOf(lane: LaneName & ReadLane, connections: Connections, { queryMemoryBytes }: RunOptions): number {
  if (lane === 'large') return largeBytes(queryMemoryBytes);
  const count = connections.lanes().find(({ name }) => name === lane)?.connections ?? 1;
  return Math.floor((queryMemoryBytes * memoryShare[lane]) / count);
}

function largeBytes(queryMemoryBytes: number): number {
  return Math.max(leastLargeBytes, Math.floor(queryMemoryBytes * memoryShare.large));
}

/** Runs statements in order until one returns rows. @throws GatelogError as {@link RunStatement}. */
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

/** Settings of a statement that selects in the lane `large` and inserts what it selects. */
export function largeReadSettings({ queryTimeoutMs, queryMemoryBytes }: RunOptions, statement: CompiledSql): QuerySettings {
  return readSettings({
    timeoutMs: queryTimeoutMs,
    memoryBytes: largeBytes(queryMemoryBytes),
    maxResultBytes: 0,
    maxThreads: longThreads,
    blockRows: readsBodies(statement) ? blockRowsOfBodies.again : defaultBlockRows,
  });
}

interface Limits {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  readonly maxResultBytes: number;
  readonly maxThreads: number;
  readonly blockRows: number;
}

/**
 * TRICKY: in the embedded engine settings stick to the connection, so every query on a lane sends the same set of names.
 */
function readSettings({ timeoutMs, memoryBytes, maxResultBytes, maxThreads, blockRows }: Limits): QuerySettings {
  return {
    // Seconds, also fractions.
    max_execution_time: timeoutMs / 1000,
    max_memory_usage: String(memoryBytes),
    max_result_bytes: String(maxResultBytes),
    // A point read of requests ends before a second thread has started; at most as many long reads run as the machine has cores.
    max_threads: maxThreads,
    max_block_size: blockRows,
    max_parser_depth: '4000',
    max_ast_elements: '2000000',
    max_expanded_ast_elements: '2000000',
    max_query_size: String(16 * 1024 * 1024),
    output_format_json_quote_64bit_integers: 0,
    output_format_json_quote_denormals: 0,
    join_use_nulls: 0,
    // Subqueries that read the same table read the same state of it: the sessions of a page and their totals.
    enable_shared_storage_snapshot_in_query: 1,
    // TRICKY: the rewriting of patterns under OR fails for patterns over the rows of a group (`LOGICAL_ERROR`, seen on 26.7).
    optimize_or_like_chain: 0,
  };
}
