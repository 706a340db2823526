import type { AlertMessage } from '../../../model/events/alert-message.ts';

/** The `data` of an event of an alert: values as they are, times in ISO 8601. */
export function alertData(message: AlertMessage): Readonly<Record<string, unknown>> {
  return {
    status: message.kind,
    alert_id: message.ruleId,
    alert_name: message.ruleName,
    incident_id: message.incidentId,
    metric: message.metric,
    unit: message.unit,
    comparison: message.comparison,
    threshold: message.threshold,
    window: { from: isoTime(message.window.from), to: isoTime(message.window.to) },
    groups: message.groups,
    more_groups: message.more,
    open_incidents: message.open,
    started_at: message.startedAt === null ? null : isoTime(message.startedAt),
    peak: message.peak,
    reason: message.reason,
    link: message.link,
  };
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
