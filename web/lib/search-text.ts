import type { Dimension, DimensionValue } from './metrics/dimensions.ts';
import { conditionOf, searchWith } from './metrics/dimensions.ts';

/** The search for one value of a dimension, as it stands in the address of the requests; undefined where no search says it. */
export function searchFor(dimension: Dimension, value: DimensionValue): string | undefined {
  return searchWith('', conditionOf(dimension, value));
}
