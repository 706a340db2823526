import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { apiClient } from './api.ts';
import { gatelog } from './command.ts';
import { eventually } from './eventually.ts';
import { fillStore } from './export-run.ts';
import { fullRecord } from './full-records.ts';
import { type Service, startService, testKey } from './process-tree.ts';

export interface RoundTripReport {
  readonly records: number;
  readonly bytes: number;
  readonly isSame: boolean;
  /** The first line that differs, before and after. */
  readonly different: readonly [string | undefined, string | undefined] | undefined;
  readonly exportSeconds: number;
  /** Until the last line was acknowledged. */
  readonly importSeconds: number;
  /** Until a query found the last record. */
  readonly foundSeconds: number;
  /** Of a second import of the same file. */
  readonly again: { readonly imported: number; readonly alreadyThere: number; readonly seconds: number };
}

/** Exports records with values of all fields, imports them into a fresh deployment, and exports them from there. */
export async function runRoundTrip([from, into]: readonly [string, string], count: number): Promise<RoundTripReport> {
  await fillStore(from, count, (number, organization) => fullRecord(number, count, organization));
  const source = await startService({ dataDir: from });
  const before = await exported(source);
  await source.stop();
  const service = await startService({ dataDir: into });
  const since = performance.now();
  const first = await imported(into, service.api, before.file);
  const api = apiClient(service.api, testKey);
  await eventually(
    'all to be stored',
    async () => ((await api.call<number>('POST', '/v1/request/count/query', { filter: 'all' })).body.data === count ? true : undefined),
    300_000,
  );
  const foundSeconds = (performance.now() - since) / 1000;
  const second = await imported(into, service.api, before.file);
  const after = await exported(service);
  await service.stop();
  const isSame = before.sha256 === after.sha256;
  return {
    records: first.imported,
    bytes: statSync(before.file).size,
    isSame,
    different: isSame ? undefined : await firstDifference(before.file, after.file),
    exportSeconds: before.seconds,
    importSeconds: first.seconds,
    foundSeconds,
    again: { imported: second.imported, alreadyThere: second.already_there, seconds: second.seconds },
  };
}

async function exported({ dataDir, api }: Service): Promise<{ readonly file: string; readonly sha256: string; readonly seconds: number }> {
  const file = path.join(dataDir, 'exported.jsonl');
  const since = performance.now();
  const { code, stderr } = await gatelog(dataDir, { api }, 'export', '--include-body', '--output', file);
  const seconds = (performance.now() - since) / 1000;
  if (code !== 0) throw new Error(stderr);
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return { file, sha256: hash.digest('hex'), seconds };
}

interface ImportReport {
  readonly imported: number;
  readonly already_there: number;
  readonly seconds: number;
}

async function imported(dataDir: string, api: string, file: string): Promise<ImportReport> {
  const { code, stdout, stderr } = await gatelog(dataDir, { api }, 'import', '--json', file);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as ImportReport;
}

async function firstDifference(one: string, other: string): Promise<readonly [string | undefined, string | undefined]> {
  const others = linesOf(other);
  for await (const line of linesOf(one)) {
    const found = await others.next();
    if (found.value !== line) return [line, found.value];
  }
  return [undefined, (await others.next()).value];
}

async function* linesOf(file: string): AsyncGenerator<string, undefined> {
  yield* createInterface({ input: createReadStream(file) });
  return undefined;
}
