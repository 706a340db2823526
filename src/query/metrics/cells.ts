import { RawJson } from '../../model/json/raw.ts';
import type { MetricsCell } from './answer.ts';

/** The text of a cell in a column that holds nothing else. */
export function textOf(cell: MetricsCell | undefined): string {
  return typeof cell === 'string' ? cell : '';
}

/** The figure of a cell; upstream has 0 where nothing is known. */
export function figureOf(cell: MetricsCell | undefined): number | RawJson<number> {
  return typeof cell === 'number' || cell instanceof RawJson ? cell : 0;
}
