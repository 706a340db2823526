import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../model/errors.ts';
import type { DeadLetterCause, Observe } from '../model/observation.ts';
import { makeBackoff } from '../platform/backoff.ts';
import type { InterpretedRows } from './interpreter.ts';
import { failureText, isRejection, isTooLarge } from '../store/failure.ts';
import type { InsertRows } from '../store/insert.ts';
import type { RecordTable } from '../store/tables/rows.ts';

/** One row to store: its lines, and its place in the batch. */
export interface StorableRow extends InterpretedRows {
  readonly index: number;
}

/** Why an exchange goes to the dead letters. */
export interface Failure {
  readonly cause: DeadLetterCause;
  readonly reason: string;
}

/** What a batch is called, the same at every try, and how many places it has. */
export interface NamedBatch {
  readonly token: string;
  readonly places: number;
}

export interface StoreBatchOptions {
  readonly insert: InsertRows;
  readonly observe: Observe;
  /** Aborted when the drain must stop: a batch that is not stored by then stays in the spool. */
  readonly signal: AbortSignal;
}

const firstRetryMs = 100;
const longestRetryMs = 5000;
/** Lack of memory may pass; after so many tries the batch itself is at fault. */
const triesWhenTooLarge = 4;

/** The batch as a whole is more than the store takes at once. Nothing of it was stored. */
export class BatchTooLarge extends Error {
  override readonly name = 'BatchTooLarge';
}

/**
 * Stores rows in their tables, requests last, so that a visible request has its bodies and its history. While the store is away it tries again
 * for as long as it takes. Rows that the store refuses are singled out by halves, so that the rest is stored.
 *
 * Invariant: the halves are halves of the batch's places, not of the rows that are left, so that a repeated batch has the same parts with the
 * same tokens even where another row could not be interpreted this time.
 * @returns why a row was refused, by its place in the batch.
 * @throws BatchTooLarge, or the abort reason when told to stop.
 */
export async function storeRows(
  rows: readonly StorableRow[],
  { token, places }: NamedBatch,
  options: StoreBatchOptions,
): Promise<ReadonlyMap<number, Failure>> {
  const refused = new Map<number, Failure>();
  const whole = { start: 0, size: 2 ** Math.ceil(Math.log2(Math.max(1, places))) };
  // Only the first insert may give up: after it something of the batch is stored, and the bounds of the batch must stay as they are.
  await storePart({ ...whole, table: 'bodies', rows, token: `${token}-bodies`, mayGiveUp: true }, { ...options, refused });
  for (const table of ['changes', 'requests'] as const) {
    const left = rows.filter((row) => !refused.has(row.index) && linesOfRow(table, row) !== '');
    await storePart({ ...whole, table, rows: left, token: `${token}-${table}`, mayGiveUp: false }, { ...options, refused });
  }
  return refused;
}

interface PartOptions extends StoreBatchOptions {
  readonly refused: Map<number, Failure>;
}

/** Rows at the places `[start, start + size)` of the batch. */
interface Part {
  readonly table: RecordTable;
  readonly rows: readonly StorableRow[];
  readonly start: number;
  readonly size: number;
  readonly token: string;
  readonly mayGiveUp: boolean;
}

async function storePart(part: Part, options: PartOptions): Promise<void> {
  const { table, rows, start, size, token } = part;
  if (rows.length === 0) return;
  const rejection = await insertPatiently(part, options);
  if (rejection === undefined) return;
  const [only] = rows;
  if (rows.length === 1 && only !== undefined) {
    options.refused.set(only.index, { cause: 'refused_by_store', reason: rejection });
    return;
  }
  const middle = start + size / 2;
  const half = { table, size: size / 2, mayGiveUp: false };
  await storePart({ ...half, start, rows: rows.filter(({ index }) => index < middle), token: `${token}.0` }, options);
  await storePart({ ...half, start: middle, rows: rows.filter(({ index }) => index >= middle), token: `${token}.1` }, options);
}

/** @returns why the store refuses these rows, undefined when it has them. */
async function insertPatiently({ table, rows, token, mayGiveUp }: Part, options: PartOptions): Promise<string | undefined> {
  const backoff = makeBackoff(firstRetryMs, longestRetryMs);
  for (let tries = 1; ; tries += 1) {
    options.signal.throwIfAborted();
    try {
      await options.insert(table, linesOf(table, rows), token);
      return undefined;
    } catch (error) {
      if (isRejection(error)) return messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
      if (mayGiveUp && isTooLarge(error) && tries >= triesWhenTooLarge) throw new BatchTooLarge(failureText(error), { cause: error });
      const retryInMs = backoff.nextMs();
      options.observe({ kind: 'batch_failed', reason: failureText(error), retryInMs });
      await wait(retryInMs, undefined, { signal: options.signal });
    }
  }
}

function linesOf(table: RecordTable, rows: readonly StorableRow[]): string {
  return rows.map((row) => linesOfRow(table, row)).join('\n');
}

function linesOfRow(table: RecordTable, { request, bodies, changes }: StorableRow): string {
  return { requests: request, bodies, changes }[table];
}
