import { rmSync } from 'node:fs';
import path from 'node:path';
import { isServiceHere, serviceClient, serviceName } from '../base/client.ts';
import { type CommandDependencies, CommandError } from '../base/dependencies.ts';
import { apiDestination } from '../helicone/api-destination.ts';
import { type CallPolicy, defaultCallPolicy, UnansweredCall } from '../helicone/calls.ts';
import { parseTime } from '../helicone/files/cells.ts';
import { type ImportIdentity, ProgressFile } from '../helicone/progress-file.ts';
import type { DayPosition } from '../helicone/read-days.ts';
import type { FilePosition } from '../helicone/files/read-files.ts';
import { isReconciled, jsonReport, textReport } from '../helicone/report.ts';
import { type ImportResult, runImport, type Source } from '../helicone/run-import.ts';
import { apiSource, fileSource, identityOfFiles } from '../helicone/sources.ts';
import type { Tally } from '../helicone/tally.ts';
import { progressLine, shownAmount } from '../base/progress.ts';
import { type TimeWindow, upstreamApi } from '../helicone/upstream-api.ts';
import { jsonText } from '../base/json.ts';

export interface ImportHeliconeOptions {
  readonly url?: string;
  /** Inclusive, a date or a time in UTC. */
  readonly since?: string;
  /** Exclusive. */
  readonly until?: string;
  readonly callsPerSecond: number;
  readonly pageSize: number;
  readonly state: string;
  readonly restart?: true;
  readonly dryRun?: true;
  readonly json?: true;
}

export const defaultStateFile = 'gatelog-import-helicone.json';

/** Upstream did not exist then. */
const defaultSince = '2020-01-01T00:00:00.000Z';
/** Upstream shows requests with a delay, so the latest ones are left to the next import. */
const delayMs = 60_000;
const secondMs = 1000;

/** `gatelog import --from helicone`: brings the records of a running upstream service, or of files of its export tool, and compares both sides. */
export async function importFromHelicone(
  dependencies: CommandDependencies,
  files: readonly string[],
  options: ImportHeliconeOptions,
): Promise<void> {
  if ((options.url === undefined) === (files.length === 0)) {
    throw new CommandError(
      '--from helicone takes either --url, the address of the API to import from (https://api.helicone.ai, https://eu.api.helicone.ai or your own), or files of its export tool.',
    );
  }
  await (options.url === undefined ? importFiles(dependencies, files, options) : importApi(dependencies, options.url, options));
}

async function importApi(dependencies: CommandDependencies, url: string, options: ImportHeliconeOptions): Promise<void> {
  const policy = {
    ...defaultCallPolicy,
    callsPerSecond: options.callsPerSecond,
    onWait: (sentence: string) => tell(dependencies, `${sentence}.`),
  };
  const api = upstreamApi({ url, key: keyOf(dependencies), policy });
  const asked = {
    source: url,
    since: secondOf('--since', options.since, Math.floor) ?? defaultSince,
    until: secondOf('--until', options.until, Math.ceil) ?? isoSecond(dependencies.now() - delayMs),
    destination: serviceName(dependencies),
  };
  const given = { ...asked, until: options.until === undefined ? undefined : asked.until };
  const { progressFile, identity } = stateOf<DayPosition>(dependencies, { asked, given, options });
  const range = { fromSeconds: Date.parse(identity.since) / secondMs, toSeconds: Date.parse(identity.until) / secondMs };
  if (range.fromSeconds >= range.toSeconds) throw new CommandError(`--since ${identity.since} is not before --until ${identity.until}.`);
  const source = apiSource({ api, identity, pageSize: options.pageSize });
  await run(dependencies, { source, progressFile, total: totalOf(dependencies, { url, policy, range }), options });
  if (options.dryRun !== true) {
    dependencies.hint(`Read up to ${identity.until}. What came later: the same command with --since ${identity.until}.`);
  }
}

async function importFiles(dependencies: CommandDependencies, files: readonly string[], options: ImportHeliconeOptions): Promise<void> {
  if (options.since !== undefined || options.until !== undefined) {
    throw new CommandError('--since and --until go with --url; of a file all records are imported.');
  }
  const asked = identityOfFiles(files, serviceName(dependencies));
  const { progressFile, identity } = stateOf<FilePosition>(dependencies, { asked, given: asked, options });
  await run(dependencies, { source: fileSource(files, identity, options.pageSize), progressFile, total: unknownTotal, options });
}

interface Running<Position> {
  readonly source: Source<Position>;
  readonly progressFile: ProgressFile<Position> | null;
  /** What there is to read; undefined while or when it is not known. */
  readonly total: () => number | undefined;
  readonly options: ImportHeliconeOptions;
}

