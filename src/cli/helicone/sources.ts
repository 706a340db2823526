import { realpathSync, statSync } from 'node:fs';
import { isMissing } from '../../platform/files.ts';
import { CommandError } from '../base/dependencies.ts';
import type { ImportIdentity } from './progress-file.ts';
import { type DayPosition, readDays } from './read-days.ts';
import { type FilePosition, readFiles } from './files/read-files.ts';
import { bodiesOfFile, type Source } from './run-import.ts';
import type { TimeWindow, UpstreamApi } from './upstream-api.ts';

const secondMs = 1000;

export function identityOfApi(base: string, range: TimeWindow, destination: string): ImportIdentity {
  return { source: base, since: isoOf(range.fromSeconds), until: isoOf(range.toSeconds), destination };
}

function isoOf(seconds: number): string {
  return new Date(seconds * secondMs).toISOString();
}

export interface ApiSourceOptions {
  readonly api: UpstreamApi;
  readonly identity: ImportIdentity;
  readonly pageSize: number;
}

/** Records of a running service. */
export function apiSource({ api, identity, pageSize }: ApiSourceOptions): Source<DayPosition> {
  const range = { fromSeconds: Date.parse(identity.since) / secondMs, toSeconds: Date.parse(identity.until) / secondMs };
  return {
    identity,
    // Before the first record: the search for it is the reading of an empty day.
    start: { daySeconds: range.fromSeconds, nextSeconds: range.fromSeconds, isCareful: false },
    events: (start, readOn) => readDays(api, { range, start, pageSize, readOn }),
    loadBodies: api.bodies,
  };
}

/** What a changed file would be told apart by. @throws CommandError when one is missing. */
export function identityOfFiles(files: readonly string[], destination: string): ImportIdentity {
  const sizes = files.map((file) => {
    try {
      const { size } = statSync(file);
      return `${realpathSync(file)} (${size} bytes)`;
    } catch (error) {
      if (isMissing(error)) throw new CommandError(`There is no file ${file}.`);
      throw error;
    }
  });
  return { source: sizes.join(', '), since: '', until: '', destination };
}

/** Records of the files of upstream's export tool. */
export function fileSource(files: readonly string[], identity: ImportIdentity, batchSize: number): Source<FilePosition> {
  return {
    identity,
    start: { file: 0, records: 0 },
    async *events(start) {
      for await (const { records, next } of readFiles(files, start, batchSize)) yield { kind: 'records', records, next };
    },
    loadBodies: bodiesOfFile,
  };
}
