import type { Dimension } from '../../lib/metrics/dimensions.ts';
import { textParam } from '../../lib/search-param.ts';

/** What the address of the page says beside the range of time. */
export interface OverviewSearch {
  /** The search, in the language of `src/query/language`. */
  readonly q?: string | undefined;
  /** The dimension by which the charts are split. */
  readonly by?: Dimension | undefined;
}

export function overviewSearchOf({ q, by }: Readonly<Record<string, unknown>>): OverviewSearch {
  return { q: textParam(q), ...(typeof by === 'string' && by !== '' ? { by } : {}) };
}
