import type { Dimension } from '../../lib/metrics/dimensions.ts';
import { textParam } from '../../lib/search-param.ts';

/** What the address of the page says beside the range of time. */
export interface OverviewSearch {
  /** The search, in the language of `src/query/language`. */
  readonly q?: string | undefined;
  /** The dimension by which the charts are split. */
  readonly by?: Dimension | undefined;
  /** The dimension of what moved most; absent: that of the charts, else the model. */
  readonly moved?: Dimension | undefined;
}

export function overviewSearchOf({ q, by, moved }: Readonly<Record<string, unknown>>): OverviewSearch {
  return { q: textParam(q), ...(isDimension(by) ? { by } : {}), ...(isDimension(moved) ? { moved } : {}) };
}

function isDimension(value: unknown): value is Dimension {
  return typeof value === 'string' && value !== '';
}
