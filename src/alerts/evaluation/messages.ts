import type { AlertMessage } from '../../model/events/alert-message.ts';
import type { DeliveryTarget, NewDelivery } from '../../model/events/event.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { alertDefaults } from '../../model/events/alert-vocabulary.ts';
import { groupOfKey, type GroupValue, shownGroup } from '../../query/alerts/groups.ts';
import type { TimeRange } from '../../query/alerts/windows.ts';
import { windowAt } from '../../query/alerts/windows.ts';
import type { Notice } from '../machine/notices.ts';
import type { ReadyAlert } from '../machine/rule.ts';

/** Where a message leads. */
export type AlertLink = (ruleId: string) => string;

/** What messages of all rules have in common. */
export interface Messaging {
  readonly linkOf: AlertLink;
  readonly subscribers: Subscribers;
}

/** When a notice is sent, Unix milliseconds, and why, where it is not for its values. */
export interface NoticeContext {
  readonly at: number;
  readonly reason: string | null;
}

export function noticeMessage(ready: ReadyAlert, notice: Notice, { at, reason }: NoticeContext, linkOf: AlertLink): AlertMessage {
  const most = groupsPerMessage(ready);
  return {
    ...about(ready, windowAt(ready.plan.window, at), linkOf),
    kind: notice.kind,
    incidentId: notice.noticeId,
    dedupKey: notice.noticeId,
    open: notice.open,
    groups: notice.notified.slice(0, most).map((key) => ({ group: textGroup(ready, key), value: notice.values.get(key) ?? null })),
    more: Math.max(0, notice.notified.length - most),
    at,
    startedAt: notice.startedAt,
    peak: notice.peak,
    reason,
  };
}

/** A message about the rule as a whole. */
export function ruleMessage(
  ready: ReadyAlert,
  given: Pick<AlertMessage, 'kind' | 'at' | 'reason' | 'dedupKey' | 'open'>,
  linkOf: AlertLink,
): AlertMessage {
  return {
    ...about(ready, windowAt(ready.plan.window, given.at), linkOf),
    ...given,
    incidentId: null,
    groups: [],
    more: 0,
    startedAt: null,
    peak: null,
  };
}

/** Incidents that began and ended in a window that a late request altered. */
export interface LateIncidents {
  /** The most severe first. */
  readonly missed: readonly { readonly id: string; readonly key: string; readonly after: number | null }[];
  readonly window: TimeRange;
  readonly at: number;
}

/** One beginning and one end for all of them; none: no message. */
export function lateMessages(ready: ReadyAlert, { missed, window, at }: LateIncidents, linkOf: AlertLink): readonly AlertMessage[] {
  const [first] = missed;
  if (first === undefined) return [];
  const most = groupsPerMessage(ready);
  const message = {
    ...about(ready, window, linkOf),
    incidentId: first.id,
    dedupKey: first.id,
    groups: missed.slice(0, most).map(({ key, after }) => ({ group: textGroup(ready, key), value: after })),
    more: Math.max(0, missed.length - most),
    at,
    startedAt: window.to,
    peak: first.after,
    reason: 'Requests that were stored late, or changed, altered a window that had ended.',
  };
  return [
    { ...message, kind: 'triggered', open: missed.length },
    { ...message, kind: 'resolved', open: 0 },
  ];
}

function groupsPerMessage({ alert }: ReadyAlert): number {
  return alert.rule.max_groups ?? alertDefaults.groupsPerMessage;
}

function about({ alert, plan }: ReadyAlert, window: TimeRange, linkOf: AlertLink) {
  return {
    ruleId: alert.id,
    ruleName: alert.rule.name,
    metric: plan.title,
    unit: plan.unit,
    comparison: plan.comparison,
    threshold: plan.threshold,
    window,
    link: linkOf(alert.id),
  };
}

function textGroup({ plan }: ReadyAlert, key: string): Readonly<Record<string, string | null>> {
  return Object.fromEntries(Object.entries(shownGroup(plan.dimensions, groupOfKey(key))).map(([name, value]) => [name, textOf(value)]));
}

function textOf(value: GroupValue): string | null {
  return value === null ? null : String(value);
}

/** Webhooks of an organisation that ask for an event. */
export type Subscribers = (organizationId: OrganizationId, event: 'alert.triggered' | 'alert.resolved') => readonly string[];

/** Messages to the channels of the rule, and to the webhooks that ask for them. */
export function deliveriesOf(ready: ReadyAlert, messages: readonly AlertMessage[], subscribers: Subscribers): readonly NewDelivery[] {
  return messages.flatMap((message) => {
    const type = message.kind === 'resolved' ? 'alert.resolved' : 'alert.triggered';
    const webhooks = message.kind === 'test' ? [] : subscribers(ready.alert.organizationId, type);
    return targetsOf(ready, message, webhooks).map((target) => ({
      organizationId: ready.alert.organizationId,
      target,
      type,
      subject: { kind: 'message', content: { ...message }, alertId: ready.alert.id },
      occurredAt: message.at,
    }));
  });
}

/** Where the channels of a rule are. */
export function channelTargets({ id: alertId, channels }: Pick<ReadyAlert['alert'], 'id' | 'channels'>): readonly DeliveryTarget[] {
  return channels.map(({ id, shown: { webhookId } }) =>
    webhookId === undefined ? { kind: 'channel', alertId, channelId: id } : { kind: 'webhook', webhookId },
  );
}

function targetsOf({ alert }: ReadyAlert, message: AlertMessage, subscribed: readonly string[]): readonly DeliveryTarget[] {
  const webhooks = new Set(subscribed);
  const channels = alert.channels.flatMap(({ id, type: channel, shown }) => {
    // A pager has one incident for all that were told together, and closes it with the last of them.
    if (channel === 'pagerduty' && message.kind === 'resolved' && message.open > 0) return [];
    if (shown.webhookId === undefined) return [{ kind: 'channel', alertId: alert.id, channelId: id } as const];
    webhooks.add(shown.webhookId);
    return [];
  });
  return [...channels, ...[...webhooks].map((webhookId) => ({ kind: 'webhook', webhookId }) as const)];
}
