import type { Uuid } from '../ids.ts';
import type { JsonObject } from '../text.ts';

export const chartKinds = ['line', 'bars', 'table'] as const;
export const panelWidths = [1, 2, 3] as const;

/** Charts on one page, in the API's shape. */
export interface Board {
  /** Unique in the organisation. */
  readonly name: string;
  readonly time_range: JsonObject;
  readonly panels: readonly JsonObject[];
}

/** A stored board without its charts. */
export interface BoardSummary {
  readonly id: Uuid;
  readonly name: string;
  readonly panelCount: number;
  /** Grows by one with each change. */
  readonly version: number;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Unix milliseconds. */
  readonly changedAt: number;
}

export type StoredBoard = Board & Omit<BoardSummary, 'panelCount'>;
