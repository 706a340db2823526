import { textTable } from '../../config/text-table.ts';
import { painter } from '../base/paint.ts';
import { type Column, layoutOf, tableText } from '../terminal/table.ts';
import type { GatelogClient, MetricsQuery } from '../../client/client.ts';
import { type MetricName, type NamedDimension, namedDimensions } from '../../model/vocabulary/metrics.ts';
import { serviceClient } from '../base/client.ts';
import { type CommandDependencies, UsageError } from '../base/dependencies.ts';
import { filterOf, type FilterOptions } from '../filter/filter.ts';
import { checkedZone, timeOf } from '../base/time-window.ts';
import { cellText, sparkline, unpricedMetric } from './cells.ts';
import { titleText } from '../terminal/texts.ts';
import { jsonText } from '../base/json.ts';

export interface MetricsOptions extends FilterOptions {
  readonly metric?: string;
  readonly by?: string;
  readonly interval?: string;
  readonly startDate?: string;
  readonly endDate?: string;
  readonly timezone?: string;
  readonly sort?: string;
  readonly limit?: string;
  readonly list?: true;
  readonly json?: true;
}

/** A question to the running service. */
export interface MetricsQuestion {
  readonly metrics: readonly string[];
  readonly groupBy: readonly string[];
  readonly interval: string | undefined;
  readonly filter: unknown;
  readonly timezone: string;
  readonly startTimeUnixMs: number | undefined;
  readonly endTimeUnixMs: number | undefined;
  readonly sort: Readonly<Record<string, 'asc' | 'desc'>> | undefined;
  /** Undefined: as many as the answer is good with. */
  readonly limit: number | undefined;
}

type Row = Readonly<Record<string, unknown>>;

/** `gatelog metrics`: any metrics by any dimensions, as a table, or as JSON. */
export async function showMetrics(dependencies: CommandDependencies, options: MetricsOptions): Promise<void> {
  if (options.list === true) return listMetrics(dependencies, options.json === true);
  const question = questionOf(options, dependencies.now());
  const asked = { client: serviceClient(dependencies), hint: dependencies.hint };
  const { print, columns } = dependencies;
  print(options.json === true ? asJson(await answerRows(asked, question)) : await answerTable(asked, question, columns));
}

export function asJson(value: unknown): string {
  return jsonText(value, 2);
}

/** What there is to ask for, as the service describes it. */
async function listMetrics(dependencies: CommandDependencies, forPrograms: boolean): Promise<void> {
  const { data } = await serviceClient(dependencies).metrics.describe();
  if (forPrograms) return dependencies.print(asJson(data));
  const dimensionName = (name: (typeof data.dimensions)[number]['name']): string =>
    typeof name === 'string'
      ? name
      : Object.keys(name)
          .map((kind) => namedDimensionOf(kind))
          .join(' ');
  return dependencies.print(
    textTable([
      ['METRIC', 'UNIT', 'MEANING'],
      ...data.metrics.map(({ name, unit, description }) => [name, unit, description]),
      ['', '', ''],
      ['DIMENSION', 'TYPE', 'MEANING'],
      ...data.dimensions.map(({ name, type, description }) => [dimensionName(name), type, description]),
    ]).replaceAll(/ +$/gm, ''),
  );
}

/** A named dimension as the command line takes it. */
function namedDimensionOf(kind: string): string {
  return Object.hasOwn(namedDimensions, kind) ? `${namedDimensions[kind as NamedDimension]}.NAME` : kind;
}

/** @throws UsageError for options of another form. */
export function questionOf(options: MetricsOptions, now: number): MetricsQuestion {
  const timezone = checkedZone(options.timezone ?? 'UTC');
  const time = (option: string, text: string | undefined): number | undefined =>
    text === undefined ? undefined : timeOf(text, { option, now, timezone });
  const end = time('--end-date', options.endDate);
  return {
    metrics: listOf(options.metric ?? 'cost,count'),
    groupBy: listOf(options.by ?? ''),
    interval: options.interval,
    filter: filterOf(options),
    timezone,
    startTimeUnixMs: time('--start-date', options.startDate),
    // The window is half open.
    endTimeUnixMs: end === undefined ? undefined : end - 1,
    sort: sortOf(options.sort),
    limit: limitOf(options.limit),
  };
}

/** A running service, and where hints about its answers go. */
export interface Asked {
  readonly client: GatelogClient;
  readonly hint: CommandDependencies['hint'];
}

/** The answer for people. @param columns width of the terminal. */
export async function answerTable(asked: Asked, question: MetricsQuestion, columns: number | undefined): Promise<string> {
  if (question.interval === undefined || question.groupBy.length === 0) {
    const rows = await rowsOf(asked, bodyOf(withUnpriced(question)));
    return tableOf(question, rows, { columns, further: question.interval === undefined ? undefined : barsOf(question, rows, columns) });
  }
  const groups = await rowsOf(asked, bodyOf({ ...withUnpriced(question), interval: undefined }));
  const body = { ...bodyOf(question), sort: undefined, limit: maxSeriesRows, other: false, totals: false };
  const series = await rowsOf({ ...asked, hint: () => undefined }, body);
  if (series.length === maxSeriesRows) {
    asked.hint(`The lines show the first ${maxSeriesRows} buckets only: take a longer --interval, a shorter span or fewer dimensions.`);
  }
  return tableOf({ ...question, interval: undefined }, groups, { columns, further: linesOf(question, groups, series) });
}

