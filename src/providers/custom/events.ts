import { jsonOf, noResponseFields, objectOf, textOf } from '../format/fields.ts';
import type { RequestFields, WireFormat } from '../format/provider.ts';

/** Path of calls that are logged without an address, as Helicone's clients write it. */
export const pathlessCall = 'custom-model-nopath';

/** Kinds of events that are logged beside model calls. */
export type EventKind = 'tool' | 'vector_db' | 'data';

const kinds: Readonly<Record<EventKind, (event: Readonly<Record<string, unknown>>) => string>> = {
  tool: (event) => named('tool', event['toolName']),
  vector_db: () => 'vector_db',
  data: (event) => named('data', event['name']),
};

/** The kind of an event by its `_type`; undefined for a model call. */
export function eventKindOf(body: unknown): EventKind | undefined {
  const type = objectOf(body)['_type'];
  return typeof type === 'string' && Object.hasOwn(kinds, type) ? (type as EventKind) : undefined;
}

/** Tool calls, queries of vector databases and other steps, and whatever else is logged without an address. */
export const customEvents: WireFormat = {
  name: 'custom.events',
  readRequest,
  readResponse: (body) => ({ ...noResponseFields, model: modelOf(body) }),
  assembleStream: () => ({ body: null, isComplete: false, understood: false }),
};

function readRequest(body: unknown): RequestFields {
  const event = objectOf(body);
  const input = event['input'] ?? event['text'];
  const promptText = typeof input === 'string' ? textOf(input) : jsonOf(input);
  return { model: modelOf(body), user: textOf(event['user']), promptText, firstUserText: '', lastUserText: '' };
}

function modelOf(body: unknown): string {
  const kind = eventKindOf(body);
  return kind === undefined ? textOf(objectOf(body)['model']) : kinds[kind](objectOf(body));
}

function named(kind: EventKind, name: unknown): string {
  const text = textOf(name);
  return text === '' ? kind : `${kind}:${text}`;
}
