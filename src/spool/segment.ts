import { readdirSync, type Dirent } from 'node:fs';
import { segmentNumber } from './spool.ts';

/** Numbers of the segments of a series folder, in order. */
export function listSegments(seriesFolder: string): number[] {
  return readdirSync(seriesFolder)
    .map(segmentNumber)
    .filter((number) => number !== undefined)
    .sort((left, right) => left - right);
}

/** Names of the series in a spool folder, oldest name first. */
export function listSeries(spoolFolder: string): string[] {
  return readdirSync(spoolFolder, { withFileTypes: true })
    .filter((entry: Dirent) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
