import type { ChannelType } from '../../../../src/model/events/channel.ts';
import type { Alert, NewAlert } from '../../../../src/client/client.ts';
import {
  type AggregatedColumn,
  aggregatedColumns,
  type Aggregation,
  alertDefaults,
  alertLimits,
  failedPercent,
  type NoDataMode,
} from '../../../../src/model/events/alert-vocabulary.ts';
import { type CalendarUnit, zoneNamed } from '../../../../src/model/time/calendar.ts';
import type { FilterNode } from '../../../../src/query/filter/ast.ts';
import { filterJson } from '../../../../src/query/language/json.ts';
import { searchOfFilter } from '../../../lib/filter-text.ts';
import type { Dimension } from '../../../lib/metrics/dimensions.ts';
import { lengthFault } from '../../../lib/name-faults.ts';
import { addressFault } from '../../../ui/form/address.ts';
import { correctFields } from '../../../ui/form/form.tsx';
import { type NumberBounds, numberFault, numberOf } from '../../../ui/form/number-field.tsx';
import type { NewAlertSearch } from '../search.ts';

export type AlertMetric = NewAlert['metric'];
/** A channel in a form: one that is stored, or one to be made. */
export type ChannelDraft =
  | { readonly id: string; readonly type: ChannelType; readonly shown: string }
  | {
      readonly id?: undefined;
      readonly type: ChannelType;
      readonly target: string;
      /** One of the organisation's webhooks, whose name the target is then. */
      readonly webhookId?: string | undefined;
    }
  /** Nobody has chosen its kind yet. */
  | { readonly id?: undefined; readonly type?: undefined; readonly target: ''; readonly webhookId?: undefined };

type ChosenChannel = Extract<ChannelDraft, { readonly type: ChannelType }>;

/** A channel to be made. */
export const newChannel: Extract<ChannelDraft, { readonly type?: undefined }> = { target: '' };

/** A rule as a form has it: numbers as they are typed, times in minutes. */
export interface RuleDraft {
  readonly name: string;
  readonly metric: AlertMetric;
  readonly aggregation: Aggregation;
  readonly percentile: string;
  readonly comparison: 'gte' | 'gt' | 'lt' | 'lte';
  readonly threshold: string;
  /** Minutes that end now, or a running day, week or month. */
  readonly window: 'rolling' | CalendarUnit;
  readonly windowMinutes: string;
  readonly zone: string;
  /** The search, in the language of `src/query/language`. */
  readonly q: string;
  readonly by: readonly Dimension[];
  readonly minimumCount: string;
  /** Days before that it is compared with; empty: with the threshold itself. */
  readonly baselineDays: string;
  readonly forMinutes: string;
  readonly recoverMinutes: string;
  readonly newGroupMinutes: string;
  readonly renotifyMinutes: string;
  readonly noData: NoDataMode;
  readonly maxGroups: string;
  readonly isEnforced: boolean;
  readonly channels: readonly ChannelDraft[];
}

const minute = 60_000;

export function emptyDraft(zone: string): RuleDraft {
  return {
    name: '',
    metric: 'cost',
    aggregation: 'sum',
    percentile: '95',
    comparison: 'gte',
    threshold: '',
    window: 'rolling',
    windowMinutes: '60',
    zone,
    q: '',
    by: [],
    minimumCount: '',
    baselineDays: '',
    forMinutes: '',
    recoverMinutes: '',
    newGroupMinutes: '',
    renotifyMinutes: '',
    noData: 'ok',
    maxGroups: '',
    isEnforced: false,
    channels: [],
  };
}

/** A draft of what an address says: `/alerts/new?q=Team%3Asearch&metric=p95_latency`. */
export function draftFrom(
  { q = '', metric, by = [], threshold, minutes, calendar, budget, ...search }: NewAlertSearch,
  zone: string,
): RuleDraft {
  return {
    ...emptyDraft(zone),
    q,
    by,
    ...measureOf(metric),
    ...(threshold === undefined ? {} : { threshold: String(threshold) }),
    ...(minutes === undefined ? {} : { windowMinutes: String(minutes) }),
    ...(calendar === undefined ? {} : { window: calendar, zone: search.zone ?? zone }),
    ...(budget === true ? { isEnforced: true } : {}),
    ...(budget === true && minutes === undefined && calendar === undefined ? { window: 'month' as const } : {}),
    // Every session is new once, and many end before a wait does.
    ...(by.includes('session') ? { newGroupMinutes: '0' } : {}),
  };
}

