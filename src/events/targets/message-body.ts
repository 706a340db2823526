import type { EventType } from '../../model/events/event.ts';
import type { JsonObject } from '../../model/text.ts';

/** The body of an event that is not about a request. @param occurredAt Unix milliseconds. */
export function messageBody(type: EventType, occurredAt: number, data: JsonObject): string {
  return JSON.stringify({ type, timestamp: new Date(occurredAt).toISOString(), data });
}
