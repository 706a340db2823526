import type { Board, BoardPanel } from '../../../../src/client/types/dashboard.ts';
import type { AskedMetric } from '../../../../src/model/vocabulary/metrics.ts';
import { everything, type FilterNode } from '../../../../src/query/filter/ast.ts';
import { filterWrappers } from '../../../../src/query/filter/leaf.ts';
import { parseFilter } from '../../../../src/query/filter/parse.ts';
import { filterJson } from '../../../../src/query/language/json.ts';
import type { Dimension } from '../../../lib/metrics/dimensions.ts';
import { rangeSearchOf, relativeRanges, type RangeSearch, type RelativeRange } from '../../../lib/time-range.ts';
import { type ExploreChart, exploreLimits, standard } from '../search.ts';

/** What a panel asks, as Explore asks it. */
export interface PanelQuery {
  readonly filter: FilterNode;
  readonly metrics: readonly AskedMetric[];
  readonly by: readonly Dimension[];
  readonly sort: AskedMetric;
  readonly order: 'asc' | 'desc';
  readonly top: number;
  readonly chart: ExploreChart;
}

/** A panel of a board for what Explore shows; a pivot is a table. */
export function panelOf(title: string, { filter, metrics, by, sort, order, top, chart }: PanelQuery): BoardPanel {
  return {
    title,
    chart: chart === 'pivot' ? 'table' : chart,
    metrics,
    by: by as BoardPanel['by'],
    filter: filterJson(filter) as BoardPanel['filter'],
    sort: { [sort]: order },
    limit: top,
    width: 1,
  };
}

/** What a stored panel asks. Scripts may have stored more than Explore can say: a sort of several keys is its first. */
export function queryOf({ chart, metrics, by = [], filter, sort, limit }: BoardPanel): PanelQuery {
  const parsed = parseFilter(filter ?? 'all', { wrappers: filterWrappers, unwrappedProperties: 'refuse' });
  const [metric = 'count'] = metrics;
  const [key, order] = Object.entries(sort ?? {}).find(([name]) => name !== 'time') ?? ([metric, 'desc'] as const);
  return {
    filter: parsed.ok ? parsed.value.filter : everything,
    metrics,
    by: by.map(dimensionOf),
    sort: key as AskedMetric,
    order,
    top: Math.min(exploreLimits.top, limit ?? standard.top),
    chart,
  };
}

function dimensionOf(dimension: NonNullable<BoardPanel['by']>[number]): Dimension {
  if (typeof dimension === 'string') return dimension;
  return 'property' in dimension ? `properties.${dimension.property}` : `inputs.${dimension.input}`;
}

/** The range of a board as a page has it; a length that no page offers ends now, too. @param now Unix milliseconds. */
export function rangeOf({ last, startTimeUnixMs: from, endTimeUnixMs: to }: Board['time_range'], now: number): RangeSearch {
  // Boards of before may have times that no date has.
  if (last === undefined) return rangeSearchOf({ from, to: to === undefined ? undefined : to + 1 });
  const known = Object.keys(relativeRanges).find((range) => range === last) as RelativeRange | undefined;
  if (known !== undefined) return { range: known };
  const [, amount = '1', unit = 'd'] = /^(\d+)([mhd])$/.exec(last) ?? [];
  return { from: now - Number(amount) * { m: 60_000, h: 3_600_000, d: 86_400_000 }[unit as 'm' | 'h' | 'd'] };
}

/** The range of a page as a board keeps it. */
export function boardRangeOf({ range, from, to }: RangeSearch): Board['time_range'] {
  if (range !== undefined || (from === undefined && to === undefined)) return { last: range ?? '24h' };
  return { startTimeUnixMs: from, endTimeUnixMs: to === undefined ? undefined : to - 1 };
}
