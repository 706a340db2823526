import type { DeliveryTarget } from '../../model/events/event.ts';

/** The text of a target in the database and in maps. */
export function targetKey(target: DeliveryTarget): string {
  return target.kind === 'webhook' ? `webhook/${target.webhookId}` : `channel/${target.alertId}/${target.channelId}`;
}

/** @throws for a text that {@link targetKey} did not make. */
export function targetOfKey(key: string): DeliveryTarget {
  const [kind, first, second] = key.split('/');
  if (kind === 'webhook' && first !== undefined) return { kind, webhookId: first };
  if (kind === 'channel' && first !== undefined && second !== undefined) return { kind, alertId: first, channelId: second };
  throw new Error(`A target in the database of events has an unknown form: ${key}`);
}
