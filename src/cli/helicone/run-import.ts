import type { JsonObject } from '../../model/text.ts';
import { textIn } from './files/cells.ts';
import type { Destination } from './destination.ts';
import { importBatch } from './import-batch.ts';
import { inlineBodies, type LoadedBodies } from './upstream-api.ts';
import { type ImportIdentity, type ImportState, type ProgressFile, RejectedFile } from './progress-file.ts';
import { Tally } from './tally.ts';

/** A step of reading a source. */
export type SourceEvent<Position> =
  | { readonly kind: 'records'; readonly records: readonly JsonObject[]; readonly next: Position }
  /** The day is read again: what was counted of it so far does not count. */
  | { readonly kind: 'again'; readonly day: string; readonly next: Position }
  /** All of the day has been read. @param counted what the source itself counts. */
  | { readonly kind: 'day'; readonly day: string; readonly counted: number | undefined; readonly next: Position };

/** Where records come from: an API or files. */
export interface Source<Position> {
  readonly identity: ImportIdentity;
  readonly start: Position;
  /** @param readOn records of a day that were read so far. */
  readonly events: (from: Position, readOn: (day: string) => number) => AsyncIterable<SourceEvent<Position>>;
  readonly loadBodies: (record: JsonObject) => Promise<LoadedBodies>;
}

export interface ImportRun<Position> {
  readonly source: Source<Position>;
  readonly destination: Destination;
  readonly isDryRun: boolean;
  /** Null for a dry run, which leaves no file. */
  readonly progressFile: ProgressFile<Position> | null;
  readonly onProgress: (tally: Tally) => void;
}

export interface ImportResult {
  readonly tally: Tally;
  /** The first few identifiers that were read in this run. */
  readonly sample: readonly string[];
}

const maxSample = 5;
const visibleWithinMs = 60_000;

/**
 * Runs an import, or continues the one that the progress file tells of. The position and the sums up to it are written together after each
 * batch, so that a killed run repeats one batch at most, and counts nothing twice.
 */
export async function runImport<Position>(run: ImportRun<Position>): Promise<ImportResult> {
  const { source, progressFile, destination, isDryRun } = run;
  await destination.check();
  const state = unfinished(progressFile) ?? beginning(source);
  const rejected = progressFile === null ? null : new RejectedFile(progressFile.rejectedFile, state.rejectedBytes);
  const sample: string[] = [];
  const loadBodies = isDryRun ? () => Promise.resolve({ bodies: {} }) : source.loadBodies;
  const save = (): void => {
    rejected?.sync();
    state.rejectedBytes = rejected?.bytes ?? 0;
    progressFile?.write(state);
  };
  try {
    save();
    const { tally } = state;
    run.onProgress(tally);
    for await (const event of source.events(state.position, (day) => requestsOn(tally, day))) {
      if (event.kind === 'records') {
        takeSample(sample, event.records);
        await importBatch(event.records, { destination, isDryRun, loadBodies, tally, rejected, visibleWithinMs });
      } else if (event.kind === 'again') {
        tally.restart(event.day, isDryRun);
        rejected?.cutTo(state.rejectedBytesBefore);
      } else {
        if (event.counted !== undefined && (event.counted > 0 || tally.days.has(event.day))) tally.of(event.day).counted = event.counted;
        state.rejectedBytesBefore = rejected?.bytes ?? 0;
      }
      state.position = event.next;
      save();
      run.onProgress(tally);
    }
    state.isFinished = true;
    save();
    return { tally, sample };
  } finally {
    rejected?.close();
  }
}

function unfinished<Position>(progressFile: ProgressFile<Position> | null): ImportState<Position> | undefined {
  const state = progressFile?.read();
  return state === undefined || state.isFinished ? undefined : state;
}

function beginning<Position>({ identity, start }: Source<Position>): ImportState<Position> {
  return { identity, position: start, tally: new Tally(), isFinished: false, rejectedBytes: 0, rejectedBytesBefore: 0 };
}

function requestsOn(tally: Tally, day: string): number {
  return tally.days.get(day)?.there.requests ?? 0;
}

function takeSample(sample: string[], records: readonly JsonObject[]): void {
  for (const record of records) {
    const id = textIn(record, 'request_id');
    if (sample.length >= maxSample) return;
    if (id !== null) sample.push(id);
  }
}

/** Bodies that a record of a file has in itself. */
export function bodiesOfFile(record: JsonObject): Promise<LoadedBodies> {
  const bodies = inlineBodies(record);
  const isBare = bodies.request === undefined && bodies.response === undefined;
  return Promise.resolve(isBare ? { bodies, problem: 'the file has none (the export tool writes them with --include-body)' } : { bodies });
}
