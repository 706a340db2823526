import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isSystemError } from '../../src/platform/files.ts';
import { openCheckpointFile } from '../../src/spool/checkpoint.ts';
import { listSegments, listSeries } from '../../src/spool/segment.ts';
import { segmentName } from '../../src/spool/spool.ts';

/** Content of the spool at one moment, in bytes. */
export interface SpoolReading {
  /** Bytes after the checkpoint: records that the store has not accepted yet. */
  readonly waitingBytes: number;
  /** Bytes written since the gauge's first reading, except those that a segment received between its last reading and its deletion. */
  readonly writtenBytes: number;
}

/** Reads the spool's backlog from the files alone, without a request to the service. */
export class SpoolGauge {
  private readonly folder: string;
  /** Largest size seen of each segment. */
  private readonly seen = new Map<string, number>();
  private readonly writtenBefore: number;

  constructor(spoolFolder: string) {
    this.folder = spoolFolder;
    this.waiting();
    this.writtenBefore = this.writtenSoFar();
  }

  read(): SpoolReading {
    const waitingBytes = this.waiting();
    return { waitingBytes, writtenBytes: this.writtenSoFar() - this.writtenBefore };
  }

  private waiting(): number {
    // The checkpoint is read first: records that are accepted meanwhile then count as waiting, never the reverse.
    const { accepted } = openCheckpointFile(this.folder).load();
    let waitingBytes = 0;
    for (const series of listSeries(this.folder)) {
      const place = accepted[series] ?? { segment: 0, offset: 0 };
      for (const number of segmentsOf(join(this.folder, series))) {
        const bytes = this.sizeOf(series, number);
        if (number > place.segment) waitingBytes += bytes;
        else if (number === place.segment) waitingBytes += Math.max(0, bytes - place.offset);
      }
    }
    return waitingBytes;
  }

  private writtenSoFar(): number {
    return [...this.seen.values()].reduce((total, bytes) => total + bytes, 0);
  }

  private sizeOf(series: string, number: number): number {
    const file = join(series, segmentName(number));
    const bytes = statSync(join(this.folder, file), { throwIfNoEntry: false })?.size ?? 0;
    this.seen.set(file, Math.max(bytes, this.seen.get(file) ?? 0));
    return bytes;
  }
}

/** The ingest deletes series meanwhile; a deleted one has no segments. */
function segmentsOf(folder: string): number[] {
  try {
    return listSegments(folder);
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return [];
    throw error;
  }
}
