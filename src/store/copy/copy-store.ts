import { setTimeout as wait } from 'node:timers/promises';
import { GatelogError } from '../../model/errors.ts';
import { makeBackoff } from '../../platform/backoff.ts';
import { alterTable, deleteRows } from '../../sql/commands.ts';
import { literal } from '../../sql/literal.ts';
import { select } from '../../sql/query.ts';
import { sql } from '../../sql/sql.ts';
import { compileForAll } from '../../sql/statement.ts';
import { acrossOrganizations, type OrganizationTable, systemRows } from '../../sql/tables.ts';
import { readRows } from '../engine/statements.ts';
import { removalSettings, removeRows } from '../parts/remove-rows.ts';
import { type CopiedTable, copiesAll } from './copied-tables.ts';
import { countsOf, digestsOf, everythingWithin, type Slice } from './digests.ts';
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
  /** Texts of bodies before then are known to be equal; undefined: of none. Unix milliseconds. */
  readonly inFullFrom?: number | undefined;
}

/** What a round did. */
export interface CopyRound {
  readonly pieces: number;
  readonly rows: number;
  /** Rows of the source by table and day, Unix milliseconds of its beginning, when they were compared. */
  readonly days: ReadonlyMap<string, number>;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Of an insert. An hour with more is copied minute by minute. */
const maxPieceBytes = 64 * 1024 * 1024;
/** A store that cannot take a piece now, as one with too many parts, is asked again for so long. */
const retriedForMs = 300_000;
const [firstRetryMs, maxRetryMs] = [500, 10_000] as const;

/**
 * Compares two stores hour by hour and copies what differs: rows that the copy lacks or has otherwise, and rows that the source has no
 * more, which are then in no file of the copy either. What is written to the source meanwhile is in the next round. Repeatable after any
 * interruption, since it asks both stores what they have. @throws GatelogError when a store fails; the abort reason when the signal aborts.
 */
export async function copyRound(ends: CopyEnds, tables: readonly CopiedTable[], options: RoundOptions): Promise<CopyRound> {
  let [pieces, rows] = [0, 0];
  const days = new Map<string, number>();
  for (const table of tables) {
    for (const [day, count] of await daysOf(ends, table)) {
      options.signal.throwIfAborted();
      options.onDay?.(table.name, day);
      if (count > 0) days.set(`${table.name} ${day}`, count);
      for (const piece of await differing(ends, table, day, options)) {
        options.signal.throwIfAborted();
        await copyPiece(ends, table, piece, options.signal);
        [pieces, rows] = [pieces + 1, rows + piece.rows];
        options.onCopied({ table: table.name, at: piece.from, rows: piece.rows });
      }
    }
    await dropHidden(ends, table, options.signal);
  }
  return { pieces, rows, days };
}

/** The days of both stores, with the rows of the source. */
async function daysOf({ from, to }: CopyEnds, table: CopiedTable): Promise<readonly (readonly [day: number, rows: number])[]> {
  const [here, there] = await Promise.all([countsOf(from, table, dayMs), countsOf(to, table, dayMs)]);
  const days = [...new Set([...here.keys(), ...there.keys()])].toSorted((one, other) => one - other);
  return days.map((day) => [day, here.get(day) ?? 0]);
}

async function differing(ends: CopyEnds, table: CopiedTable, day: number, { inFullFrom, signal }: RoundOptions): Promise<readonly Piece[]> {
  const hasTexts = table.light.length < table.columns.length;
  const isLight = hasTexts && inFullFrom !== undefined && day + dayMs <= inFullFrom;
  const pieces: Piece[] = [];
  for (const hour of await compared(ends, table, { within: { from: day, to: day + dayMs }, widthMs: hourMs, isLight })) {
    const isSmall = !isLight && hour.bytes <= maxPieceBytes;
    if (hour.isEqual || isSmall) pieces.push(hour);
    else pieces.push(...(await compared(ends, table, { within: hour, widthMs: minuteMs, isLight: false })));
    signal.throwIfAborted();
  }
  return joinedPieces(pieces, maxPieceBytes);
}

interface Comparison {
  readonly within: Slice;
  readonly widthMs: number;
  readonly isLight: boolean;
}

async function compared({ from, to }: CopyEnds, table: CopiedTable, order: Comparison): Promise<readonly Piece[]> {
  const [here, there] = await Promise.all([digestsOf(from, table, order), digestsOf(to, table, order)]);
  return piecesOf(here, there, order.widthMs);
}

/** A try that did not end may have stored some of the rows: the next one removes them first. */
async function copyPiece(ends: CopyEnds, table: CopiedTable, piece: Piece, signal: AbortSignal): Promise<void> {
  const backoff = makeBackoff(firstRetryMs, maxRetryMs);
  const until = performance.now() + retriedForMs;
  for (let { isReplaced } = piece; ; isReplaced = true) {
    try {
      if (isReplaced) await hideRows(ends, table, piece, signal);
      if (piece.rows > 0) await moveRows(ends, table, piece);
      return;
    } catch (error) {
      const isAway = error instanceof GatelogError && error.code === 'store_unavailable';
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

/** Hidden rows stay in the files until a merge: what was erased in the source may not. Those of an interrupted round are among them. */
async function dropHidden({ to }: CopyEnds, table: CopiedTable, signal: AbortSignal): Promise<void> {
  const holding = systemRows('parts', sql`table = ${literal(table.name)} AND active AND has_lightweight_delete`);
  const parts = select({ distinct: true, columns: sql`partition_id`, from: holding });
  const rows = await readRows<{ readonly partition_id: string }>(to, 'copy', compileForAll(parts));
  const all = acrossOrganizations(table.name, copiesAll);
  for (const { partition_id: id } of rows) {
    const apply = alterTable(all, sql`APPLY DELETED MASK IN PARTITION ID ${literal(id)}`, { mutations_sync: 0 });
    await removeRows({ connections: to, signal }, table.name, compileForAll(apply));
  }
}

/** The partition of a monthly table; a piece is of one day. */
function monthOf({ from }: Slice): string {
  return new Date(from).toISOString().slice(0, 7).replace('-', '');
}
