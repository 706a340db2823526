import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isSystemError } from '../../src/platform/files.ts';
import { openCheckpointFile } from '../../src/spool/checkpoint.ts';
import { listSegments, listSeries } from '../../src/spool/segment.ts';
import { segmentName } from '../../src/spool/spool.ts';

/** What the spool holds at one moment, in bytes. */
export interface SpoolReading {
  /** Behind the place up to which the store has accepted it, as its checkpoint says: what the ingest still has to do. */
  readonly waitingBytes: number;
  /** Written to it since the gauge looked first; what a segment got between the last look at it and its deletion is missing. */
  readonly writtenBytes: number;
}

/** Reads how far the ingest is behind the gateway, from the files alone: nothing is asked of the service. */
export class SpoolGauge {
  readonly #folder: string;
  /** Largest size at which each segment was seen. */
  readonly #seen = new Map<string, number>();
  readonly #writtenBefore: number;

  constructor(spoolFolder: string) {
    this.#folder = spoolFolder;
    this.#waiting();
    this.#writtenBefore = this.#writtenSoFar();
  }

  read(): SpoolReading {
    const waitingBytes = this.#waiting();
    return { waitingBytes, writtenBytes: this.#writtenSoFar() - this.#writtenBefore };
  }

  #waiting(): number {
    // The checkpoint first: what is accepted meanwhile then counts as waiting, never the other way round.
    const { accepted } = openCheckpointFile(this.#folder).load();
    let waitingBytes = 0;
    for (const series of listSeries(this.#folder)) {
      const place = accepted[series] ?? { segment: 0, offset: 0 };
      for (const number of segmentsOf(join(this.#folder, series))) {
        const bytes = this.#sizeOf(series, number);
        if (number > place.segment) waitingBytes += bytes;
        else if (number === place.segment) waitingBytes += Math.max(0, bytes - place.offset);
      }
    }
    return waitingBytes;
  }

  #writtenSoFar(): number {
    return [...this.#seen.values()].reduce((total, bytes) => total + bytes, 0);
  }

  #sizeOf(series: string, number: number): number {
    const file = join(series, segmentName(number));
    const bytes = statSync(join(this.#folder, file), { throwIfNoEntry: false })?.size ?? 0;
    this.#seen.set(file, Math.max(bytes, this.#seen.get(file) ?? 0));
    return bytes;
  }
}

/** The ingest deletes series while we look: one that is gone has no segments. */
function segmentsOf(folder: string): number[] {
  try {
    return listSegments(folder);
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return [];
    throw error;
  }
}
