import type { Filter } from '../../client/client.ts';
import { isTimeZone, parseHumanTime, humanTimeForms } from '../../model/time/human-time.ts';
import { both } from './filter.ts';
import { InputError } from './input-error.ts';

/** A range of arrival times, Unix milliseconds; `to` is exclusive. */
export interface TimeRange {
  readonly from: number | undefined;
  readonly to: number;
}

export interface RangeInput {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly timezone?: string | undefined;
}

/** @param standard `from` where none is given. @throws InputError for a time or a zone that is none. */
export function rangeOf({ from = '', to = '', timezone = 'UTC' }: RangeInput, now: number, standard?: string): TimeRange {
  if (!isTimeZone(timezone)) {
    throw new InputError('timezone', `takes an IANA name such as Europe/Berlin; got ${JSON.stringify(timezone.slice(0, 60))}`);
  }
  const read = (name: string, text: string): number => {
    const time = parseHumanTime(text, { now, timezone });
    if (time === undefined) throw new InputError(name, `takes ${humanTimeForms}; got ${JSON.stringify(text.slice(0, 60))}`);
    return time;
  };
  const start = from === '' ? standard : from;
  const range = { from: start === undefined ? undefined : read('from', start), to: to === '' ? now : read('to', to) };
  if (range.from !== undefined && range.from >= range.to) throw new InputError('from', 'is not before "to"');
  return range;
}

/** Both ends, inclusive, as queries of sessions and metrics take them. */
export function timeFilterOf({ from, to }: TimeRange): { readonly startTimeUnixMs?: number; readonly endTimeUnixMs: number } {
  return { ...(from === undefined ? {} : { startTimeUnixMs: from }), endTimeUnixMs: to - 1 };
}

/** The same as a filter of requests. */
export function boundsOf({ from, to }: TimeRange): Filter {
  const end: Filter = { request_response_rmt: { request_created_at: { lt: to } } };
  return from === undefined ? end : both({ request_response_rmt: { request_created_at: { gte: from } } }, end);
}

/** `2026-01-31T12:00Z`: seconds only where there are some. */
export function timeText(unixMs: number): string {
  return new Date(unixMs).toISOString().replace(/(?::00)?\.000Z$/, 'Z');
}

export function rangeText({ from, to }: TimeRange): string {
  return from === undefined ? `until ${timeText(to)}` : `from ${timeText(from)} to ${timeText(to)}`;
}

/** A place in a list, with the range of the first page: a range such as "24h" moves, and a cursor belongs to one query. */
export interface PagePosition {
  readonly range: TimeRange;
  readonly cursor: string | undefined;
}

export function cursorText({ from, to }: TimeRange, cursor: string): string {
  return `${from?.toString(36) ?? ''}.${to.toString(36)}.${cursor}`;
}

/** @param range of a first page. @throws InputError for a text that is no cursor. */
export function pagePositionOf(text: string | undefined, range: () => TimeRange): PagePosition {
  if (text === undefined || text === '') return { range: range(), cursor: undefined };
  const [, from = '', to = '', cursor = ''] = /^([0-9a-z]{0,11})\.([0-9a-z]{1,11})\.(.+)$/s.exec(text) ?? [];
  if (cursor === '') throw noCursor();
  return { range: { from: from === '' ? undefined : Number.parseInt(from, 36), to: Number.parseInt(to, 36) }, cursor };
}

export function noCursor(): InputError {
  return new InputError('cursor', 'takes the cursor of the answer before, unchanged, beside the same arguments');
}
