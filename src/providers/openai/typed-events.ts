import { isJsonObject, parseJson } from '../../model/text.ts';
import type { JsonObject } from '../../model/text.ts';
import type { AssembledStream } from '../format/provider.ts';
import type { ServerSentEvent } from '../format/sse.ts';

/** The two kinds of events of a stream. */
export interface TypedStream {
  /** Suffix of the type of events with pieces. */
  readonly piece: string;
  /** Suffix of the type of the last event. */
  readonly end: string;
  /** Builds the non-streamed response. `end` is undefined for a truncated stream. */
  readonly toBody: (pieces: readonly JsonObject[], end: JsonObject | undefined) => JsonObject;
}

/** Assembles a stream whose events carry their kind in `type` and their content in other members. */
export function assembleTyped(events: readonly ServerSentEvent[], { piece, end, toBody }: TypedStream): AssembledStream {
  const pieces: JsonObject[] = [];
  let error: unknown;
  let ending: JsonObject | undefined;
  for (const { data } of events) {
    const event = parseJson(data);
    if (!isJsonObject(event) || ending !== undefined) continue;
    const type = typeof event['type'] === 'string' ? event['type'] : '';
    if (type.endsWith(piece)) pieces.push(event);
    else if (type.endsWith(end)) ending = event;
    else if (type === 'error' || isJsonObject(event['error'])) error = event['error'] ?? event;
  }
  const isComplete = ending !== undefined;
  if (pieces.length === 0 && !isComplete) {
    return error === undefined ? { body: null, isComplete, understood: false } : { body: { error }, isComplete, understood: true };
  }
  const body = toBody(pieces, ending);
  return { body: error === undefined ? body : { ...body, error }, isComplete, understood: true };
}

/** For endpoints without streams. */
export function notStreamed(): AssembledStream {
  return { body: null, isComplete: false, understood: false };
}
