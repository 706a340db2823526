import { GatelogError } from '../../model/errors.ts';
import type { Keyset } from '../../query/requests/cursor.ts';
import type { RequestRow } from '../../query/requests/columns.ts';
import { type ExportPlan, exportStatements, keysetOf } from '../../query/export/plan.ts';
import { type ExportedRecord, exportedRecord } from '../../query/export/record.ts';
import { isOverResult } from '../../store/engine/failure.ts';
import { type RunStatement, runUntilRows } from '../../store/read/run-statement.ts';
import type { CallMemory } from '../http/response-memory.ts';
import { readBodyRuns, type RecordChunk } from '../../reading/body-runs.ts';
import { patiently } from '../../reading/patiently.ts';

const mebi = 1024 * 1024;
/** Rows of a page. A row has some kilobytes of properties at most, but for hostile ones. */
const maxRows = 500;
const maxRowsBytes = 4 * mebi;

export interface ExportReading {
  readonly run: RunStatement;
  readonly memory: CallMemory;
  readonly plan: ExportPlan;
  /** Exclusive, Unix milliseconds. */
  readonly untilMs: number;
  readonly withBodies: boolean;
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly monotonic: () => number;
}

/**
 * Reads the records of an export in the order of their keys, a few at a time: the memory does not grow with their number. Each record is
 * as it is when its page is read. @throws GatelogError, or the reason of the signal.
 */
export async function* readRecords(reading: ExportReading): AsyncGenerator<Iterable<ExportedRecord>> {
  const chunks = chunksOf(reading);
  let next: Promise<IteratorResult<RecordChunk>> | undefined;
  try {
    for (;;) {
      const read = await (next ?? chunks.next());
      next = undefined;
      if (read.done === true) return;
      const chunk = read.value;
      // The store reads on meanwhile, unless it would need memory that this chunk has.
      if (!chunk.isCounted) next = chunks.next();
      next?.catch(() => undefined);
      yield recordsOf(chunk);
    }
  } finally {
    // Nothing is taken for it after its end.
    await next?.catch(() => undefined);
  }
}

async function* chunksOf(reading: ExportReading): AsyncGenerator<RecordChunk, undefined> {
  const pages = new Pages(reading);
  for (let rows = await pages.next(); rows !== undefined; rows = await pages.next()) {
    if (!reading.withBodies) yield { rows, bodies: new Map(), isCounted: false };
    else yield* readBodyRuns({ ...reading, tenant: reading.plan.tenant }, rows);
  }
  return undefined;
}

function* recordsOf({ rows, bodies }: RecordChunk): Generator<ExportedRecord> {
  for (const row of rows) yield exportedRecord(row, bodies.get(row.id));
}

/** The pages of an export. A page that takes too long is read again over less time. */
class Pages {
  private readonly reading: ExportReading;
  private after: Keyset | undefined;
  private limit = maxRows;
  /** Milliseconds of arrival that one statement reads; infinite until one was too slow. */
  private sliceMs = Infinity;
  /** Inclusive start of the next slice. */
  private fromMs: number | undefined;
  private isDone = false;

  constructor(reading: ExportReading) {
    this.reading = reading;
    this.after = reading.plan.after;
    this.fromMs = reading.plan.startMs;
  }

  /** @returns undefined behind the last page. */
  async next(): Promise<readonly RequestRow[] | undefined> {
    while (!this.isDone) {
      const rows = await this.read();
      if (rows !== undefined && rows.length > 0) return rows;
    }
    return undefined;
  }

  /** @returns undefined when the same must be read again in smaller parts. */
  private async read(): Promise<readonly RequestRow[] | undefined> {
    const { plan, untilMs } = this.reading;
    const sliceEndMs = Math.min(untilMs, this.startMs() + this.sliceMs);
    const since = this.reading.monotonic();
    const statements = exportStatements({ ...plan, startMs: this.fromMs }, { after: this.after, untilMs: sliceEndMs, limit: this.limit });
    try {
      const rows = await patiently(this.reading, () => this.readRows(statements));
      this.advance(rows, sliceEndMs);
      if (this.reading.monotonic() - since < quickMs) this.sliceMs *= 2;
      return rows;
    } catch (error) {
      if (this.lessAtOnce(error)) return undefined;
      throw error;
    }
  }

  private async readRows(statements: ReturnType<typeof exportStatements>): Promise<readonly RequestRow[]> {
    const { run, signal, memory } = this.reading;
    memory.keepAnswer(0);
    const options = this.limit > 1 ? { maxResultBytes: maxRowsBytes } : {};
    return runUntilRows<RequestRow>((statement, stop) => run(statement, stop, options), statements, signal);
  }

  private advance(rows: readonly RequestRow[], sliceEndMs: number): void {
    const last = rows.at(-1);
    if (last !== undefined) this.after = keysetOf(last);
    if (rows.length >= this.limit) return;
    this.limit = maxRows;
    if (sliceEndMs >= this.reading.untilMs) this.isDone = true;
    else {
      this.fromMs = sliceEndMs;
      this.after = undefined;
    }
  }

  private startMs(): number {
    return Math.max(this.fromMs ?? fewBeforeMs, this.after === undefined ? -Infinity : Number(this.after.arrival));
  }

  /** @returns false when it cannot be read in smaller parts. */
  private lessAtOnce(error: unknown): boolean {
    if (isOverResult(error) && this.limit > 1) {
      this.limit = Math.ceil(this.limit / 4);
      return true;
    }
    if (!(error instanceof GatelogError) || error.code !== 'query_timeout' || this.sliceMs <= minSliceMs) return false;
    this.sliceMs = Number.isFinite(this.sliceMs) ? Math.ceil(this.sliceMs / 4) : firstSliceMs;
    return true;
  }
}

const day = 24 * 60 * 60_000;
const firstSliceMs = 7 * day;
const minSliceMs = 60_000;
/** Hardly any call is older: the first slice of an export without a start reaches back from here to the beginning of time. */
const fewBeforeMs = Date.UTC(2015, 0);
/** Slices grow while they are read faster. */
const quickMs = 1000;
