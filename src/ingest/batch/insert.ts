import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../../model/errors.ts';
import type { DeadLetterCause, Observe } from '../../model/observation.ts';
import { makeBackoff } from '../../platform/backoff.ts';
import type { InterpretedRows } from '../worker/record-builder.ts';
import { failureText, isOverflow, isRejection, isTooLarge } from '../../store/engine/failure.ts';
import type { InsertRows } from '../../store/insert/insert.ts';
import { keyOfRow } from '../../store/insert/row-key.ts';
import type { FindRows, RecordName } from '../../store/read/find-rows.ts';
import type { RecordTable } from '../../store/insert/rows.ts';

export interface StorableRow {
  readonly index: number;
  readonly rows: InterpretedRows;
}

/** Why an exchange goes to the dead letters. */
export interface Failure {
  readonly cause: DeadLetterCause;
  readonly reason: string;
}

export interface NamedBatch {
  /** The same at every try. */
  readonly token: string;
  /** By their index. */
  readonly records: readonly RecordName[];
  /** An earlier process began it, so the store may have part of it. */
  readonly isRepeated: boolean;
  /** The store may have part of it although no checkpoint says so. */
  readonly isUnsure?: boolean;
}

/** What rows of `bodies` say of others that they repeat. */
export interface RowMarks {
  /** Call it right before the rows are sent: what they repeat may have left the store since they were marked. */
  readonly check: () => void;
  /** Says that all rows are new, for rows that no longer come to the store together. */
  readonly undo: () => void;
}

export interface StoreBatchOptions {
  readonly insert: InsertRows;
  readonly findRows: FindRows;
  readonly marks?: RowMarks | undefined;
  /**
   * An insert may go on after its connection ended, as on a server, which stores the months of one insert one by one. So each month is an
   * insert of its own: rows are there together, or their token is.
   */
  readonly isByMonth?: boolean;
  readonly observe: Observe;
  /** Aborted when the drain must stop: a batch that is not stored by then stays in the spool. */
  readonly signal: AbortSignal;
}

/** Of a time in ISO 8601. */
const monthCharacters = 'yyyy-mm'.length;
const firstRetryMs = 100;
const maxRetryMs = 5000;
/** Lack of memory may pass; after this many tries in a row the batch counts as its cause. */
const triesWhenTooLarge = 4;
/** A single smaller row is never the cause: the store is out of memory for other reasons, so keep retrying. */
const minTooLargeBytes = 8 * 1024 * 1024;

/** The batch is more than the store takes at once, and none of it was stored. */
export class BatchTooLarge extends Error {
  override readonly name = 'BatchTooLarge';
}

/**
 * Stores rows in their tables, requests last, so that a visible request has its bodies and its history. While the store is away it retries
 * without end. Bisection finds the rows that the store refuses, or that are too large for it, so that the rest is stored.
 *
 * Invariant: bisection halves the range of indexes, not the remaining rows, so that a repeated batch has the same parts with the same
 * tokens even where another row could not be interpreted this time.
 * Invariant: rows that the store may have are never sent under another token without a query for them first.
 * @returns why rows were refused, by their index in the batch.
 * @throws BatchTooLarge for a batch that is not repeated, while the store has none of it; the abort reason of `signal`.
 */
export async function storeRows(
  rows: readonly StorableRow[],
  { token, records, isRepeated, isUnsure = false }: NamedBatch,
  options: StoreBatchOptions,
): Promise<ReadonlyMap<number, Failure>> {
  const storing: Storing = { ...options, records, refused: new Map() };
  const wholeRange = { start: 0, size: 2 ** Math.ceil(Math.log2(Math.max(1, records.length))), mayBeStored: isRepeated || isUnsure };
  for (const table of ['bodies', 'changes', 'requests'] as const) {
    const remaining = rows.filter((row) => !storing.refused.has(row.index) && bytesIn(table, row).length > 0);
    const months = options.isByMonth === true ? rowsByMonth(remaining) : new Map([['', remaining]]);
    // Rows of several inserts do not come to the store together.
    if (table === 'bodies' && months.size > 1) options.marks?.undo();
    for (const [place, [month, ofMonth]] of [...months].entries()) {
      // Only the first insert may give up: after it something of the batch is stored, and the bounds of the batch must stay as they are.
      const mayGiveUp = table === 'bodies' && place === 0 && !isRepeated;
      await storePart({ ...wholeRange, table, rows: ofMonth, token: `${token}-${table}${month}`, mayGiveUp }, storing);
    }
  }
  return storing.refused;
}

/**
 * Rows by the month in which their requests arrived, with a name for each that is the same at every try. Requests and bodies are parted by it
 * in their tables; changes by their own time, so that those of one record may be in two.
 */
