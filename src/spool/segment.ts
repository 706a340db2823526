import { closeSync, type Dirent, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { namesIn, writeFully } from '../platform/files.ts';
import { makeSegmentHeader } from './frame.ts';
import { lockName, segmentName, segmentNumber, seriesNamePattern } from './spool.ts';

/** Numbers of the segments of a series folder, in order. */
export function listSegments(seriesFolder: string): number[] {
  return readdirSync(seriesFolder)
    .map(segmentNumber)
    .filter((number) => number !== undefined)
    .toSorted((left, right) => left - right);
}

/** Names of the series in a spool folder, sorted. Other entries are ignored: `lost+found`, an editor's backup files. */
export function listSeries(spoolFolder: string): string[] {
  return readdirSync(spoolFolder, { withFileTypes: true })
    .filter((entry: Dirent) => entry.isDirectory() && seriesNamePattern.test(entry.name) && isSeries(path.join(spoolFolder, entry.name)))
    .map((entry) => entry.name)
    .toSorted();
}

function isSeries(folder: string): boolean {
  return namesIn(folder).some((name) => name === lockName || segmentNumber(name) !== undefined);
}

/**
 * Creates a segment with its header and opens it for appending. It gets its name only once the header is in it: the name makes the reader
 * treat the segment before as finished.
 */
export function createSegment(seriesFolder: string, number: number): number {
  const file = path.join(seriesFolder, segmentName(number));
  const temporaryFile = `${file}.new`;
  const descriptor = openSync(temporaryFile, 'ax', 0o600);
  try {
    writeFully(descriptor, makeSegmentHeader());
    renameSync(temporaryFile, file);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    rmSync(temporaryFile, { force: true });
    throw error;
  }
}
