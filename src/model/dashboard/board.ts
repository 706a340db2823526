import type { Uuid } from '../ids.ts';
import type { JsonObject } from '../text.ts';

export const chartKinds = ['line', 'bars', 'table'] as const;
export const panelWidths = [1, 2, 3] as const;

/** A chart, in the API's shape. What is `unknown` here is a query of metrics, which `planMetrics` reads. */
export interface BoardPanel {
  readonly title: string;
  readonly chart: (typeof chartKinds)[number];
  readonly metrics?: unknown;
  readonly by?: unknown;
  readonly bucket?: unknown;
  readonly filter?: unknown;
  readonly sort?: unknown;
  readonly limit?: number | undefined;
  readonly compare?: boolean | undefined;
  /** Columns, of three. */
  readonly width?: (typeof panelWidths)[number] | undefined;
}

/** Charts on one page, in the API's shape. */
export interface Board {
  /** Unique in the organisation. */
  readonly name: string;
  readonly time_range: JsonObject;
  readonly panels: readonly BoardPanel[];
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
