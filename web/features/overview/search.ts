import type { Dimension } from '../../lib/metrics/dimensions.ts';

/** What the address of the page says beside the range of time. */
export interface OverviewSearch {
  /** The search, in the language of `src/query/language`. */
  readonly q?: string | undefined;
  /** The dimension by which the charts are split. */
  readonly by?: Dimension | undefined;
}

export function overviewSearchOf({ q, by }: Readonly<Record<string, unknown>>): OverviewSearch {
  return { ...(typeof q === 'string' && q !== '' ? { q } : {}), ...(typeof by === 'string' && by !== '' ? { by } : {}) };
}