function rowsByMonth(rows: readonly StorableRow[]): ReadonlyMap<string, readonly StorableRow[]> {
  const months = new Map<string, StorableRow[]>();
  for (const row of rows) {
    const month = `.${new Date(keyOfRow(row.rows.request).createdAt).toISOString().slice(0, monthCharacters)}`;
    const known = months.get(month);
    if (known === undefined) months.set(month, [row]);
    else known.push(row);
  }
  return months;
}

interface Storing extends StoreBatchOptions {
  readonly records: readonly RecordName[];
  readonly refused: Map<number, Failure>;
}

/** Rows with an index in `[start, start + size)`. */
interface Part {
  readonly table: RecordTable;
  readonly rows: readonly StorableRow[];
  readonly start: number;
  readonly size: number;
  readonly token: string;
  readonly mayGiveUp: boolean;
  /** The store may have some of these rows. */
  readonly mayBeStored: boolean;
}

async function storePart(requested: Part, storing: Storing): Promise<void> {
  const part = requested.mayBeStored ? await missingOf(requested, storing) : requested;
  const { table, rows, start, size, token } = part;
  if (rows.length === 0) return;
  const { failure, mayBeStored } = await insertPatiently(part, storing);
  if (failure === undefined) return;
  const [only] = rows;
  if (rows.length === 1 && only !== undefined) {
    storing.refused.set(only.index, failure);
    return;
  }
  // Some of them may stay out, which others go on with.
  if (table === 'bodies') storing.marks?.undo();
  const middle = start + size / 2;
  // A refused row fails its whole insert. An insert that was too large may have been stored in part.
  const half = { table, size: size / 2, mayGiveUp: false, mayBeStored: mayBeStored || failure.cause === 'too_large' };
  await storePart({ ...half, start, rows: rows.filter(({ index }) => index < middle), token: `${token}.0` }, storing);
  await storePart({ ...half, start: middle, rows: rows.filter(({ index }) => index >= middle), token: `${token}.1` }, storing);
}

/**
 * A part without the rows that the store has. Its token changes then: under the old one the store would drop the rest as a repetition.
 * While the store has none the token stays, as an insert of an earlier process may still be running.
 */
async function missingOf(part: Part, { findRows, records }: Storing): Promise<Part> {
  const nameOf = ({ index }: StorableRow): RecordName | undefined => records[index];
  const stored = await findRows(
    part.table,
    part.rows.flatMap((row) => nameOf(row) ?? []),
  );
  if (stored.size === 0) return part;
  const rows = part.rows.filter((row) => {
    const name = nameOf(row);
    return name === undefined || !stored.has(name);
  });
  return { ...part, rows, token: `${part.token}.without-${stored.size}` };
}

interface Outcome {
  /** Why the store refuses these rows; undefined once it has them. */
  readonly failure?: Failure;
  readonly mayBeStored: boolean;
}

/**
 * TRICKY: a server may have the rows under a token that it has forgotten when it is asked again, or that the replica which takes its place
 * does not know yet. So who got no clear answer asks for the rows before it sends them again.
 */
async function insertPatiently(given: Part, storing: Storing): Promise<Outcome> {
  const { table, mayGiveUp } = given;
  const backoff = makeBackoff(firstRetryMs, maxRetryMs);
  const bytes = given.rows.reduce((sum, row) => sum + bytesIn(table, row).length, 0);
  const mayBeCause = given.rows.length > 1 || bytes >= minTooLargeBytes;
  let part = given;
  let tooLarge = 0;
  // The response to a try was lost, so the store may have the rows.
  let isUnclear = false;
  const failed = (failure: Failure): Outcome => ({ failure, mayBeStored: given.mayBeStored || isUnclear });
  for (;;) {
    storing.signal.throwIfAborted();
    try {
      if (isUnclear) part = await missingOf(part, storing);
      const written = part.rows.map((row) => bytesIn(table, row));
      if (written.length > 0) await storing.insert(table, written, part.token, checkOf(table, storing));
      return { mayBeStored: true };
    } catch (error) {
      if (isRejection(error)) return failed({ cause: 'refused_by_store', reason: reasonOf(error) });
      tooLarge = isTooLarge(error) ? tooLarge + 1 : 0;
      isUnclear ||= tooLarge === 0;
      if (tooLarge >= triesWhenTooLarge && (mayBeCause || isOverflow(error))) {
        if (mayGiveUp && !isUnclear) throw new BatchTooLarge(failureText(error), { cause: error });
        return failed({ cause: 'too_large', reason: failureText(error) });
      }
      const retryInMs = backoff.nextDelayMs();
      storing.observe({ kind: 'batch_failed', reason: failureText(error), retryInMs });
      await wait(retryInMs, undefined, { signal: storing.signal });
    }
  }
}

/** The store's own words. */
function reasonOf(error: unknown): string {
  return messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
}

function checkOf(table: RecordTable, { marks }: Storing): (() => void) | undefined {
  return table === 'bodies' ? marks?.check : undefined;
}

function bytesIn(table: RecordTable, { rows }: StorableRow): Uint8Array {
  return table === 'requests' ? rows.request : rows[table];
}