const columnKinds = {
  avg: 'avg',
  max: 'max',
  p50: 'percentile',
  p75: 'percentile',
  p90: 'percentile',
  p95: 'percentile',
  p99: 'percentile',
} as const;

/** What the form calls a metric of `/v1/metrics/query`: `p95_latency` is the 95th percentile of the latency. */
function measureOf(metric: NewAlertSearch['metric']): Partial<RuleDraft> {
  if (metric === undefined) return {};
  if (metric === 'error_rate') return { metric: failedPercent };
  const [, kind, column] = /^([a-z]+\d*)_(.+)$/.exec(metric) ?? [];
  if (kind === undefined || column === undefined || !Object.hasOwn(columnKinds, kind) || !isColumn(column)) return { metric };
  return {
    metric: column,
    aggregation: columnKinds[kind as keyof typeof columnKinds],
    ...(kind.startsWith('p') ? { percentile: kind.slice(1) } : {}),
  };
}

/** Whether a draft says more than its sentence. */
export function hasMore(draft: RuleDraft): boolean {
  const blank = emptyDraft(draft.zone);
  const ofSessions = draft.by.includes('session') && draft.newGroupMinutes === '0';
  return moreFields.some((field) => draft[field] !== blank[field] && !(ofSessions && field === 'newGroupMinutes'));
}

const moreFields = [
  'minimumCount',
  'baselineDays',
  'forMinutes',
  'recoverMinutes',
  'newGroupMinutes',
  'renotifyMinutes',
  'noData',
  'maxGroups',
] as const;

export function isColumn(metric: string): metric is AggregatedColumn {
  return Object.hasOwn(aggregatedColumns, metric);
}

/** A stored rule as a draft; undefined: no search says its filter, so that only the API can change it. */
export function draftOf(alert: Alert, zone: string): RuleDraft | undefined {
  const q = searchOfFilter(alert.filter);
  if (q === undefined) return undefined;
  return {
    name: alert.name,
    metric: alert.metric,
    aggregation: alert.aggregation ?? 'sum',
    percentile: textOf(alert.percentile ?? alertDefaults.percentile),
    comparison: alert.comparison ?? 'gte',
    threshold: textOf(alert.threshold),
    window: alert.window?.calendar ?? 'rolling',
    windowMinutes: minutesText(alert.time_window) || '60',
    zone: alert.window?.timezone ?? zone,
    q,
    by: dimensionsOf(alert.grouping, alert.grouping_is_property === true),
    minimumCount: textOf(alert.minimum_request_count),
    baselineDays: textOf(
      alert.baseline?.days ?? (alert.baseline === null || alert.baseline === undefined ? null : alertDefaults.baselineDays),
    ),
    ...timesOf(alert),
    noData: alert.no_data ?? 'ok',
    maxGroups: textOf(alert.max_groups),
    isEnforced: alert.enforce === true,
    channels: alert.channels.map(({ id, type, to, ...channel }) => ({
      id,
      type,
      shown:
        to?.join(', ') ??
        channel.destination ??
        channel.url ??
        channel.routingKey ??
        (channel.webhookId === undefined ? '' : 'one of your webhooks'),
    })),
  };
}

function timesOf(alert: Alert): Pick<RuleDraft, 'forMinutes' | 'recoverMinutes' | 'newGroupMinutes' | 'renotifyMinutes'> {
  return {
    forMinutes: minutesText(alert.for_ms),
    recoverMinutes: minutesText(alert.recover_after_ms),
    newGroupMinutes: minutesText(alert.new_group_delay_ms),
    renotifyMinutes: minutesText(alert.renotify_ms),
  };
}

function textOf(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}

function minutesText(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? '' : String(ms / minute);
}

