import type { AlertPreview, AlertView, AlertHistoryView, IncidentView, AlertStateView } from '../contract/events/alert-answers.ts';
import type { AlertDeliveryItem } from '../contract/events/deliveries.ts';
import type { DeliveryTarget } from '../model/events/event.ts';
import type { RuleState as RuleStateName } from '../model/events/alert-vocabulary.ts';
import type { AlertIncidentsTable } from '../events/schema/alert-tables.ts';
import type { listHistory } from './stored/read.ts';
import type { LoggedMessage } from '../events/log/deliveries.ts';
import { targetOfKey } from '../events/log/target.ts';
import { groupOfKey, shownGroup } from '../query/alerts/groups.ts';
import { linkOf } from '../query/alerts/link.ts';
import { type Alert, isOn, type ReadyAlert } from './machine/rule.ts';
import { type GroupMemory, gravityRank } from './machine/state.ts';
import type { Preview } from './preview.ts';
import type { RuleState } from './evaluation/rule-state.ts';

type HistoryRow = Awaited<ReturnType<typeof listHistory>>[number];

const iso = (ms: number): string => new Date(ms).toISOString();
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));

const bySeverity = ['firing', 'no_data', 'recovering', 'pending', 'ok'] as const;

export interface KnownOfAlert {
  readonly ready: ReadyAlert;
  readonly state: RuleState;
  readonly channels: AlertView['channels'];
  /** Unix milliseconds; null: there was none. */
  readonly lastIncidentAt: number | null;
  /** The latest attempt at one of its channels failed. */
  readonly isDeliveryFailing: boolean;
  readonly now: number;
}

export function shownAlert(alert: Alert, { ready, state, channels, lastIncidentAt, isDeliveryFailing, now }: KnownOfAlert): AlertView {
  const { rule } = alert;
  const firing = [...state.memories.values()].filter(({ incident }) => incident !== null).length;
  return {
    ...rule,
    mute_until: isoOrNull(rule.mute_until ?? null),
    channels,
    id: alert.id,
    created_at: iso(alert.createdAt),
    updated_at: iso(alert.changedAt),
    offered: alert.offered,
    status: {
      state: ruleState(alert, ready, state, now),
      groups: state.memories.size,
      firing,
      last_incident_at: isoOrNull(lastIncidentAt),
      delivery_failing: isDeliveryFailing,
      evaluated_at: isoOrNull(state.evaluatedAt),
      errors: state.seen?.errors ?? 0,
      error: state.seen?.error ?? null,
      cut: state.isCut || state.groupsLeftOut > 0,
      groups_left_out: state.groupsLeftOut,
    },
  };
}

/** Whether a rule has an open incident of which somebody is told. */
export function isFiring(alert: Alert, { memories }: RuleState, now: number): boolean {
  if (!isOn(alert) || isMuted(alert.rule.mute_until ?? null, now)) return false;
  return [...memories.values()].some(({ incident }) => incident !== null);
}

function ruleState(alert: Alert, { rules }: ReadyAlert, { memories, seen, evaluatedAt }: RuleState, now: number): RuleStateName {
  if (!isOn(alert)) return 'off';
  if (isMuted(rules.muteUntil, now)) return 'muted';
  if ((seen?.errors ?? 0) > 0) return 'error';
  // What was found before a restart still holds.
  if (evaluatedAt === null && memories.size === 0) return 'new';
  const there = new Set([...memories.values()].map(({ state }) => state));
  return bySeverity.find((state) => there.has(state)) ?? 'ok';
}

function isMuted(until: number | null, now: number): boolean {
  return until !== null && now < until;
}

/** The most severe first, and of those in one state the farthest beyond the threshold. */
export function shownStates({ plan, rules }: ReadyAlert, { memories }: RuleState, now: number): readonly AlertStateView[] {
  const isQuiet = isMuted(rules.muteUntil, now);
  const placeOf = ({ state, value, since }: GroupMemory): readonly number[] => [
    bySeverity.indexOf(state),
    gravityRank(value, plan.comparison),
    -since,
  ];
  return [...memories]
    .toSorted(([, one], [, other]) => inOrder(placeOf(one), placeOf(other)))
    .map(([key, { state, since, value, incident }]) => ({
      group: shownGroup(plan.dimensions, groupOfKey(key)),
      state: isQuiet && incident !== null ? 'muted' : state,
      since: iso(since),
      value,
      incident_id: incident?.id ?? null,
    }));
}

