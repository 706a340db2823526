/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { Filter } from '../filter.ts';
import type { WebhookBody } from './webhooks.ts';

/** A rule to try on stored requests, by default on those of the last day. */
export interface AlertPreviewQuery {
  readonly rule: {
    /** Unique in the organisation. */
    readonly name?: string | undefined;
    /** `response.status` is the percent of requests that failed; `cost`, `latency` and the other columns are aggregated by `aggregation`; all other names are metrics of `POST /v1/metrics/query`. */
    readonly metric: 'response.status' | 'cost' | 'latency' | 'time_to_first_token' | 'total_tokens' | 'prompt_tokens' | 'completion_tokens' | 'prompt_cache_read_tokens' | 'prompt_cache_write_tokens' | 'reasoning_tokens' | 'prompt_audio_tokens' | 'completion_audio_tokens' | 'size_bytes' | 'count' | 'errors' | 'error_rate' | 'cached_count' | 'threats' | 'avg_cost' | 'unpriced_count' | 'avg_latency' | 'max_latency' | 'p50_latency' | 'p75_latency' | 'p90_latency' | 'p95_latency' | 'p99_latency' | 'avg_time_to_first_token' | 'max_time_to_first_token' | 'p50_time_to_first_token' | 'p75_time_to_first_token' | 'p90_time_to_first_token' | 'p95_time_to_first_token' | 'p99_time_to_first_token' | 'users' | 'sessions';
    /** For a column; `sum` without it. */
    readonly aggregation?: 'sum' | 'avg' | 'min' | 'max' | 'percentile' | null | undefined;
    /** For the aggregation `percentile`; 50 without it. */
    readonly percentile?: number | null | undefined;
    /** In the unit of the metric; with `baseline` in percent of the same hours of the days before. */
    readonly threshold: number;
    readonly comparison?: 'gte' | 'gt' | 'lt' | 'lte' | undefined;
    /** Length of the window that ends now, 30 seconds to 30 days. */
    readonly time_window?: number | undefined;
    /** In place of `time_window`: the running day, week or month of a time zone. */
    readonly window?: {
      readonly calendar: 'day' | 'week' | 'month';
      readonly timezone?: string | undefined;
    } | null | undefined;
    /** With fewer requests in the window the condition counts as not met. */
    readonly minimum_request_count?: number | null | undefined;
    /** Every group has a state and incidents of its own. `grouping` takes "user", "model" or another dimension, {"property": "Team"}, or a list of up to three of them; `grouping_is_property`: true reads one text as the name of a property. */
    readonly grouping?: string | Readonly<Record<string, unknown>> | readonly unknown[] | null | undefined;
    readonly grouping_is_property?: boolean | undefined;
    readonly filter?: Filter | undefined;
    /** Compares with the mean of the same hours of so many days before; only with a `time_window` of at most a day. */
    readonly baseline?: {
      readonly days?: number | undefined;
    } | null | undefined;
    /** How long the condition must hold before the rule fires. */
    readonly for_ms?: number | undefined;
    /** How long the condition must not hold before an incident ends. */
    readonly recover_after_ms?: number | undefined;
    /** What a window without a value means: `ok` the condition is not met, `keep` nothing changes, `alert` an incident begins. Sums and counts of no requests are 0, which is a value. */
    readonly no_data?: 'ok' | 'keep' | 'alert' | undefined;
    /** How long a group must have had requests before it fires; a minute with `grouping`, else 0. */
    readonly new_group_delay_ms?: number | undefined;
    /** A message is repeated so often while an incident lasts; null: never. */
    readonly renotify_ms?: number | null | undefined;
    /** No message before this time; states and incidents go on. */
    readonly mute_until?: string | number | null | undefined;
    /** Groups that one message names; further ones are counted. */
    readonly max_groups?: number | undefined;
    /** True on a sum of `cost`: calls beyond the threshold are refused too, as by a budget. */
    readonly enforce?: boolean | undefined;
    /** As the answer shows it; ignored in a rule that is sent. */
    readonly channels?: unknown;
    /** As the answer shows it; ignored in a rule that is sent. */
    readonly id?: unknown;
    /** As the answer shows it; ignored in a rule that is sent. */
    readonly created_at?: unknown;
    /** As the answer shows it; ignored in a rule that is sent. */
    readonly updated_at?: unknown;
    /** As the answer shows it; ignored in a rule that is sent. */
    readonly offered?: unknown;
    /** As the answer shows it; ignored in a rule that is sent. */
    readonly status?: unknown;
  };
  /** The range as an object; it wins over the two fields beside it. */
  readonly timeFilter?: {
    /** Start of the range, Unix milliseconds, inclusive. Without it the range has no start. */
    readonly startTimeUnixMs?: number | undefined;
    /** End of the range, Unix milliseconds, inclusive. Without it the range has no end. */
    readonly endTimeUnixMs?: number | undefined;
  } | undefined;
}