/** The dimensions of a rule, however they are written. */
export function dimensionsOf(grouping: Alert['grouping'], isProperty: boolean): readonly Dimension[] {
  if (grouping === null || grouping === undefined) return [];
  if (Array.isArray(grouping)) return grouping.flatMap((one) => dimensionsOf(one as Alert['grouping'], false));
  if (typeof grouping === 'string') return [isProperty ? `properties.${grouping}` : grouping];
  const { property, input } = grouping as Readonly<Record<string, unknown>>;
  if (typeof property === 'string') return [`properties.${property}`];
  return typeof input === 'string' ? [`inputs.${input}`] : [];
}

/**
 * The rule of a draft; undefined where a figure is missing or none. Channels without an address are left out.
 * @param filter What the search of the draft means.
 */
export function ruleOf(draft: RuleDraft, filter: FilterNode): NewAlert | undefined {
  const threshold = numberOf(draft.threshold);
  if (threshold === undefined || faultsOf(draft).length > 0) return undefined;
  return {
    name: draft.name.trim(),
    metric: draft.metric,
    threshold,
    comparison: draft.comparison,
    ...(isColumn(draft.metric) ? { aggregation: draft.aggregation } : {}),
    ...(isColumn(draft.metric) && draft.aggregation === 'percentile' ? { percentile: numberOf(draft.percentile) } : {}),
    ...windowOf(draft),
    filter: filterJson(filter) as NewAlert['filter'],
    grouping: draft.by.length === 0 ? null : draft.by.map(groupingOf),
    minimum_request_count: numberOf(draft.minimumCount) ?? null,
    baseline: draft.baselineDays.trim() === '' ? null : { days: numberOf(draft.baselineDays) },
    for_ms: msOf(draft.forMinutes),
    recover_after_ms: msOf(draft.recoverMinutes),
    new_group_delay_ms: msOf(draft.newGroupMinutes),
    renotify_ms: msOf(draft.renotifyMinutes) ?? null,
    no_data: draft.noData,
    max_groups: numberOf(draft.maxGroups),
    enforce: draft.isEnforced,
    channels: draft.channels
      .filter((channel) => channel.type !== undefined)
      .filter((channel) => channel.id !== undefined || (channel.target.trim() !== '' && channelFault(channel) === undefined))
      .map(channelOf),
  };
}

/** What keeps a draft from being saved, as a sentence; undefined: nothing. @param rule Of the draft. */
export function missingIn(draft: RuleDraft, rule: NewAlert | undefined): string | undefined {
  const { threshold, channels } = draft;
  if (threshold.trim() === '') return 'A rule needs a threshold.';
  if (draft.window === 'rolling' && draft.windowMinutes.trim() === '') return 'A rule needs the minutes of its window.';
  if (faultsOf(draft).length > 0 || channels.some((channel) => channelFault(channel) !== undefined)) return correctFields;
  if (rule === undefined) return 'The search cannot be read.';
  if (budgetFault(draft) !== undefined) return correctFields;
  const isEmpty = channels.some((channel) => channel.id === undefined && channel.target.trim() === '');
  return isEmpty ? 'Give each channel its kind and its address, or remove it.' : undefined;
}

/** Whether a rule measures what a budget limits. */
export function isOfBudget({ metric, aggregation }: RuleDraft): boolean {
  return metric === 'cost' && aggregation === 'sum';
}

const ofSearch =
  'A rule that blocks calls counts all requests: clear the search and choose under “For each”, or add a limit for one value under Limits.';

/** Why a rule that is to block calls cannot, as a sentence: a budget counts all calls from the first on. */
export function budgetFault(draft: RuleDraft): string | undefined {
  if (!draft.isEnforced) return undefined;
  if (!isOfBudget(draft) || draft.comparison !== 'gte') return 'Calls are blocked only where the sum of cost is at least the threshold.';
  if (draft.q.trim() !== '') return ofSearch;
  if (draft.by.length > 1 || draft.by.some((dimension) => dimension !== 'user' && !dimension.startsWith('properties.'))) {
    return 'A budget is for all requests, for each user, or for each value of one property.';
  }
  const waits = [draft.minimumCount, draft.baselineDays, draft.forMinutes].some((figure) => (numberOf(figure) ?? 0) !== 0);
  return waits ? 'A budget counts from the first request on: empty “Minimum requests”, “Baseline” and “Holds for” under More.' : undefined;
}