async function run<Position>(dependencies: CommandDependencies, running: Running<Position>): Promise<void> {
  const { source, progressFile, total, options } = running;
  const isDryRun = options.dryRun === true;
  const destination = apiDestination({
    client: serviceClient(dependencies),
    isCompressed: !isServiceHere(dependencies),
    name: source.identity.destination,
    onAway: (reason) => tell(dependencies, `${reason} Trying again.`),
  });
  const onProgress = progressOf(dependencies, total);
  let result: ImportResult;
  try {
    result = await runImport({ source, destination, isDryRun, progressFile, onProgress });
  } catch (error) {
    dependencies.progress('');
    const hasRead = (progressFile?.read()?.tally.total().there.requests ?? 0) > 0;
    if (hasRead) dependencies.hint('What was imported stays. The same command again goes on from there.');
    if (error instanceof UnansweredCall) throw new CommandError(`${source.identity.source} does not answer: ${error.message}.`);
    throw error;
  }
  dependencies.progress('');
  const report = { ...result, isDryRun, source: source.identity.source };
  dependencies.print(options.json === true ? jsonText(jsonReport(report), 2) : textReport(report));
  const { counts } = result.tally.total();
  if (counts.rejected > 0 && progressFile !== null) dependencies.hint(`The rejected records are in ${progressFile.rejectedFile}.`);
  if (!isDryRun && !isReconciled(result.tally.total())) throw new CommandError('The two sides differ; see above.');
}

const unknownTotal = (): undefined => undefined;

/** Asks for the number of requests once, for the progress on a terminal, while the reading begins. */
function totalOf(dependencies: CommandDependencies, { url, policy, range }: TotalOf): () => number | undefined {
  if (dependencies.columns === undefined) return unknownTotal;
  let total: number | undefined;
  void upstreamApi({ url, key: keyOf(dependencies), policy: { ...policy, maxAttempts: 1 } })
    .count(range)
    .then((count) => {
      total = count;
    })
    .catch(unknownTotal);
  return () => total;
}

interface TotalOf {
  readonly url: string;
  readonly policy: CallPolicy;
  readonly range: TimeWindow;
}

function keyOf({ environment }: CommandDependencies): string {
  const key = environment['GATELOG_IMPORT_KEY'];
  if (key === undefined || key === '') {
    throw new CommandError('GATELOG_IMPORT_KEY is not set: it takes a key of the service to import from, which may read.');
  }
  if (!/^[\u0021-\u007e]+$/.test(key)) {
    throw new CommandError('GATELOG_IMPORT_KEY is no key: it holds spaces or other characters that keys do not have.');
  }
  return key;
}

/** A time in whole seconds. @throws CommandError when the text is no time. */
function secondOf(option: string, text: string | undefined, round: (seconds: number) => number): string | undefined {
  if (text === undefined) return undefined;
  const time = parseTime(text);
  if (time === undefined) {
    throw new CommandError(`${option} takes a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z (UTC).`);
  }
  return isoSecond(round(time / secondMs) * secondMs);
}

function isoSecond(ms: number): string {
  return new Date(Math.floor(ms / secondMs) * secondMs).toISOString();
}

interface AskedImport {
  readonly asked: ImportIdentity;
  /** Without what the command leaves open. */
  readonly given: Omit<ImportIdentity, 'until'> & { readonly until: string | undefined };
  readonly options: ImportHeliconeOptions;
}

/** The file of the import's state, and the import that goes on: an unfinished one of the same source, else the one asked for. */
function stateOf<Position>(
  dependencies: CommandDependencies,
  { asked, given, options }: AskedImport,
): { readonly progressFile: ProgressFile<Position> | null; readonly identity: ImportIdentity } {
  if (options.dryRun === true) return { progressFile: null, identity: asked };
  const file = path.resolve(options.state);
  if (options.restart === true) rmSync(file, { force: true });
  const progressFile = new ProgressFile<Position>(file);
  const state = progressFile.read();
  if (state === undefined || state.isFinished) return { progressFile, identity: asked };
  const { identity, tally } = state;
  const differing = (Object.keys(asked) as (keyof ImportIdentity)[]).find(
    (name) => given[name] !== undefined && given[name] !== identity[name],
  );
  if (differing !== undefined && tally.total().there.requests === 0) {
    // It read nothing: its address was a mistake, or its key.
    rmSync(file, { force: true });
    return { progressFile, identity: asked };
  }
  if (differing !== undefined) {
    throw new CommandError(
      `${options.state} is the state of another import that is not finished (${differing} ${identity[differing]}, not ${asked[differing]}). Finish that one, name another file with --state, or drop it with --restart.`,
    );
  }
  dependencies.hint(
    `Going on with the import that ${options.state} tells of: ${shownAmount(tally.total().there.requests, 'request')} ${tally.total().there.requests === 1 ? 'was' : 'were'} read.`,
  );
  return { progressFile, identity };
}

/** Writes a line for people in the place of the progress. */
function tell({ progress, hint }: CommandDependencies, sentence: string): void {
  progress('');
  hint(sentence);
}

/** Shows how far, how fast and how long. */
function progressOf({ progress }: CommandDependencies, totalNow: () => number | undefined): (tally: Tally) => void {
  const startedAt = performance.now();
  let doneBefore: number | undefined;
  return (tally) => {
    const { requests: done } = tally.total().there;
    doneBefore ??= done;
    progress(progressLine('requests', { done, total: totalNow(), elapsedMs: performance.now() - startedAt, doneBefore }));
  };
}
