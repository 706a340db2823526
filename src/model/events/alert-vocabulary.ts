import type { MetricUnit } from '../vocabulary/metrics.ts';

export const aggregations = ['sum', 'avg', 'min', 'max', 'percentile'] as const;
export type Aggregation = (typeof aggregations)[number];

/** Columns that a rule aggregates itself, with their units. */
export const aggregatedColumns = {
  cost: 'usd',
  latency: 'milliseconds',
  time_to_first_byte: 'milliseconds',
  time_to_first_token: 'milliseconds',
  total_tokens: 'tokens',
  prompt_tokens: 'tokens',
  completion_tokens: 'tokens',
  prompt_cache_read_tokens: 'tokens',
  prompt_cache_write_tokens: 'tokens',
  reasoning_tokens: 'tokens',
  prompt_audio_tokens: 'tokens',
  completion_audio_tokens: 'tokens',
  size_bytes: 'bytes',
} as const satisfies Readonly<Record<string, MetricUnit>>;

export type AggregatedColumn = keyof typeof aggregatedColumns;

/** Upstream's name of the share of failed requests, in percent. */
export const failedPercent = 'response.status';

/** What a group without a request does: `ok` counts as the condition not met, `keep` keeps the state, `alert` tells. */
export const noDataModes = ['ok', 'keep', 'alert'] as const;
export type NoDataMode = (typeof noDataModes)[number];

/** States of a group; `error` and `muted` are states of a rule. */
export const groupStates = ['ok', 'pending', 'firing', 'recovering', 'no_data'] as const;
export type GroupState = (typeof groupStates)[number];

/** `off`: an offered rule without a channel. `new`: not evaluated yet. */
export const ruleStates = [...groupStates, 'error', 'muted', 'off', 'new'] as const;
export type RuleState = (typeof ruleStates)[number];

const dayMs = 86_400_000;

export const alertLimits = {
  rules: 2000,
  nameCharacters: 256,
  windowMinMs: 30_000,
  windowMaxMs: 30 * dayMs,
  /** Of `for_ms`, `recover_after_ms` and `new_group_delay_ms`. */
  delayMaxMs: dayMs,
  renotifyMinMs: 60_000,
  renotifyMaxMs: 30 * dayMs,
  groupsPerMessage: 500,
  baselineDays: 28,
  minimumCount: 1_000_000_000,
  /** Groups of a rule whose state is kept. */
  groups: 10_000,
  historyDays: 30,
  historyRows: 1000,
  incidentRows: 1000,
  previewSteps: 9000,
  previewCells: 300_000,
} as const;

export const alertDefaults = {
  recoverAfterMs: 300_000,
  newGroupDelayMs: 60_000,
  groupsPerMessage: 50,
  percentile: 50,
  baselineDays: 7,
} as const;

/** Days with requests that a baseline needs, unless it has fewer. */
export const minBaselineDays = 3;