const { windowMinMs, windowMaxMs, delayMaxMs, renotifyMinMs, renotifyMaxMs, groupsPerMessage, baselineDays, minimumCount } = alertLimits;
const delay: NumberBounds = { min: 0, max: delayMaxMs / minute };

/** What the figures of a rule must be; times in minutes. */
export const ruleBounds = {
  windowMinutes: { min: windowMinMs / minute, max: windowMaxMs / minute },
  percentile: { above: 0, max: 100 },
  minimumCount: { isWhole: true, min: 0, max: minimumCount },
  baselineDays: { isWhole: true, min: 1, max: baselineDays },
  forMinutes: delay,
  recoverMinutes: delay,
  newGroupMinutes: delay,
  renotifyMinutes: { min: renotifyMinMs / minute, max: renotifyMaxMs / minute },
  maxGroups: { isWhole: true, min: 1, max: groupsPerMessage },
} as const satisfies Readonly<Record<string, NumberBounds>>;

export function nameFault(name: string): string | undefined {
  return lengthFault(name, alertLimits.nameCharacters);
}

export function zoneFault(zone: string): string | undefined {
  return zoneNamed(zone.trim()) === undefined ? 'Write a time zone, such as Europe/Berlin.' : undefined;
}

/** What is wrong with the target of a new channel, as a sentence. */
export function channelFault(channel: ChannelDraft): string | undefined {
  if (channel.id !== undefined || channel.type === undefined || channel.target.trim() === '') return undefined;
  const target = channel.target.trim();
  switch (channel.type) {
    case 'email':
      return target.split(',').every((address) => /^[^\s@]+@[^\s@]+$/.test(address.trim()))
        ? undefined
        : 'Write addresses such as ops@example.com, with commas between them.';
    case 'pagerduty':
      return /^[\w-]+$/.test(target) ? undefined : 'Write the integration key as PagerDuty shows it: letters and digits.';
    case 'webhook':
      return channel.webhookId === undefined ? addressFault(target) : undefined;
    default:
      return addressFault(target);
  }
}

function faultsOf(draft: RuleDraft): readonly string[] {
  const ofWindow = draft.window === 'rolling' ? [numberFault(draft.windowMinutes, ruleBounds.windowMinutes)] : [zoneFault(draft.zone)];
  const ofPercentile = draft.aggregation === 'percentile' ? [numberFault(draft.percentile, ruleBounds.percentile)] : [];
  const others = moreFigures.map((field) => numberFault(draft[field], ruleBounds[field]));
  return [nameFault(draft.name), numberFault(draft.threshold), ...ofWindow, ...ofPercentile, ...others].filter(
    (fault) => fault !== undefined,
  );
}

const moreFigures = [
  'minimumCount',
  'baselineDays',
  'forMinutes',
  'recoverMinutes',
  'newGroupMinutes',
  'renotifyMinutes',
  'maxGroups',
] as const;

function windowOf({ window, windowMinutes, zone }: RuleDraft): Pick<NewAlert, 'time_window' | 'window'> {
  return window === 'rolling' ? { time_window: msOf(windowMinutes) } : { window: { calendar: window, timezone: zone } };
}

function groupingOf(dimension: Dimension): unknown {
  if (dimension.startsWith('properties.')) return { property: dimension.slice('properties.'.length) };
  return dimension.startsWith('inputs.') ? { input: dimension.slice('inputs.'.length) } : dimension;
}

function msOf(minutes: string): number | undefined {
  const number = numberOf(minutes);
  return number === undefined ? undefined : Math.round(number * minute);
}

/** A channel as the API takes it. */
export function channelOf(channel: ChosenChannel): NonNullable<NewAlert['channels']>[number] {
  if (channel.id !== undefined) return { id: channel.id };
  const { type } = channel;
  const target = channel.target.trim();
  switch (type) {
    case 'email':
      return { type, to: target.split(',').map((address) => address.trim()) };
    case 'pagerduty':
      return { type, routingKey: target };
    case 'webhook':
      return channel.webhookId === undefined ? { type, destination: target } : { type, webhookId: channel.webhookId };
    default:
      return { type, url: target };
  }
}
