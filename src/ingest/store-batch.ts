import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../model/errors.ts';
import type { Observe } from '../model/observation.ts';
import { makeBackoff } from '../platform/backoff.ts';
import { isRejection } from '../store/failure.ts';
import type { InsertRows, RecordTable } from '../store/insert.ts';

/** One row to store: its lines, and its place in the batch. */
export interface StorableRow {
  readonly index: number;
  readonly request: string;
  readonly bodies: string;
}

export interface StoreBatchOptions {
  readonly insert: InsertRows;
  readonly observe: Observe;
  /** Aborted when the drain must stop: a batch that is not stored by then stays in the spool. */
  readonly signal: AbortSignal;
}

const firstRetryMs = 100;
const longestRetryMs = 5000;

/**
 * Stores rows in both tables, bodies first, so that a visible request has its bodies. While the store is away it tries again for as long as
 * it takes. Rows that the store refuses are singled out by halves, so that the rest is stored.
 * @param token names the batch; the same batch has the same token at every try.
 * @returns why a row was refused, by its place in the batch.
 */
export async function storeRows(rows: readonly StorableRow[], token: string, options: StoreBatchOptions): Promise<ReadonlyMap<number, string>> {
  const refused = new Map<number, string>();
  await storeTable('bodies', rows, `${token}-bodies`, { ...options, refused });
  const left = rows.filter(({ index }) => !refused.has(index));
  await storeTable('requests', left, `${token}-requests`, { ...options, refused });
  return refused;
}

interface TableOptions extends StoreBatchOptions {
  readonly refused: Map<number, string>;
}

async function storeTable(table: RecordTable, rows: readonly StorableRow[], token: string, options: TableOptions): Promise<void> {
  if (rows.length === 0) return;
  const lines = rows.map((row) => (table === 'requests' ? row.request : row.bodies));
  const rejection = await insertPatiently(table, lines.join('\n'), token, options);
  if (rejection === undefined) return;
  const [only] = rows;
  if (rows.length === 1 && only !== undefined) {
    options.refused.set(only.index, rejection);
    return;
  }
  const middle = Math.ceil(rows.length / 2);
  await storeTable(table, rows.slice(0, middle), `${token}.0`, options);
  await storeTable(table, rows.slice(middle), `${token}.1`, options);
}

/** @returns why the store refuses these rows, undefined when it has them. @throws the abort reason when told to stop. */
async function insertPatiently(table: RecordTable, lines: string, token: string, options: TableOptions): Promise<string | undefined> {
  const backoff = makeBackoff(firstRetryMs, longestRetryMs);
  for (;;) {
    options.signal.throwIfAborted();
    try {
      await options.insert(table, lines, token);
      return undefined;
    } catch (error) {
      if (isRejection(error)) return messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
      const retryInMs = backoff.nextMs();
      options.observe({ kind: 'batch_failed', reason: messageOf(error), retryInMs });
      await wait(retryInMs, undefined, { signal: options.signal });
    }
  }
}