/** What the rule would have done. */
export interface AlertPreviewAnswer {
  /** Milliseconds between two evaluations of the preview. */
  readonly step_ms: number;
  /** True: as the rule is evaluated when it is stored. False: the step is coarser, or groups were left out. */
  readonly exact: boolean;
  readonly groups_left_out: number;
  /** A point where the value of a group changes; it holds until the next. */
  readonly series: readonly {
    /** Time of the evaluation. */
    readonly time: string;
    /** Value of each dimension; empty without grouping. */
    readonly group: Readonly<Record<string, string | number | boolean | null>>;
    /** Null: there is none. */
    readonly value: number | null;
  }[];
  readonly incidents: readonly {
    /** Value of each dimension; empty without grouping. */
    readonly group: Readonly<Record<string, string | number | boolean | null>>;
    /** When it would have fired. */
    readonly started_at: string;
    /** Null: it lasts. */
    readonly ended_at: string | null;
    /** Null: there is none. */
    readonly peak: number | null;
  }[];
}

/** A rule: what is measured, when it fires, and which channels are told. */
export interface NewAlert {
  /** Unique in the organisation. */
  readonly name: string;
  /** `response.status` is the percent of requests that failed; `cost`, `latency` and the other columns are aggregated by `aggregation`; all other names are metrics of `POST /v1/metrics/query`. */
  readonly metric: 'response.status' | 'cost' | 'latency' | 'time_to_first_token' | 'total_tokens' | 'prompt_tokens' | 'completion_tokens' | 'prompt_cache_read_tokens' | 'prompt_cache_write_tokens' | 'reasoning_tokens' | 'prompt_audio_tokens' | 'completion_audio_tokens' | 'size_bytes' | 'count' | 'errors' | 'error_rate' | 'cached_count' | 'threats' | 'avg_cost' | 'unpriced_count' | 'avg_latency' | 'max_latency' | 'p50_latency' | 'p75_latency' | 'p90_latency' | 'p95_latency' | 'p99_latency' | 'avg_time_to_first_token' | 'max_time_to_first_token' | 'p50_time_to_first_token' | 'p75_time_to_first_token' | 'p90_time_to_first_token' | 'p95_time_to_first_token' | 'p99_time_to_first_token' | 'users' | 'sessions';
  /** For a column; `sum` without it. */
  readonly aggregation?: 'sum' | 'avg' | 'min' | 'max' | 'percentile' | null | undefined;
  /** For the aggregation `percentile`; 50 without it. */
  readonly percentile?: number | null | undefined;
  /** In the unit of the metric; with `baseline` in percent of the same hours of the days before. */
  readonly threshold: number;
  readonly comparison?: 'gte' | 'gt' | 'lt' | 'lte' | undefined;
  /** Length of the window that ends now, 30 seconds to 30 days. */
  readonly time_window?: number | undefined;
  /** In place of `time_window`: the running day, week or month of a time zone. */
  readonly window?: {
    readonly calendar: 'day' | 'week' | 'month';
    readonly timezone?: string | undefined;
  } | null | undefined;
  /** With fewer requests in the window the condition counts as not met. */
  readonly minimum_request_count?: number | null | undefined;
  /** Every group has a state and incidents of its own. `grouping` takes "user", "model" or another dimension, {"property": "Team"}, or a list of up to three of them; `grouping_is_property`: true reads one text as the name of a property. */
  readonly grouping?: string | Readonly<Record<string, unknown>> | readonly unknown[] | null | undefined;
  readonly grouping_is_property?: boolean | undefined;
  readonly filter?: Filter | undefined;
  /** Compares with the mean of the same hours of so many days before; only with a `time_window` of at most a day. */
  readonly baseline?: {
    readonly days?: number | undefined;
  } | null | undefined;
  /** How long the condition must hold before the rule fires. */
  readonly for_ms?: number | undefined;
  /** How long the condition must not hold before an incident ends. */
  readonly recover_after_ms?: number | undefined;
  /** What a window without a value means: `ok` the condition is not met, `keep` nothing changes, `alert` an incident begins. Sums and counts of no requests are 0, which is a value. */
  readonly no_data?: 'ok' | 'keep' | 'alert' | undefined;
  /** How long a group must have had requests before it fires; a minute with `grouping`, else 0. */
  readonly new_group_delay_ms?: number | undefined;
  /** A message is repeated so often while an incident lasts; null: never. */
  readonly renotify_ms?: number | null | undefined;
  /** No message before this time; states and incidents go on. */
  readonly mute_until?: string | number | null | undefined;
  /** Groups that one message names; further ones are counted. */
  readonly max_groups?: number | undefined;
  /** True on a sum of `cost`: calls beyond the threshold are refused too, as by a budget. */
  readonly enforce?: boolean | undefined;
  readonly channels?: readonly Channel[] | undefined;
  /** As the answer shows it; ignored in a rule that is sent. */
  readonly id?: unknown;
  /** As the answer shows it; ignored in a rule that is sent. */
  readonly created_at?: unknown;
  /** As the answer shows it; ignored in a rule that is sent. */
  readonly updated_at?: unknown;
  /** As the answer shows it; ignored in a rule that is sent. */
  readonly offered?: unknown;
  /** As the answer shows it; ignored in a rule that is sent. */
  readonly status?: unknown;
}

