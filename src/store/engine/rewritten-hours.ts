const hourMs = 3_600_000;
/** More are as good as all. */
const maxHours = 10_000;

/** Beginnings of hours, Unix milliseconds, ascending. */
export type Hours = 'all' | readonly number[];

/** In which hours texts of stored bodies were written again under the same keys, and their words: nothing in the rows' keys tells. */
export class RewrittenHours {
  private number = 0;
  private all = 0;
  /** By hour: the number of the last note. */
  private readonly notes = new Map<number, number>();

  /** Names what has been noted so far. */
  get mark(): number {
    return this.number;
  }

  /** Call it before and after the rewriting. @param times within the hours, Unix milliseconds. */
  note(times: readonly number[]): void {
    this.number += 1;
    for (const at of times) this.notes.set(Math.floor(at / hourMs) * hourMs, this.number);
    if (this.notes.size <= maxHours) return;
    this.notes.clear();
    this.all = this.number;
  }

  /** Nobody knows where. */
  noteAll(): void {
    this.number += 1;
    this.all = this.number;
  }

  since(mark: number): Hours {
    if (this.all > mark) return 'all';
    const later = [...this.notes].filter(([, number]) => number > mark);
    return later.map(([hour]) => hour).toSorted((one, other) => one - other);
  }
}
