import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { GatelogError } from '../../model/errors.ts';
import { makeBackoff } from '../../platform/backoff.ts';
import { applyDeletedMask, deleteRows } from '../../sql/commands.ts';
import { literal } from '../../sql/literal.ts';
import { select } from '../../sql/query.ts';
import { sql } from '../../sql/sql.ts';
import { compileForAll } from '../../sql/statement.ts';
import { acrossOrganizations, type OrganizationTable, systemRows } from '../../sql/tables.ts';
import type { Connections } from '../engine/connections.ts';
import { readRows } from '../engine/statements.ts';
import { removalSettings, removeRows } from '../parts/remove-rows.ts';
import { type CopiedTable, copiedTableNames, copiesAll } from './copied-tables.ts';
import { type DigestOrder, digestsOf, everythingWithin, type Slice } from './digests.ts';
import { laneSettings } from './lane-settings.ts';
import { type CopyEnds, moveRows } from './move-rows.ts';
import { joinedPieces, type Piece, piecesOf } from './pieces.ts';

/** What was copied last. */
export interface CopyProgress {
  readonly table: OrganizationTable;
  /** Unix milliseconds: the beginning of the piece. */
  readonly at: number;
  readonly rows: number;
}

export interface RoundOptions {
  readonly signal: AbortSignal;
  /** The day that is being compared. */
  readonly onDay?: (table: OrganizationTable, at: number) => void;
  readonly onCopied: (progress: CopyProgress) => void;
  /**
   * What was stored before it was compared in full by an earlier round: it differs only where keys do, and in what is to be checked.
   * Undefined: every day is compared in full. Unix milliseconds.
   */
  readonly comparedAt?: number | undefined;
  /** Is compared in full, whatever keys say. Slices of whole hours of one day. */
  readonly checked?: readonly CopiedSlice[];
}

/** A slice of a table. */
export interface CopiedSlice extends Slice {
  readonly table: OrganizationTable;
}

