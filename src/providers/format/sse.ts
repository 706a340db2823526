import { createParser } from 'eventsource-parser';

export interface ServerSentEvent {
  /** Value of the `event` field, else `message`. */
  readonly event: string;
  /** The `data` lines, joined by newlines. */
  readonly data: string;
}

/**
 * Reads a complete or truncated `text/event-stream`: accepts a byte order mark, all three line ends, and characters split between parts;
 * skips comments and events without data. Returns a last event without its closing empty line as far as it came, for the reader to judge.
 * @param parts the body's bytes in order, cut anywhere.
 */
export function readServerSentEvents(parts: readonly Uint8Array[]): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => events.push({ event: event ?? 'message', data }) });
  // TRICKY: the parser searches for the next carriage return again at every line, so a single one at the end of a long body costs quadratic
  // time; therefore we remove them. The two line feeds close a last open event.
  parser.feed(`${decode(parts).replaceAll(/\r\n?/g, '\n')}\n\n`);
  return events;
}

function decode(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode();
}

/** The events of a stream that was written as JSON by line. */
export function eventsOfLines(text: string): readonly ServerSentEvent[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [{ event: 'message', data: line }]));
}
