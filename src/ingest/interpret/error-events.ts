import { tellsError } from '../../model/record/failure.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../model/text.ts';
import type { ServerSentEvent } from '../../providers/format/sse.ts';
import { wireProfile } from '../../providers/wire-profile.ts';

const failureEvents: ReadonlySet<unknown> = new Set(wireProfile.failureEvents);
/** An event without any of these is not parsed. */
const words = ['error', ...wireProfile.failureEvents].map((word) => `"${word}"`);
/** Members of an event that is nothing but an error. */
const errorMembers: ReadonlySet<string> = new Set([
  'error',
  'error_type',
  'type',
  'code',
  'status',
  'message',
  'request_id',
  'user_id',
  'id',
  'sequence_number',
]);
/** Events that are parsed for it. */
const maxParsed = 100;

/**
 * What the events of a stream say of an error, whatever the stream's format: the response that failed, or the event that is an error.
 * @returns undefined if none does.
 */
export function errorIn(events: readonly ServerSentEvent[]): unknown {
  const suspects = events
    .filter(({ event, data }) => failureEvents.has(event) || words.some((word) => data.includes(word)))
    .slice(-maxParsed);
  for (const { event, data } of suspects) {
    const parsed = parseJson(data);
    const isNamed = failureEvents.has(event);
    if (!isJsonObject(parsed)) {
      if (isNamed) return { error: data };
      continue;
    }
    if (isNamed || failureEvents.has(parsed['type'])) return failedEvent(parsed);
    if (tellsError(parsed['error']) && Object.keys(parsed).every((name) => errorMembers.has(name))) return parsed;
  }
  return undefined;
}

/** An error event of the Responses API has no member of its own for its error. */
function failedEvent(event: JsonObject): JsonObject {
  const { response, error } = event;
  if (isJsonObject(response)) return response;
  return tellsError(error) ? event : { error: { ...event, type: null } };
}
