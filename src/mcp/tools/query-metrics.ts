import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { MetricsQuery } from '../../client/client.ts';
import {
  type DimensionName,
  intervals,
  type MetricName,
  metrics as catalogue,
  metricsLimits,
  type MetricUnit,
} from '../../model/vocabulary/metrics.ts';
import { shared } from '../input/arguments.ts';
import { beginningOf, fitting, tokenLimits, tokensOf } from '../input/budget.ts';
import { checkedFilter, wordsOf } from '../input/filter.ts';
import { exportLink } from '../answers/links.ts';
import { clippedSentence } from '../answers/failure.ts';
import { cursorText, noCursor, pagePositionOf, rangeOf, rangeText, timeFilterOf, type TimeRange } from '../input/range.ts';
import { recordedNotice } from '../answers/recorded.ts';
import { clippedCell, rounded } from '../answers/rows.ts';
import { defineTool, structuredResult } from '../answers/tool.ts';

const limits = { standard: 50, most: 1000 } as const;
const standardFrom = '7d';

const sums = z.record(z.string(), z.unknown());

/** Names that the description has; the tool `describe` has all. */
const named = {
  metrics: [
    'count',
    'errors',
    'error_rate',
    'cost',
    'avg_cost',
    'prompt_tokens',
    'completion_tokens',
    'total_tokens',
    'p50_latency',
    'p95_latency',
    'p99_latency',
    'avg_latency',
    'p95_time_to_first_token',
    'users',
    'sessions',
    'cached_count',
  ],
  dimensions: ['model', 'provider', 'status', 'user', 'session', 'path', 'hour_of_day', 'weekday'],
} as const satisfies { readonly metrics: readonly MetricName[]; readonly dimensions: readonly DimensionName[] };

const unitWords: Readonly<Partial<Record<MetricUnit, string>>> = { usd: 'USD', milliseconds: 'ms' };

/** Metrics; the first of a unit that no name tells has it behind its name. */
function metricWords(names: readonly MetricName[]): string {
  const units = names.map((name) => catalogue[name].unit);
  return names
    .map((name, index) => {
      const { unit } = catalogue[name];
      const word = units.indexOf(unit) === index ? unitWords[unit] : undefined;
      return word === undefined ? name : `${name} (${word})`;
    })
    .join(', ');
}

export const queryMetrics = defineTool({
  name: 'query_metrics',
  title: 'Query metrics',
  description: `Totals of requests, grouped and over time. Metrics: ${metricWords(named.metrics)}, avg_score.NAME, …. groupBy: ${named.dimensions.join(', ')}, properties.NAME, …. Greatest first metric first; compare periods by interval.`,
  input: z.strictObject({
    metrics: z.array(z.string()).min(1).max(metricsLimits.metrics),
    groupBy: z.array(z.string()).max(metricsLimits.dimensions).optional(),
    interval: z.enum(intervals).optional(),
    filter: shared.filter,
    from: z.string().optional().describe(`As in query_requests; ${standardFrom} unless given`),
    to: shared.to,
    timezone: z.string().optional().describe('IANA, of days and hours; UTC unless given'),
    sort: shared.sort,
    limit: z.number().int().min(1).max(limits.most).optional().describe(`Rows, ${limits.standard} unless given`),
    cursor: shared.cursor,
    maxTokens: shared.maxTokens,
  }),
  output: z.object({
    range: z.string(),
    filter: z.string(),
    columns: z.array(z.string()),
    rows: z.array(z.array(z.unknown())),
    total: sums.optional(),
    nextCursor: z.string().optional(),
    approximate: z.array(z.string()).optional(),
    freshUntil: z.string().optional(),
    hint: z.string().optional(),
    notice: z.string(),
    link: z.string(),
  }),
  run: async (given, { gatelog, publicUrl, now, signal }) => {
    const filter = checkedFilter(given.filter);
    const { range, cursor } = pagePositionOf(given.cursor, () => rangeOf(given, now(), standardFrom));
    const offset = offsetOf(cursor);
    const { metrics, groupBy = [], interval, sort, timezone, limit = limits.standard, maxTokens = tokenLimits.standard } = given;
    const isGrouped = groupBy.length > 0 || interval !== undefined;
    const query: MetricsQuery = {
      // The service knows the names, and says so of others.
      metrics: metrics as MetricsQuery['metrics'],
      groupBy: groupBy as MetricsQuery['groupBy'],
      ...(interval === undefined ? {} : { interval }),
      ...(timezone === undefined ? {} : { timezone }),
      ...(sort === undefined ? {} : { sort }),
      filter,
      timeFilter: timeFilterOf(range),
      limit: limit + 1,
      offset,
      totals: isGrouped,
    };
    const { data, approximate, freshUntil, hint, warnings } = await gatelog.metrics.query(query, { signal });
    const rows = data as readonly Readonly<Record<string, unknown>>[];
    const said = hint ?? warnings[0];
    const link = exportLink(publicUrl, { filter, ...range });
    return answered(
      rows,
      { metrics, limit, offset, maxTokens, range },
      {
        range: rangeText(range),
        filter: beginningOf(wordsOf(filter), Math.floor(maxTokens / 5)),
        ...(approximate.length === 0 ? {} : { approximate }),
        ...(freshUntil === undefined ? {} : { freshUntil }),
        ...(said === undefined ? {} : { hint: clippedSentence(said) }),
        notice: recordedNotice,
        link: link !== undefined && tokensOf(link) <= maxTokens / 3 ? link : `${publicUrl}/v1/metrics/query`,
      },
    );
  },
});

/** @throws InputError for the cursor of another tool. */
function offsetOf(cursor = '0'): number {
  if (!/^\d{1,15}$/.test(cursor)) throw noCursor();
  return Number(cursor);
}

interface Asked {
  readonly metrics: readonly string[];
  readonly limit: number;
  readonly offset: number;
  readonly maxTokens: number;
  readonly range: TimeRange;
}

type Row = Readonly<Record<string, unknown>>;

/** @param rows one more than the limit where there are more. */
function answered(
  rows: readonly Row[],
  { metrics, limit, offset, maxTokens, range }: Asked,
  about: Readonly<Record<string, unknown>>,
): CallToolResult {
  const total = rows.find((row) => row['total'] === true);
  const groups = rows.filter((row) => row['total'] !== true);
  const columns = columnsOf(groups[0] ?? total, metrics);
  const lines = groups.map((group) => columns.map((column) => clippedCell(rounded(group[column]), maxName)));
  const frame = tokensOf(JSON.stringify({ ...about, columns, total })) + frameTokens;
  const shown = Math.min(
    limit,
    fitting(
      lines.map((line) => `${JSON.stringify(line)},`),
      maxTokens - frame,
    ),
  );
  return structuredResult({
    ...about,
    columns: clippedCell(columns, maxName),
    rows: lines.slice(0, shown),
    ...(total === undefined ? {} : { total: Object.fromEntries(metrics.map((metric) => [metric, rounded(total[metric])])) }),
    ...(shown < lines.length ? { nextCursor: cursorText(range, String(offset + shown)) } : {}),
  });
}

/** Characters of a group's name. */
const maxName = 256;

/** Of names and of the cursor. */
const frameTokens = 60;

/** The time and the groups first, then the metrics in the order in which they were asked for. */
function columnsOf(row: Row | undefined, metrics: readonly string[]): readonly string[] {
  const names = Object.keys(row ?? {});
  const groups = names.filter((name) => !metrics.includes(name) && name !== 'total' && name !== 'time');
  return [...(names.includes('time') ? ['time'] : []), ...groups, ...metrics];
}
