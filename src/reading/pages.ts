import { GatelogError } from '../model/errors.ts';
import { everything, type FilterNode } from '../query/filter/ast.ts';
import {
  type Arrivals,
  type RangeRow,
  rangeStatement,
  type StoredRange,
  type StreamPage,
  type StreamRow,
  streamStatement,
} from '../query/stream/rows.ts';
import { isOverResult } from '../store/engine/failure.ts';
import type { BodyReading } from './body-runs.ts';
import { patiently } from './patiently.ts';

/** A row has some kilobytes of properties at most, but for hostile ones. */
const maxRows = 500;
const maxRowsBytes = 4 * 1024 * 1024;
/** Numbers of a second. */
const minSlice = 1_000_000;
/** The first slice is this part of what is left, after one statement for all of it was too slow. */
const partOfRest = 16;
const quickMs = 1000;

/** Rows in the order of storage. */
export interface ReadPage {
  readonly rows: readonly StreamRow[];
  /** Everything up to this number has been read. */
  readonly through: number;
}

/** Rows with bodies and inputs are read a few at a time where they are large. @throws GatelogError, or the reason of the signal. */
export async function readPage(reading: BodyReading, page: Omit<StreamPage, 'limit'>): Promise<ReadPage> {
  const { run, tenant, signal } = reading;
  for (let limit = maxRows; ;) {
    const options = limit > 1 ? { maxResultBytes: maxRowsBytes } : {};
    const statement = streamStatement(tenant, { ...page, limit });
    try {
      const rows = await run<StreamRow>(statement, signal, options);
      const last = rows.at(-1);
      return { rows, through: rows.length < limit || last === undefined ? page.range.through : last.stored_number };
    } catch (error) {
      if (!isOverResult(error) || limit === 1) throw error;
      limit = Math.ceil(limit / 4);
    }
  }
}

/** What a viewer asks for. */
export interface ViewerQuery {
  readonly filter: FilterNode;
  readonly withInputs: boolean;
}

/** Reads behind a position for one viewer, page by page. A range that takes too long is read in slices. */
export class PagesBehind {
  private readonly reading: BodyReading;
  private readonly query: ViewerQuery;
  private slice = Infinity;
  /** Of the records in a range that is not read to its end. */
  private arrivals: { readonly through: number; readonly times: Arrivals } | undefined;

  constructor(reading: BodyReading, query: ViewerQuery) {
    this.reading = reading;
    this.query = query;
  }

  /** @throws GatelogError, or the reason of the signal. */
  async next(range: StoredRange): Promise<ReadPage> {
    for (;;) {
      const through = this.arrivals?.through ?? Math.min(range.through, range.after + this.slice);
      const since = this.reading.monotonic();
      try {
        const page = await patiently(this.reading, () => this.read({ ...range, through }));
        if (page.through === through) this.arrivals = undefined;
        if (this.reading.monotonic() - since < quickMs) this.slice *= 2;
        return page;
      } catch (error) {
        if (!isTimeout(error) || through - range.after <= minSlice) throw error;
        this.arrivals = undefined;
        this.slice = Math.max(minSlice, Math.ceil((through - range.after) / partOfRest));
      }
    }
  }

  private async read(range: StoredRange): Promise<ReadPage> {
    const { run, tenant, signal } = this.reading;
    if (this.arrivals === undefined) {
      const [found] = await run<RangeRow>(rangeStatement(tenant, range), signal);
      if (found === undefined || Number(found.total) === 0) return { rows: [], through: range.through };
      this.arrivals = { through: range.through, times: { fromMs: Number(found.from_ms), toMs: Number(found.to_ms) } };
    }
    return readPage(this.reading, { ...this.query, range, arrivals: this.arrivals.times, lane: 'export' });
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof GatelogError && error.code === 'query_timeout';
}

/** Everything that is new, for all viewers of an organisation. */
export const newRows = { filter: everything, lane: 'short' } as const;
