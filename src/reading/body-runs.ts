import type { OrganizationId } from '../model/ids.ts';
import type { BodiesRow, RequestRow } from '../query/requests/columns.ts';
import { bodiesStatements } from '../query/requests/select.ts';
import { isOverResult } from '../store/engine/failure.ts';
import { type RunStatement, runUntilRows } from '../store/read/run-statement.ts';
import { patiently } from './patiently.ts';

const mebi = 1024 * 1024;
/** Bytes on the wire of the bodies that are read at once. */
const maxBodiesBytes = 2 * mebi;
/** Compressed bodies are recorded decompressed. */
const slackBytes = mebi;
/**
 * Less is not counted as memory of responses, because a slow reader holds it for hours, in which no response that needs all of an
 * organisation's share could be built. The numbers of exports and streams bound it.
 */
const uncountedBytes = 8 * mebi;
/** One record's bodies are always read: two of the maximum decompressed size, in base64. */
const maxSingleBytes = 192 * mebi;
/** Bytes that the engine counts per row beside its texts. */
const rowOverheadBytes = 1024;

/** Counts the memory of what is read; `keepAnswer(0)` gives it back. */
export interface ReadingMemory {
  /** @throws GatelogError `service_busy`. */
  readonly takeAnswer: (textBytes: number) => Promise<void>;
  readonly keepAnswer: (textBytes: number) => void;
}

/** Bounds of what filters do, units of `Work`. */
export interface FilterBounds {
  /** Of one filter about one record. */
  readonly ofRecord: number;
  /** Of all filters about the records of a page, which ends behind the record with which it is reached. */
  readonly ofPage: number;
}

export interface BodyReading {
  readonly run: RunStatement;
  readonly memory: ReadingMemory;
  readonly tenant: OrganizationId;
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly monotonic: () => number;
  /** Absent: the standard ones. */
  readonly filterBounds?: FilterBounds | undefined;
}

export interface RecordChunk<Row = RequestRow, Bodies = BodiesRow> {
  readonly rows: readonly Row[];
  /** By identifier. */
  readonly bodies: ReadonlyMap<string, Bodies>;
  /** Its memory counts as that of a response, until the next chunk is read. */
  readonly isCounted: boolean;
}

/** Which texts of a record are read. */
export interface BodyTexts {
  readonly statementsFor: (tenant: OrganizationId, rows: readonly RequestRow[]) => ReturnType<typeof bodiesStatements>;
  /** How many bytes of them there are usually, at most, for each byte on the wire. */
  readonly timesPassed: number;
}

const bothBodies: BodyTexts = { statementsFor: (tenant, rows) => bodiesStatements(tenant, rows, 'export'), timesPassed: 2 };

/** Reads the bodies of rows, a few megabytes at a time. @throws GatelogError, or the reason of the signal. */
export async function* readBodyRuns<Row extends RequestRow, Bodies extends { readonly id: string } = BodiesRow>(
  reading: BodyReading,
  rows: readonly Row[],
  texts: BodyTexts = bothBodies,
): AsyncGenerator<RecordChunk<Row, Bodies>> {
  for (const run of runsOf(rows)) yield* readRun<Row, Bodies>(reading, run, texts);
}

/** Runs of rows whose bodies are read together. */
function* runsOf<Row extends RequestRow>(rows: readonly Row[]): Generator<readonly Row[]> {
  let first = 0;
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    const own = Number(row.size_bytes);
    if (index > first && bytes + own > maxBodiesBytes) {
      yield rows.slice(first, index);
      first = index;
      bytes = 0;
    }
    bytes += own;
  }
  if (first < rows.length) yield rows.slice(first);
}

async function* readRun<Row extends RequestRow, Bodies extends { readonly id: string }>(
  reading: BodyReading,
  rows: readonly Row[],
  texts: BodyTexts,
): AsyncGenerator<RecordChunk<Row, Bodies>> {
  const passed = texts.timesPassed * rows.reduce((sum, { size_bytes: bytes }) => sum + Number(bytes), 0);
  const within = async (maxResultBytes: number): Promise<RecordChunk<Row, Bodies>> => {
    const isCounted = maxResultBytes > uncountedBytes;
    return { rows, bodies: await bodiesWithin<Bodies>(reading, texts.statementsFor(reading.tenant, rows), maxResultBytes), isCounted };
  };
  try {
    yield await within(passed + slackBytes + rows.length * rowOverheadBytes);
    return;
  } catch (error) {
    if (!isOverResult(error)) throw error;
  }
  if (rows.length <= 1) {
    yield await within(Math.max(maxSingleBytes, passed));
    return;
  }
  const half = Math.ceil(rows.length / 2);
  yield* readRun<Row, Bodies>(reading, rows.slice(0, half), texts);
  yield* readRun<Row, Bodies>(reading, rows.slice(half), texts);
}

async function bodiesWithin<Bodies extends { readonly id: string }>(
  reading: BodyReading,
  statements: ReturnType<typeof bodiesStatements>,
  maxResultBytes: number,
): Promise<ReadonlyMap<string, Bodies>> {
  const { run, memory, signal } = reading;
  const found = await patiently(reading, async () => {
    if (maxResultBytes > uncountedBytes) await memory.takeAnswer(maxResultBytes);
    else memory.keepAnswer(0);
    return runUntilRows<Bodies>((statement, stop) => run(statement, stop, { maxResultBytes }), statements, signal);
  });
  return new Map(found.map((row) => [row.id, row]));
}