/** Where an alert is told. Which fields it has depends on its `type`. */
export interface Channel {
  /** Keeps a channel of the rule as it is, with its secrets. Alone, or with the fields as they were shown. */
  readonly id?: string | undefined;
  /** Needed unless `id` is given. */
  readonly type?: 'webhook' | 'email' | 'slack' | 'teams' | 'pagerduty' | undefined;
  /** Of `webhook`: one of the webhooks of the organisation, in place of `destination`. */
  readonly webhookId?: string | undefined;
  /** Of `webhook`: the name of one of the webhooks of the organisation, in place of `webhookId`. */
  readonly webhook?: string | undefined;
  /** Of `webhook`: an address, in place of `webhookId`. It is shown without its path. */
  readonly destination?: string | undefined;
  /** Of a `destination`: signs what is sent, in the form of Standard Webhooks. A new one is shown once. */
  readonly secret?: string | undefined;
  /** Of `email`: one address or several. */
  readonly to?: string | readonly string[] | undefined;
  /** Of `slack`: an incoming webhook of Slack or Mattermost, or of Discord with /slack at its end. Of `teams`: the address of a workflow. It is shown without its path. */
  readonly url?: string | undefined;
  /** Of `pagerduty`: the integration key. It is shown by its last four characters. */
  readonly routingKey?: string | undefined;
}

export type AlertAnswer = Alert;

