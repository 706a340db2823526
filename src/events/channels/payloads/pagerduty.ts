import { hash } from 'node:crypto';
import type { AlertMessage, AlertMessageKind } from '../../../model/events/alert-message.ts';
import { groupLines, plainGroup, wordingOf } from './wording.ts';

/** Limits of PagerDuty's Events API v2, characters. */
const limits = { summary: 1024, key: 255 } as const;
/** PagerDuty takes 512 KB; nobody reads more than this. */
const maxGroups = 50;

const severities = {
  triggered: 'critical',
  still_firing: 'critical',
  no_data: 'warning',
  error: 'warning',
  test: 'info',
} as const satisfies Record<Exclude<AlertMessageKind, 'resolved'>, string>;

/**
 * An event of PagerDuty's Events API v2. Trigger and resolve of an incident have one key; a further trigger with the key of an open alert
 * is added to it.
 */
export function pagerDutyEvent(message: AlertMessage, routingKey: string): object {
  if (message.kind === 'resolved') return pagerDutyResolve(message, routingKey);
  const wording = wordingOf(message);
  const groups = groupLines(wording, plainGroup, maxGroups);
  return {
    routing_key: routingKey,
    event_action: 'trigger',
    dedup_key: keyOf(message),
    client: 'Gatelog',
    client_url: message.link,
    links: [{ href: message.link, text: 'Alert' }],
    payload: {
      summary: cut(`${wording.title} (${wording.condition}; ${groups[0] ?? 'no value'})`),
      source: new URL(message.link).hostname,
      severity: severities[message.kind],
      timestamp: new Date(message.at).toISOString(),
      class: message.metric,
      custom_details: { condition: wording.condition, ...Object.fromEntries(wording.facts), groups },
    },
  };
}

export function pagerDutyResolve(message: AlertMessage, routingKey: string): object {
  return { routing_key: routingKey, event_action: 'resolve', dedup_key: keyOf(message) };
}

function keyOf({ dedupKey }: AlertMessage): string {
  return dedupKey.length <= limits.key ? dedupKey : hash('sha256', dedupKey);
}

function cut(summary: string): string {
  const characters = Array.from(summary);
  return characters.length <= limits.summary ? summary : `${characters.slice(0, limits.summary - 1).join('')}…`;
}
