import { type AskedMetric, isAskedMetric } from '../../../src/model/vocabulary/metrics.ts';
import type { Dimension } from '../../lib/metrics/dimensions.ts';
import { textParam } from '../../lib/search-param.ts';

export const charts = { line: 'Lines', bars: 'Bars', table: 'Table', pivot: 'Pivot' } as const;

export type ExploreChart = keyof typeof charts;

/** What the address of the page says beside the range of time. */
export interface ExploreSearch {
  /** The search, in the language of `src/query/language`. */
  readonly q?: string | undefined;
  /** Metrics; each has a chart. */
  readonly metrics?: readonly AskedMetric[] | undefined;
  readonly by?: readonly Dimension[] | undefined;
  readonly chart?: ExploreChart | undefined;
  /** Order of the groups; without it by the first metric, the greatest first. */
  readonly sort?: AskedMetric | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  /** Groups that are shown. */
  readonly top?: number | undefined;
  /** The board whose panel is edited here. */
  readonly board?: string | undefined;
  /** Place of that panel, from 0. */
  readonly panel?: number | undefined;
}

/** What an address without more means. */
export const standard = { metrics: ['cost', 'count'], chart: 'line', top: 8, order: 'desc' } as const satisfies ExploreSearch;

export const exploreLimits = { metrics: 10, dimensions: 3, top: 50 } as const;

/** @returns what can be read; the rest is left out. */
export function exploreSearchOf(search: Readonly<Record<string, unknown>>): ExploreSearch {
  const { q, metrics: names, by, chart, sort, order, top, board, panel } = search;
  const known = texts(names).filter(isAskedMetric).slice(0, exploreLimits.metrics);
  const dimensions = texts(by).slice(0, exploreLimits.dimensions);
  return {
    q: textParam(q),
    ...(known.length > 0 ? { metrics: known } : {}),
    ...(dimensions.length > 0 ? { by: dimensions } : {}),
    ...(typeof chart === 'string' && Object.hasOwn(charts, chart) ? { chart: chart as ExploreChart } : {}),
    ...(isAskedMetric(sort) ? { sort } : {}),
    ...(order === 'asc' ? { order } : {}),
    ...(typeof top === 'number' && Number.isInteger(top) && top >= 1 && top <= exploreLimits.top ? { top } : {}),
    ...(typeof board === 'string' && isIndex(panel) ? { board, panel } : {}),
  };
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? [...new Set(value.filter((one): one is string => typeof one === 'string' && one !== ''))] : [];
}