/** A stored rule with its state; secrets of its channels are never shown. */
export interface Alert {
  /** Unique in the organisation. */
  readonly name: string;
  /** `response.status` is the percent of requests that failed; `cost`, `latency` and the other columns are aggregated by `aggregation`; all other names are metrics of `POST /v1/metrics/query`. */
  readonly metric: 'response.status' | 'cost' | 'latency' | 'time_to_first_token' | 'total_tokens' | 'prompt_tokens' | 'completion_tokens' | 'prompt_cache_read_tokens' | 'prompt_cache_write_tokens' | 'reasoning_tokens' | 'prompt_audio_tokens' | 'completion_audio_tokens' | 'size_bytes' | 'count' | 'errors' | 'error_rate' | 'cached_count' | 'threats' | 'avg_cost' | 'unpriced_count' | 'avg_latency' | 'max_latency' | 'p50_latency' | 'p75_latency' | 'p90_latency' | 'p95_latency' | 'p99_latency' | 'avg_time_to_first_token' | 'max_time_to_first_token' | 'p50_time_to_first_token' | 'p75_time_to_first_token' | 'p90_time_to_first_token' | 'p95_time_to_first_token' | 'p99_time_to_first_token' | 'users' | 'sessions';
  /** For a column; `sum` without it. */
  readonly aggregation?: 'sum' | 'avg' | 'min' | 'max' | 'percentile' | null | undefined;
  /** For the aggregation `percentile`; 50 without it. */
  readonly percentile?: number | null | undefined;
  /** In the unit of the metric; with `baseline` in percent of the same hours of the days before. */
  readonly threshold: number;
  readonly comparison?: 'gte' | 'gt' | 'lt' | 'lte' | undefined;
  /** Length of the window that ends now, 30 seconds to 30 days. */
  readonly time_window?: number | undefined;
  /** In place of `time_window`: the running day, week or month of a time zone. */
  readonly window?: {
    readonly calendar: 'day' | 'week' | 'month';
    readonly timezone?: string | undefined;
  } | null | undefined;
  /** With fewer requests in the window the condition counts as not met. */
  readonly minimum_request_count?: number | null | undefined;
  /** Every group has a state and incidents of its own. `grouping` takes "user", "model" or another dimension, {"property": "Team"}, or a list of up to three of them; `grouping_is_property`: true reads one text as the name of a property. */
  readonly grouping?: string | Readonly<Record<string, unknown>> | readonly unknown[] | null | undefined;
  readonly grouping_is_property?: boolean | undefined;
  readonly filter?: Filter | undefined;
  /** Compares with the mean of the same hours of so many days before; only with a `time_window` of at most a day. */
  readonly baseline?: {
    readonly days?: number | undefined;
  } | null | undefined;
  /** How long the condition must hold before the rule fires. */
  readonly for_ms?: number | undefined;
  /** How long the condition must not hold before an incident ends. */
  readonly recover_after_ms?: number | undefined;
  /** What a window without a value means: `ok` the condition is not met, `keep` nothing changes, `alert` an incident begins. Sums and counts of no requests are 0, which is a value. */
  readonly no_data?: 'ok' | 'keep' | 'alert' | undefined;
  /** How long a group must have had requests before it fires; a minute with `grouping`, else 0. */
  readonly new_group_delay_ms?: number | undefined;
  /** A message is repeated so often while an incident lasts; null: never. */
  readonly renotify_ms?: number | null | undefined;
  /** No message before this time. */
  readonly mute_until: string | null;
  /** Groups that one message names; further ones are counted. */
  readonly max_groups?: number | undefined;
  /** True on a sum of `cost`: calls beyond the threshold are refused too, as by a budget. */
  readonly enforce?: boolean | undefined;
  readonly channels: readonly ShownChannel[];
  readonly id: string;
  /** When the rule was stored. */
  readonly created_at: string;
  /** When it was changed last. */
  readonly updated_at: string;
  /** Gatelog made the rule; it is off until it has a channel. */
  readonly offered: boolean;
  readonly status: AlertStatus;
}

/** What is shown of a channel: its secrets never are. */
export interface ShownChannel {
  readonly id: string;
  readonly type: 'webhook' | 'email' | 'slack' | 'teams' | 'pagerduty';
  readonly webhookId?: string | undefined;
  readonly destination?: string | undefined;
  readonly to?: readonly string[] | undefined;
  readonly url?: string | undefined;
  readonly routingKey?: string | undefined;
  /** Only in the answer to the call that made the channel, where the service chose the secret of its `destination`. */
  readonly secret?: string | undefined;
  /** False: the secret of the deployment is another than the one that the channel was encrypted with, so it cannot be used. Give it anew. */
  readonly readable: boolean;
}

export interface AlertStatus {
  /** The gravest state of a group, or of the rule. */
  readonly state: 'ok' | 'pending' | 'firing' | 'recovering' | 'no_data' | 'error' | 'muted' | 'off' | 'new';
  readonly groups: number;
  /** Of `groups`, which have a state, those with an open incident. */
  readonly firing: number;
  /** When the latest incident began. */
  readonly last_incident_at: string | null;
  /** The latest evaluation. */
  readonly evaluated_at: string | null;
  /** Failed evaluations in a row. */
  readonly errors: number;
  readonly error: string | null;
  /** There are more groups than 10000, or than all rules of the organisation may have; those farthest from the threshold have no state, and `groups_left_out` counts them. */
  readonly cut: boolean;
  readonly groups_left_out: number;
}

export interface AlertGroupState {
  /** Value of each dimension; empty without grouping. */
  readonly group: Readonly<Record<string, string | number | boolean | null>>;
  readonly state: 'ok' | 'pending' | 'firing' | 'recovering' | 'no_data' | 'muted';
  /** When the state began. */
  readonly since: string;
  /** Null: there is none. */
  readonly value: number | null;
  readonly incident_id: string | null;
}

