import { type MetricFamily, Meter } from './meter.ts';

/** Metrics of the successive processes of one slot. Counts of a dead process stay, so that counters never decrease; its gauges go. */
export class SlotTotals {
  private readonly before: Meter;
  private latest: Float64Array | undefined;

  constructor(families: readonly MetricFamily[]) {
    this.before = new Meter(families);
  }

  /** Takes the current metrics of the running process; metrics of another version's length are dropped. */
  report(cells: Float64Array): void {
    if (cells.length === this.before.cells.length) this.latest = cells;
  }

  ended(): void {
    if (this.latest !== undefined) this.before.cells.set(this.total());
    this.latest = undefined;
    for (const family of this.before.families) {
      if (family.kind === 'gauge') this.before.cells.fill(Number.NaN, this.before.startOf(family), this.before.endOf(family));
    }
  }

  total(): Float64Array {
    const { latest, before } = this;
    if (latest === undefined) return before.cells.slice();
    const sum = before.cells.map((value, index) => value + (latest[index] ?? 0));
    for (const family of before.families) {
      if (family.kind !== 'gauge') continue;
      const [start, end] = [before.startOf(family), before.endOf(family)];
      sum.set(latest.subarray(start, end), start);
    }
    return sum;
  }
}

/** Encodes cells exactly, as text for a message between processes. Most are 0: the others are in it, each behind its index. */
export function packCells(cells: Float64Array): string {
  const packed = [cells.length];
  for (const [index, value] of cells.entries()) if (value !== 0) packed.push(index, value);
  return Buffer.from(Float64Array.from(packed).buffer).toString('base64');
}

/** Decodes {@link packCells}. */
export function unpackCells(text: string): Float64Array {
  const bytes = Buffer.from(text, 'base64');
  const packed = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength - (bytes.byteLength % 8)));
  const cells = new Float64Array(packed[0] ?? 0);
  for (let at = 1; at + 1 < packed.length; at += 2) cells[packed[at] ?? 0] = packed[at + 1] ?? 0;
  return cells;
}