/** Compares the first numbers that differ. */
function inOrder(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at === -1 ? 0 : (one[at] ?? 0) < (other[at] ?? 0) ? -1 : 1;
}

/** @param since when the rule began to measure what it does; earlier requests are not those that its filter finds. */
export function shownIncident({ alert, plan }: ReadyAlert, row: AlertIncidentsTable, since: number): IncidentView {
  const range = { from: row.window_from, to: row.window_to };
  return {
    id: row.id,
    group: groupOf(row),
    reason: row.reason,
    started_at: iso(row.started_at),
    ended_at: isoOrNull(row.ended_at),
    peak: row.peak,
    threshold: row.threshold,
    late: row.late === 1,
    requests: row.started_at < since ? null : linkOf(alert.rule.filter, plan.dimensions, groupOfKey(row.group_key), range),
  };
}

function groupOf({ group_key: key, dimensions }: Pick<AlertIncidentsTable, 'group_key' | 'dimensions'>): IncidentView['group'] {
  const values = groupOfKey(key);
  return Object.fromEntries((JSON.parse(dimensions) as string[]).map((name, index) => [name, values[index] ?? null]));
}

export function shownHistory(row: HistoryRow): AlertHistoryView {
  return {
    at: iso(row.at),
    state: row.state,
    group: groupOf(row),
    value: row.value,
    threshold: row.threshold,
    window: { from: iso(row.window_from), to: iso(row.window_to) },
    incident_id: row.incident_id,
    late: row.late === 1,
    value_before: row.value_before,
    reason: row.reason,
  };
}

export function shownDelivery(alert: Alert, row: LoggedMessage, webhookNameOf: (webhookId: string) => string | null): AlertDeliveryItem {
  return {
    id: row.id,
    ...receiverOf(alert, targetOfKey(row.target), webhookNameOf),
    type: row.type,
    state: row.state,
    failure: row.failure,
    occurred_at: iso(row.occurred_at),
    created_at: iso(row.created_at),
    attempts: row.attempts,
    next_attempt_at: isoOrNull(row.due_at),
    ended_at: isoOrNull(row.ended_at),
    last_status: row.last_status,
    last_reason: row.last_reason,
    test: row.isTest,
  };
}

type Receiver = Pick<AlertDeliveryItem, 'channel_id' | 'channel' | 'webhook_id' | 'webhook_name'>;

/** A webhook is a channel of the rule, or gets its messages because it asks for those of all rules. */
function receiverOf({ channels }: Alert, target: DeliveryTarget, webhookNameOf: (webhookId: string) => string | null): Receiver {
  if (target.kind === 'channel') {
    const type = channels.find(({ id }) => id === target.channelId)?.type ?? null;
    return { channel_id: target.channelId, channel: type, webhook_id: null, webhook_name: null };
  }
  const { webhookId } = target;
  const channel = channels.find(({ shown }) => shown.webhookId === webhookId);
  return { channel_id: channel?.id ?? webhookId, channel: 'webhook', webhook_id: webhookId, webhook_name: webhookNameOf(webhookId) };
}

export function shownPreview({ stepMs, isExact, groupsLeftOut, series, incidents, unpriced, sessionNames }: Preview): AlertPreview {
  return {
    step_ms: stepMs,
    exact: isExact,
    groups_left_out: groupsLeftOut,
    series: series.map(({ at, group, value }) => ({ time: iso(at), group, value })),
    incidents: incidents.map(({ group, startedAt, endedAt, peak }) => ({
      group,
      started_at: iso(startedAt),
      ended_at: isoOrNull(endedAt),
      peak,
    })),
    unpriced,
    session_names: Object.fromEntries(sessionNames),
  };
}