/** What a round did. */
export interface CopyRound {
  readonly pieces: number;
  readonly rows: number;
  /** What it wrote: nobody has read it back. */
  readonly copied: readonly CopiedSlice[];
  /** Rows of the source by table and day, Unix milliseconds of its beginning, when they were compared. */
  readonly days: ReadonlyMap<string, number>;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Of an insert. An hour with more is copied minute by minute. */
const maxPieceBytes = 64 * 1024 * 1024;
/** A store that cannot work now, as one with too many parts, is asked again for so long. */
const retriedForMs = 300_000;
const [firstRetryMs, maxRetryMs] = [500, 10_000] as const;

/**
 * Compares two stores day by day and copies what differs: rows that the copy lacks or has otherwise, and rows that the source has no more.
 * What is written to the source meanwhile is in the next round. Repeatable after any interruption, since it asks both stores what they have.
 * @throws GatelogError when a store fails; the abort reason when the signal aborts.
 */
export async function copyRound(ends: CopyEnds, tables: readonly CopiedTable[], options: RoundOptions): Promise<CopyRound> {
  let rows = 0;
  const copied: CopiedSlice[] = [];
  const days = new Map<string, number>();
  const copyAll = async (table: CopiedTable, pieces: readonly Piece[]): Promise<void> => {
    for (const piece of pieces) {
      options.signal.throwIfAborted();
      await copyPiece(ends, table, piece, options.signal);
      rows += piece.rows;
      copied.push({ table: table.name, ...wholeHours(piece) });
      options.onCopied({ table: table.name, at: piece.from, rows: piece.rows });
    }
  };
  for (const table of tables) {
    for (const { from: day, rows: count, isEqual } of await compared(ends, table, { widthMs: dayMs, columns: table.key }, options.signal)) {
      options.signal.throwIfAborted();
      options.onDay?.(table.name, day);
      if (count > 0) days.set(`${table.name} ${day}`, count);
      const wholeDay = { from: day, to: day + dayMs };
      const isKnown = isEqual && options.comparedAt !== undefined && wholeDay.to <= options.comparedAt;
      for (const slice of isKnown ? checkedOn(table, wholeDay, options) : [wholeDay]) {
        await copyAll(table, await differing(ends, table, slice, options.signal));
      }
    }
  }
  return { pieces: copied.length, rows, copied, days };
}

/**
 * Writes the parts of a store without the rows that are hidden in them: what was erased in the source may not stay in files of its copy.
 * Those of an interrupted copy are among them. @throws GatelogError when the store fails.
 */
export async function dropHidden(connections: Connections, signal: AbortSignal): Promise<void> {
  for (const table of copiedTableNames) {
    const holding = systemRows('parts', sql`table = ${literal(table)} AND active AND has_lightweight_delete`);
    const parts = compileForAll(select({ distinct: true, columns: sql`partition_id`, from: holding }));
    const rows = await readRows<{ readonly partition_id: string }>(connections, 'copy', parts, laneSettings);
    for (const { partition_id: id } of rows) {
      signal.throwIfAborted();
      const apply = applyDeletedMask(acrossOrganizations(table, copiesAll), id, { mutations_sync: 0 });
      await removeRows({ connections, signal }, table, compileForAll(apply));
    }
  }
}

/** An hour with very much is copied minute by minute. */
function wholeHours({ from, to }: Slice): Slice {
  return { from: Math.floor(from / hourMs) * hourMs, to: Math.ceil(to / hourMs) * hourMs };
}

/** Of a day, neighbouring hours as one slice. */
function checkedOn({ name }: CopiedTable, day: Slice, { checked = [] }: RoundOptions): readonly Slice[] {
  const own = checked.filter(({ table, from, to }) => table === name && from >= day.from && to <= day.to);
  const slices: Slice[] = [];
  for (const { from, to } of own.toSorted((one, other) => one.from - other.from)) {
    const before = slices.at(-1);
    if (before === undefined || from > before.to) slices.push({ from, to });
    else slices[slices.length - 1] = { from: before.from, to: Math.max(before.to, to) };
  }
  return slices;
}

async function differing(ends: CopyEnds, table: CopiedTable, within: Slice, signal: AbortSignal): Promise<readonly Piece[]> {
  const { columns } = table;
  const pieces: Piece[] = [];
  for (const hour of await compared(ends, table, { within, widthMs: hourMs, columns }, signal)) {
    if (hour.isEqual || hour.bytes <= maxPieceBytes) pieces.push(hour);
    else pieces.push(...(await compared(ends, table, { within: hour, widthMs: minuteMs, columns }, signal)));
  }
  return joinedPieces(pieces, maxPieceBytes);
}

function compared(ends: CopyEnds, table: CopiedTable, order: DigestOrder, signal: AbortSignal): Promise<readonly Piece[]> {
  return patiently(signal, async () => {
    const [here, there] = await Promise.all([digestsOf(ends.from, table, order), digestsOf(ends.to, table, order)]);
    return piecesOf(here, there, order.widthMs);
  });
}

/**
 * TRICKY: a server goes on with a statement whose connection ended. So each further try sends the same rows under the same token, and stores
 * what the tries before it have not; and the rows to be replaced are hidden once, before the first.
 */
async function copyPiece(ends: CopyEnds, table: CopiedTable, piece: Piece, signal: AbortSignal): Promise<void> {
  if (piece.isReplaced) await patiently(signal, () => hideRows(ends, table, piece, signal));
  if (piece.rows === 0) return;
  const token = randomUUID();
  await moveRows(ends, { table, piece, token }, (work) => patiently(signal, work));
}

async function patiently<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  const backoff = makeBackoff(firstRetryMs, maxRetryMs);
  const until = performance.now() + retriedForMs;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      const isAway = error instanceof GatelogError && (error.code === 'store_unavailable' || error.code === 'query_timeout');
      if (!isAway || performance.now() > until) throw error;
      await wait(backoff.nextDelayMs(), undefined, { signal });
    }
  }
}

async function hideRows({ to }: CopyEnds, table: CopiedTable, piece: Piece, signal: AbortSignal): Promise<void> {
  const within = table.isMonthly ? { partition: monthOf(piece) } : {};
  const deletion = deleteRows(everythingWithin(table, piece), { by: 'hiding', ...within, settings: removalSettings });
  await removeRows({ connections: to, signal }, table.name, compileForAll(deletion));
}

/** The partition of a monthly table; a piece is of one day. */
function monthOf({ from }: Slice): string {
  return new Date(from).toISOString().slice(0, 7).replace('-', '');
}