export interface AlertIncident {
  readonly id: string;
  /** Value of each dimension; empty without grouping. */
  readonly group: Readonly<Record<string, string | number | boolean | null>>;
  readonly reason: 'threshold' | 'no_data';
  /** When the rule fired. */
  readonly started_at: string;
  /** When it recovered; null: it lasts. */
  readonly ended_at: string | null;
  /** The value farthest beyond the threshold. */
  readonly peak: number | null;
  readonly threshold: number;
  /** Found when a late or changed request altered a window that had ended. */
  readonly late: boolean;
  /** The requests of the window, as `POST /v1/request/query-clickhouse` takes them; null when the rule has been changed since and measures others. */
  readonly requests: {
    readonly filter?: unknown;
    readonly timeFilter: {
      readonly startTimeUnixMs: number;
      readonly endTimeUnixMs: number;
    };
  } | null;
}

export interface AlertHistoryRow {
  /** When it happened. */
  readonly at: string;
  readonly state: 'ok' | 'pending' | 'firing' | 'recovering' | 'no_data' | 'error';
  /** Value of each dimension; empty without grouping. */
  readonly group: Readonly<Record<string, string | number | boolean | null>>;
  /** Null: there is none. */
  readonly value: number | null;
  readonly threshold: number;
  readonly window: {
    /** Start, inclusive. */
    readonly from: string;
    /** End, exclusive. */
    readonly to: string;
  };
  readonly incident_id: string | null;
  /** A late or changed request altered a window that had ended. */
  readonly late: boolean;
  /** Of a late row: the value when the window ended. */
  readonly value_before: number | null;
  readonly reason: string | null;
}

/** A message on its way to a channel of a rule. */
export interface AlertDelivery {
  /** The `webhook-id` of all its attempts. */
  readonly id: string;
  readonly type: 'request.completed' | 'request.updated' | 'alert.triggered' | 'alert.resolved' | 'webhook.test' | 'webhook.exhausted' | 'webhook.disabled';
  /** `pending` waits for its next attempt. `gone`: the request was removed before it was delivered. A `failed` one can be replayed. */
  readonly state: 'pending' | 'delivered' | 'failed' | 'gone';
  /** Why it failed: `exhausted` after its last attempt, `refused` for good, `disabled` because the webhook was disabled meanwhile, `filter` because the filter of the webhook could not decide about the request: it was not sent. */
  readonly failure: 'exhausted' | 'refused' | 'disabled' | 'filter' | null;
  /** When the event happened. */
  readonly occurred_at: string;
  /** When the delivery was made. */
  readonly created_at: string;
  /** Attempts made. */
  readonly attempts: number;
  /** Not before then. */
  readonly next_attempt_at: string | null;
  /** When it was delivered, or given up. */
  readonly ended_at: string | null;
  /** Status of the last response; null without one. */
  readonly last_status: number | null;
  /** Why the last attempt failed. */
  readonly last_reason: string | null;
  readonly channel_id: string;
  /** Its type; null: the rule no longer has it. */
  readonly channel: 'webhook' | 'email' | 'slack' | 'teams' | 'pagerduty' | null;
}

/** A test message is on its way. */
export interface AlertTestAnswer {
  /** Channels to which a test message is on its way. */
  readonly channels: number;
}

/** Webhooks and alert rules that an organisation shall have, found by their names. */
export interface RuleSet {
  /** Each has a `name`, by which it is found again. */
  readonly webhooks?: readonly WebhookBody[] | undefined;
  /** As `POST /v1/alerts` takes them; a channel may name a webhook of this body. */
  readonly alerts?: readonly NewAlert[] | undefined;
  /** Deletes webhooks with a name, and rules, that are not in the body. Rules that Gatelog offered stay while they are off. */
  readonly prune?: boolean | undefined;
  /** Says what would change, and changes nothing. */
  readonly dryRun?: boolean | undefined;
}

export interface RuleSetAnswer {
  /** False: a dry run, or nothing to change. */
  readonly applied: boolean;
  /** Webhooks, then rules, in the order of the body; what is deleted comes last. */
  readonly changes: readonly RuleSetChange[];
}

export interface RuleSetChange {
  readonly kind: 'webhook' | 'alert';
  readonly name: string;
  readonly action: 'create' | 'change' | 'unchanged' | 'delete';
  /** Null: it is not created yet. */
  readonly id: string | null;
  /** What differs; null: not set. Of `channels`, which have secrets, both sides are null. */
  readonly fields: readonly {
    readonly field: string;
    readonly before?: unknown;
    readonly after?: unknown;
  }[];
  /** Secrets that the service chose, in the form of Standard Webhooks: of the webhook, or of the channels. They are not shown again. */
  readonly secrets?: readonly string[] | undefined;
}
