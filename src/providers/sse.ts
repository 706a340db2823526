import { createParser } from 'eventsource-parser';

/** One event of a `text/event-stream`. */
export interface ServerSentEvent {
  /** Value of the `event` field, `message` when there was none. */
  readonly event: string;
  /** The `data` lines, joined by newlines. */
  readonly data: string;
}

/**
 * Reads a whole or broken-off `text/event-stream`. A byte order mark, any of the three line ends and characters split between parts are
 * understood; comments, and events without data, are left out. An event at the end that was never closed by an empty line is returned as
 * far as it came; its reader decides whether that is of use.
 * @param parts the body's bytes in order, cut anywhere.
 */
export function readServerSentEvents(parts: readonly Uint8Array[]): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => events.push({ event: event ?? 'message', data }) });
  // TRICKY: the parser looks for the next carriage return anew at every line, so that a single one at the end of a long body costs quadratic
  // time. It therefore never sees one. The two line feeds close an event that the stream left open.
  parser.feed(`${decode(parts).replaceAll(/\r\n?/g, '\n')}\n\n`);
  return events;
}

function decode(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode();
}
