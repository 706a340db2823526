import { chosenColumns, columnNames, type ExportColumn, showsBodies } from '../../export/columns.ts';
import { partCompressor } from '../../export/compression.ts';
import { lineWriter } from '../../export/line-writer.ts';
import type { WriterOptions } from '../../export/writer.ts';
import {
  type Compression,
  compressions,
  type ExportFormat,
  exportFormats,
  fileCompression,
  fileEnding,
  namedCompression,
  namedFormat,
} from '../../model/vocabulary/export.ts';
import { serviceClient } from '../base/client.ts';
import { type CommandDependencies, UsageError } from '../base/dependencies.ts';
import { filterOf, type FilterOptions } from '../filter/filter.ts';
import type { Filter } from '../../client/client.ts';
import { defaultSizes, Destination, type FileSizes, placeOf } from '../export/destination.ts';
import { type ExportFacts, type ExportQuery, type LineSource, receivedLines } from '../export/source.ts';
import { fingerprintOf } from '../export/state.ts';
import { timeOf } from '../base/time-window.ts';
import { progressLine, shownAmount, shownBytes, shownDuration } from '../base/progress.ts';
import { jsonText } from '../base/json.ts';

export interface ExportOptions extends FilterOptions {
  readonly format?: string;
  readonly startDate?: string;
  readonly endDate?: string;
  readonly columns?: string;
  readonly includeBody?: true;
  readonly output?: string;
  readonly compress?: string;
  readonly resume?: true;
  readonly raw?: true;
  readonly bom?: true;
  readonly json?: true;
}

const standardOutput = '-';
const mebi = 1024 ** 2;
/** Of formats with groups. */
const groupBytes = 16 * mebi;
/** Bytes that are written to standard output at once. */
const stdoutBytes = mebi;

interface Order {
  readonly writer: WriterOptions;
  readonly compression: Compression;
  /** Of the API. */
  readonly query: ExportQuery;
  readonly filter: Filter;
}

/** `gatelog export`: writes requests of the organisation to a file, a folder of files, or standard output. */
export async function exportRecords(
  dependencies: CommandDependencies,
  options: ExportOptions,
  sizes: Partial<FileSizes> = {},
): Promise<void> {
  const order = orderOf(options, dependencies.now());
  const source = sourceOf(dependencies, order);
  if (options.output === undefined || options.output === standardOutput) {
    if (options.resume === true) throw new UsageError('--resume needs --output: what was written to a pipe is not known.');
    await toStandardOutput(dependencies, order, source);
  } else await toFiles(dependencies, { ...options, output: options.output, sizes }, { order, source });
}

type Source = Pick<LineSource, 'client' | 'query' | 'now' | 'onAway'>;

function sourceOf(dependencies: CommandDependencies, { query }: Order): Source {
  let told = false;
  return {
    client: serviceClient(dependencies),
    query,
    now: dependencies.now,
    onAway: (reason) => {
      if (!told) dependencies.hint(`${reason} The export goes on when the service is back.`);
      told = true;
    },
  };
}

async function toStandardOutput(dependencies: CommandDependencies, { writer, compression }: Order, source: Source): Promise<void> {
  const lines = await lineWriter(writer);
  const compress = await partCompressor(fileCompression(writer.format, compression));
  const write = async (): Promise<void> => dependencies.write(await compress(lines.take()));
  const shown = shownProgress(dependencies);
  try {
    for await (const received of receivedLines({ ...source, cursor: undefined, onFacts: shown.begin })) {
      for (const { bytes } of received) lines.add(bytes);
      shown.add(received.length);
      if (lines.readyBytes() >= stdoutBytes) await write();
    }
    lines.end();
    await write();
  } finally {
    shown.end();
  }
}

interface FilesOptions extends ExportOptions {
  readonly output: string;
  readonly sizes: Partial<FileSizes>;
}

