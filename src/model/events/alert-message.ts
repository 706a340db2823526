/** Comparisons of an alert's value with its threshold. */
export const comparisons = ['gte', 'gt', 'lt', 'lte'] as const;
export type Comparison = (typeof comparisons)[number];

export const alertMessageKinds = ['triggered', 'resolved', 'still_firing', 'no_data', 'error', 'test'] as const;
export type AlertMessageKind = (typeof alertMessageKinds)[number];

/** What a channel tells of an alert. Times are Unix milliseconds. */
export interface AlertMessage {
  readonly kind: AlertMessageKind;
  readonly ruleId: string;
  readonly ruleName: string;
  /** The first incident of those that were told together; null for an error and a test. */
  readonly incidentId: string | null;
  /** The same for all messages about incidents that were told together. */
  readonly dedupKey: string;
  /** Of the incidents that were told together, those that are open after this message; 0 of a resolve: all has ended. */
  readonly open: number;
  readonly groups: readonly AlertMessageGroup[];
  /** Further groups, which are only counted. */
  readonly more: number;
  /** With its aggregation: `p95 of latency`. */
  readonly metric: string;
  readonly unit: string;
  readonly comparison: Comparison;
  readonly threshold: number;
  readonly window: { readonly from: number; readonly to: number };
  readonly at: number;
  readonly startedAt: number | null;
  readonly peak: number | null;
  readonly link: string;
  /** Of an error; or that a late record changed a window that had ended. */
  readonly reason: string | null;
}

export interface AlertMessageGroup {
  /** Value of each dimension; empty without grouping. */
  readonly group: Readonly<Record<string, string | null>>;
  /** Null: there is none. */
  readonly value: number | null;
}
