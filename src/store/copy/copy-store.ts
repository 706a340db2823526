import type { OrganizationTable } from '../../sql/tables.ts';
import { deleteRows } from '../../sql/commands.ts';
import { compileForAll } from '../../sql/statement.ts';
import { removalSettings, removeRows } from '../parts/remove-rows.ts';
import type { CopiedTable } from './copied-tables.ts';
import { type Digest, digestsOf, type DigestOrder, everythingWithin, isSame, type Slice } from './digests.ts';
import { type CopyEnds, moveRows } from './move-rows.ts';

/** How far a comparison is, and what it has copied. */
export interface CopyProgress {
  readonly table: OrganizationTable;
  /** Unix milliseconds: the slice that was copied last. */
  readonly at: number;
  readonly rows: number;
}

export interface RoundOptions {
  readonly signal: AbortSignal;
  readonly onCopied: (progress: CopyProgress) => void;
  /** Slices from then on are compared in full; undefined: all. Unix milliseconds. */
  readonly inFullFrom?: number | undefined;
}

/** What a round did. */
export interface CopyRound {
  readonly slices: number;
  readonly rows: number;
  /** Rows of the source by table and day, Unix milliseconds of its beginning, when they were compared. */
  readonly days: ReadonlyMap<string, number>;
}

const hourMs = 3_600_000;
const minuteMs = 60_000;
const dayMs = 86_400_000;
/** An hour with more is copied minute by minute. */
const maxSliceBytes = 64 * 1024 * 1024;

/**
 * Compares two stores hour by hour and copies what differs: rows that the copy lacks or has otherwise, and rows that the source has no
 * more. What is written to the source meanwhile is in the next round. Repeatable after any interruption, since it asks both stores what
 * they have. @throws GatelogError when a store fails; the abort reason when the signal aborts.
 */
export async function copyRound(ends: CopyEnds, tables: readonly CopiedTable[], options: RoundOptions): Promise<CopyRound> {
  let [slices, rows] = [0, 0];
  const days = new Map<string, number>();
  for (const table of tables) {
    for (const slice of await differing(ends, table, options, days)) {
      options.signal.throwIfAborted();
      await copySlice(ends, table, slice, options.signal);
      slices += 1;
      rows += slice.rows;
      options.onCopied({ table: table.name, at: slice.from, rows: slice.rows });
    }
  }
  return { slices, rows, days };
}

interface DifferingSlice extends Slice {
  readonly rows: number;
  /** The copy has other rows in it. */
  readonly isReplaced: boolean;
}

async function differing(
  ends: CopyEnds,
  table: CopiedTable,
  { inFullFrom, signal }: RoundOptions,
  days: Map<string, number>,
): Promise<readonly DifferingSlice[]> {
  const isPartly = inFullFrom !== undefined && table.light.length < table.columns.length;
  const orders: readonly DigestOrder[] = isPartly
    ? [
        { widthMs: hourMs, isLight: true, within: { from: earliest, to: inFullFrom } },
        { widthMs: hourMs, within: { from: inFullFrom, to: latest } },
      ]
    : [{ widthMs: hourMs }];
  const found: DifferingSlice[] = [];
  for (const order of orders) {
    signal.throwIfAborted();
    const [here, there] = await Promise.all([digestsOf(ends.from, table, order), digestsOf(ends.to, table, order)]);
    for (const [at, { rows }] of here) {
      const day = `${table.name} ${Math.floor(at / dayMs) * dayMs}`;
      days.set(day, (days.get(day) ?? 0) + rows);
    }
    for (const slice of slicesOf(here, there, hourMs)) {
      if (slice.bytes <= maxSliceBytes) found.push(slice);
      else found.push(...(await minutesOf(ends, table, slice)));
    }
  }
  return found.toSorted((one, other) => one.from - other.from);
}

/** Of the store: years 1900 to 2299. */
const [earliest, latest] = [-2_208_988_800_000, 10_413_792_000_000];

async function minutesOf(ends: CopyEnds, table: CopiedTable, { from, to }: Slice): Promise<readonly DifferingSlice[]> {
  const order = { widthMs: minuteMs, within: { from, to } };
  const [here, there] = await Promise.all([digestsOf(ends.from, table, order), digestsOf(ends.to, table, order)]);
  return slicesOf(here, there, minuteMs);
}

function slicesOf(
  here: ReadonlyMap<number, Digest>,
  there: ReadonlyMap<number, Digest>,
  widthMs: number,
): readonly (DifferingSlice & { readonly bytes: number })[] {
  const all = new Set([...here.keys(), ...there.keys()]);
  return [...all]
    .filter((at) => !isSame(here.get(at), there.get(at)))
    .map((from) => ({
      from,
      to: from + widthMs,
      rows: here.get(from)?.rows ?? 0,
      bytes: here.get(from)?.bytes ?? 0,
      isReplaced: there.has(from),
    }));
}

async function copySlice(ends: CopyEnds, table: CopiedTable, slice: DifferingSlice, signal: AbortSignal): Promise<void> {
  if (slice.isReplaced) {
    const gone = deleteRows(everythingWithin(table, slice), { by: 'hiding', settings: removalSettings });
    await removeRows({ connections: ends.to, signal }, table.name, compileForAll(gone));
  }
  if (slice.rows > 0) await moveRows(ends, table, slice);
}
