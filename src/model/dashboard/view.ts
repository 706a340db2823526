import type { Uuid } from '../ids.ts';
import type { JsonObject } from '../text.ts';

/** Pages of the dashboard whose state can be saved. */
export const viewPages = ['requests', 'sessions', 'explore'] as const;
export type ViewPage = (typeof viewPages)[number];

/** The state of a page, under a name. */
export interface View {
  /** Unique among the views of the page in the organisation. */
  readonly name: string;
  readonly page: ViewPage;
  /** Parameters of the page's address. */
  readonly search: JsonObject;
}

export interface SavedView extends View {
  readonly id: Uuid;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Unix milliseconds. */
  readonly changedAt: number;
}
