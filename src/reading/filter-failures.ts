import type { StreamRow } from '../query/stream/rows.ts';
import type { FilterResult } from './matching.ts';

const maxInRow = 10;
const maxInHour = 100;
const hourMs = 3_600_000;

/** Counts the records that a filter passes by, and tells when it is given up. */
export class FilterFailures {
  private inRow = 0;
  /** When the last ones were, milliseconds. */
  private readonly times: number[] = [];

  /** @param rows in their order. @param at milliseconds. @returns why the filter is given up, as a sentence; undefined while it goes on. */
  after(rows: readonly StreamRow[], { passedBy }: Pick<FilterResult, 'passedBy'>, at: number): string | undefined {
    let givenUp: string | undefined;
    for (const row of rows) {
      const reason = passedBy.get(row);
      this.inRow = reason === undefined ? 0 : this.inRow + 1;
      if (reason !== undefined) givenUp ??= this.failed(reason, at);
    }
    return givenUp;
  }

  private failed(reason: string, at: number): string | undefined {
    this.times.push(at);
    if (this.times.length > maxInHour) this.times.shift();
    const first = this.times[0] ?? at;
    if (this.inRow >= maxInRow) return sentenceOf(`${maxInRow} records in a row`, reason);
    return this.times.length === maxInHour && at - first < hourMs ? sentenceOf(`${maxInHour} records within an hour`, reason) : undefined;
  }
}

function sentenceOf(records: string, reason: string): string {
  return `The filter could not decide about ${records}: ${reason}. Use fewer conditions on long texts, or shorter patterns.`;
}
