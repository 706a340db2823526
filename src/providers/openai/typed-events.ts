import { isJsonObject, parseJson } from '../../model/text.ts';
import type { JsonObject } from '../../model/text.ts';
import type { AssembledStream } from '../provider.ts';
import type { ServerSentEvent } from '../sse.ts';

/** The events of one kind of stream: the one that carries a piece, and the one that ends it. */
export interface TypedStream {
  /** End of the type of events with pieces. */
  readonly piece: string;
  /** End of the type of the event that comes last. */
  readonly end: string;
  /** Makes the answer without streaming of the pieces and of the end, where it came. */
  readonly toBody: (pieces: readonly JsonObject[], end: JsonObject | undefined) => JsonObject;
}

/** Puts a stream together whose events say in `type` what they are, and in their own keys everything else. */
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
  const whole = ending !== undefined;
  if (pieces.length === 0 && !whole) {
    return error === undefined ? { body: null, whole, understood: false } : { body: { error }, whole, understood: true };
  }
  const body = toBody(pieces, ending);
  return { body: error === undefined ? body : { ...body, error }, whole, understood: true };
}

/** For endpoints that have no streams. */
export function notStreamed(): AssembledStream {
  return { body: null, whole: false, understood: false };
}