async function toFiles(
  dependencies: CommandDependencies,
  options: FilesOptions,
  { order, source }: { readonly order: Order; readonly source: Source },
): Promise<void> {
  const { writer, compression, query, filter } = order;
  const place = placeOf(options.output, fileEnding(writer.format, compression));
  const columns = writer.columns.map(({ name }) => name);
  const { destination, state } = await Destination.open({
    place,
    writer,
    compression,
    isResumed: options.resume === true,
    // The window as it was given: today is another time tomorrow.
    of: fingerprintOf([
      { ...query, startDate: options.startDate, endDate: options.endDate },
      writer.format,
      writer.raw,
      writer.bom,
      compression,
    ]),
    described: { format: writer.format, compression, filter, columns },
    sizes: { ...defaultSizes, ...options.sizes },
  });
  const shown = shownProgress(dependencies, destination.rows);
  const window = state === undefined ? {} : { startDate: state.start ?? undefined, endDate: state.end };
  const onFacts = (facts: ExportFacts): void => {
    destination.begin({ ...facts, start: state?.start ?? facts.start });
    shown.begin(facts);
  };
  try {
    for await (const received of receivedLines({ ...source, query: { ...query, ...window }, cursor: state?.cursor, onFacts })) {
      await destination.add(received);
      shown.add(received.length);
    }
    const manifest = await destination.finish();
    shown.end();
    if (options.json === true) dependencies.print(jsonText(manifest, 2));
    else dependencies.hint(`${shown.summary()}, ${shownBytes(destination.bytes)}: ${options.output}`);
  } catch (error) {
    destination.abandon();
    throw error;
  } finally {
    shown.end();
  }
}

/** @param doneBefore records of an earlier run. */
function shownProgress({ progress, hint, now }: CommandDependencies, doneBefore = 0) {
  const since = now();
  let done = doneBefore;
  let total: number | undefined;
  let shownAt = 0;
  let warned: string | null = null;
  return {
    begin: (facts: ExportFacts): void => {
      if (facts.warning !== null && facts.warning !== warned) hint(facts.warning);
      warned = facts.warning;
      total ??= facts.total === undefined ? undefined : facts.total + done;
    },
    add: (count: number): void => {
      done += count;
      if (now() - shownAt < 200) return;
      shownAt = now();
      progress(progressLine('records', { done, total, elapsedMs: now() - since, doneBefore }));
    },
    end: (): void => progress(''),
    summary: (): string => `${shownAmount(done, 'record')} in ${shownDuration((now() - since) / 1000)}`,
  };
}

/** @throws CommandError for an option that is none. */
function orderOf(options: ExportOptions, now: number): Order {
  const format = formatOf(options);
  const compression = chosenCompression(options) ?? 'none';
  const filter = filterOf(options);
  const names = options.columns === undefined ? undefined : columnNames(options.columns);
  const columns = columnsOf({ format, columns: names, includeBodies: options.includeBody === true });
  return {
    writer: {
      format,
      columns,
      raw: options.raw === true,
      bom: options.bom === true,
      compression: chosenCompression(options),
      groupBytes,
    },
    compression,
    filter,
    query: {
      filter,
      startDate: boundOf('--start-date', options.startDate, now),
      endDate: boundOf('--end-date', options.endDate, now),
      format: 'jsonl',
      columns: ['cursor', ...columns.map(({ name }) => name)],
      includeBodies: showsBodies({ columns: names, includeBodies: options.includeBody }),
    },
  };
}

function boundOf(option: string, text: string | undefined, now: number): string | undefined {
  return text === undefined ? undefined : new Date(timeOf(text, { option, now, timezone: 'UTC' })).toISOString();
}

function columnsOf(choice: Parameters<typeof chosenColumns>[0]): readonly ExportColumn[] {
  const chosen = chosenColumns(choice);
  if (!chosen.ok) throw new UsageError(chosen.fault.message.replace('`columns`', '--columns'));
  if (chosen.value.some(({ name }) => name === 'cursor')) {
    throw new UsageError('The column cursor is for programs that use the API themselves.');
  }
  return chosen.value;
}

function formatOf({ format, output = '' }: ExportOptions): ExportFormat {
  return exportFormats.find((known) => known === format) ?? namedFormat(output) ?? 'jsonl';
}

function chosenCompression({ compress, output = '' }: ExportOptions): Compression | undefined {
  return compressions.find((known) => known === compress) ?? namedCompression(output);
}