/** Whether a cost of nothing is one is not shown by the cost. */
function withUnpriced(question: MetricsQuestion): MetricsQuestion {
  const { metrics } = question;
  return metrics.includes('cost') && !metrics.includes(unpricedMetric) ? { ...question, metrics: [...metrics, unpricedMetric] } : question;
}

/** The answer for programs. */
export async function answerRows(asked: Asked, question: MetricsQuestion): Promise<readonly Row[]> {
  return rowsOf(asked, bodyOf(question));
}

const maxSeriesRows = 10_000;
const shownGroups = 20;

async function rowsOf({ client, hint }: Asked, body: MetricsQuery): Promise<readonly Row[]> {
  const { data, warnings } = await client.metrics.query(body);
  for (const sentence of warnings) hint(sentence);
  return data;
}

/** Without a limit of the caller a series is whole. */
function bodyOf({ groupBy, limit, ...rest }: MetricsQuestion): MetricsQuery {
  const isGrouped = groupBy.length > 0 || rest.interval !== undefined;
  const rows = limit ?? (rest.interval === undefined ? shownGroups : maxSeriesRows);
  // The service knows the names, and says so of others.
  return { ...rest, groupBy, limit: rows, other: isGrouped, totals: isGrouped } as MetricsQuery;
}

function listOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function sortOf(text: string | undefined): MetricsQuestion['sort'] {
  if (text === undefined) return undefined;
  return Object.fromEntries(
    listOf(text).map((term) => {
      const [name = '', direction = 'desc'] = term.split(':');
      if (direction !== 'asc' && direction !== 'desc') {
        throw new UsageError(`--sort takes metrics such as cost or cost:asc; got "${text}".`);
      }
      return [name, direction] as const;
    }),
  );
}

function limitOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (!/^\d+$/.test(text.trim()) || limit > maxSeriesRows) {
    throw new UsageError(`--limit takes a whole number up to ${maxSeriesRows}; got "${text}".`);
  }
  return limit;
}

/** A cell of a further column for each row. */
interface FurtherColumn {
  readonly title: string;
  readonly cell: (row: Row) => string;
}

interface TableOptions {
  /** Width of the terminal. */
  readonly columns: number | undefined;
  readonly further: FurtherColumn | undefined;
}

/** Cells that the name of a group keeps at least. */
const minKeyWidth = 12;
const maxKeyWidth = 60;

function tableOf(question: MetricsQuestion, rows: readonly Row[], { columns, further }: TableOptions): string {
  const shown = rows.filter((row) => row['other'] !== true || question.metrics.some((name) => Number(row[name] ?? 0) !== 0));
  if (shown.length === 0) return 'No request matches.';
  const keys = [...question.groupBy, ...(question.interval === undefined ? [] : ['time'])];
  const table: readonly Column<Row>[] = [
    ...keys.map((key, index) => ({
      title: titleText(key),
      text: (row: Row) => keyText(row, key, index),
      maxWidth: maxKeyWidth,
      ...(key === 'time' ? {} : { minWidth: minKeyWidth }),
    })),
    ...question.metrics.map((name) => ({ title: titleText(name), text: (row: Row) => cellText(name as MetricName, row[name], row) })),
    ...(further === undefined ? [] : [{ title: further.title, text: further.cell, isDrawn: true as const }]),
  ];
  return tableText(layoutOf(table, shown, columns), shown, painter(false));
}

function keyText(row: Row, key: string, index: number): string {
  if (row['total'] === true || row['other'] === true) return index > 0 ? '' : row['total'] === true ? 'total' : 'other';
  const value = row[key];
  if (value === null || value === undefined || value === '') return `(no ${nounOf(key)})`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A dimension within a sentence. */
function nounOf(key: string): string {
  return key.includes('.') ? titleText(key) : key.replaceAll('_', ' ');
}

const barWidth = 30;

/** Bars of the first metric beside a series. */
function barsOf({ metrics: [first = ''] }: MetricsQuestion, rows: readonly Row[], columns: number | undefined): FurtherColumn | undefined {
  if (columns === undefined) return undefined;
  const isBucket = (row: Row): boolean => row['total'] !== true && row['other'] !== true;
  const series = rows.filter(isBucket);
  const greatest = Math.max(...series.map((row) => Number(row[first] ?? 0)), 0);
  const bar = (value: number): string => '█'.repeat(greatest === 0 ? 0 : Math.round((value / greatest) * barWidth));
  return { title: '', cell: (row) => (isBucket(row) ? bar(Number(row[first] ?? 0)) : '') };
}

/** A line of the first metric over time for each group. */
function linesOf(
  { metrics: [first = ''], groupBy, interval }: MetricsQuestion,
  groups: readonly Row[],
  series: readonly Row[],
): FurtherColumn {
  const keyOf = (row: Row): string => JSON.stringify(groupBy.map((name) => row[name] ?? null));
  const times = [...new Set(series.map((row) => String(row['time'])))].toSorted((one, other) => Date.parse(one) - Date.parse(other));
  const lines = new Map<string, number[]>();
  for (const row of series) {
    const line = lines.get(keyOf(row)) ?? Array.from(times, () => 0);
    line[times.indexOf(String(row['time']))] = Number(row[first] ?? 0);
    lines.set(keyOf(row), line);
  }
  const isGroup = (row: Row): boolean => row['total'] !== true && row['other'] !== true;
  const greatest = Math.max(0, ...groups.filter(isGroup).flatMap((row) => lines.get(keyOf(row)) ?? []));
  return {
    title: `${first.toUpperCase()} BY ${(interval ?? '').toUpperCase()}`,
    cell: (row) => (isGroup(row) ? sparkline(lines.get(keyOf(row)) ?? [], greatest) : ''),
  };
}
