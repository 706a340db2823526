/** Sort keys of the request query, each with one sentence for the OpenAPI document. */
export const sortKeys = {
  created_at: 'When the request arrived.',
} as const satisfies Record<string, string>;

/** One of the sort keys. */
export type SortKey = keyof typeof sortKeys;

/** Directions of a sort. */
export const sortDirections = ['asc', 'desc'] as const;

/** One of the directions. */
export type SortDirection = (typeof sortDirections)[number];
