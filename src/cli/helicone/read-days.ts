import type { JsonObject } from '../../model/text.ts';
import { UnansweredCall } from './calls.ts';
import { firstSeconds, readWindow } from './read-window.ts';
import type { TimeWindow, UpstreamApi } from './upstream-api.ts';

/** Where a reading continues: the days before this one are done, and of this one all before `nextSeconds` has been read. */
export interface DayPosition {
  readonly daySeconds: number;
  readonly nextSeconds: number;
  /** The day is read for the second time. */
  readonly isCareful: boolean;
}

export type DayEvent =
  | { readonly kind: 'records'; readonly day: string; readonly records: readonly JsonObject[]; readonly next: DayPosition }
  /** The day is read again: what was counted of it so far does not count. */
  | { readonly kind: 'again'; readonly day: string; readonly next: DayPosition }
  /** The day is done; `counted` is what upstream counts on it, undefined when it does not say. */
  | { readonly kind: 'day'; readonly day: string; readonly counted: number | undefined; readonly next: DayPosition };

export interface DayOptions {
  readonly range: TimeWindow;
  readonly start: DayPosition;
  readonly pageSize: number;
  /** Records of this day that were read so far, in this run and the ones that it continues. */
  readonly readOn: (day: string) => number;
}

const secondsOfDay = 86_400;

function dayOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

/**
 * Reads a range day by day (UTC). After each day upstream's own count is compared with what its pages held, and a day that held less is read
 * once more with care: requests may arrive late, and upstream answers a failed query with an empty page.
 */
export async function* readDays(api: UpstreamApi, { range, start, pageSize, readOn }: DayOptions): AsyncGenerator<DayEvent> {
  let position = start;
  while (position.daySeconds < range.toSeconds) {
    const { daySeconds, isCareful } = position;
    const day = dayOf(daySeconds);
    const endSeconds = Math.min(range.toSeconds, (Math.floor(daySeconds / secondsOfDay) + 1) * secondsOfDay);
    const unread = { fromSeconds: position.nextSeconds, toSeconds: endSeconds };
    for await (const { records, nextSeconds } of readWindow(api, unread, { pageSize, isCareful })) {
      position = { daySeconds, nextSeconds, isCareful };
      yield { kind: 'records', day, records, next: position };
    }
    const counted = await countOf(api, { fromSeconds: daySeconds, toSeconds: endSeconds });
    if (!isCareful && counted !== undefined && counted > readOn(day)) {
      position = { daySeconds, nextSeconds: daySeconds, isCareful: true };
      yield { kind: 'again', day, next: position };
      continue;
    }
    const isEmpty = readOn(day) === 0 && !(counted !== undefined && counted > 0);
    const rest = { fromSeconds: endSeconds, toSeconds: range.toSeconds };
    const nextSeconds = isEmpty ? await nextDay(api, rest) : endSeconds;
    position = { daySeconds: nextSeconds, nextSeconds, isCareful: false };
    yield { kind: 'day', day, counted, next: position };
  }
}

/** Start of the next day with records; the next day at once when upstream contradicts itself or does not answer. */
async function nextDay(api: UpstreamApi, rest: TimeWindow): Promise<number> {
  try {
    const first = await firstSeconds(api, rest);
    if (first !== undefined) return Math.max(rest.fromSeconds, Math.floor(first / secondsOfDay) * secondsOfDay);
    return (await countOf(api, rest)) === 0 ? rest.toSeconds : rest.fromSeconds;
  } catch (error) {
    if (error instanceof UnansweredCall) return rest.fromSeconds;
    throw error;
  }
}

async function countOf(api: UpstreamApi, window: TimeWindow): Promise<number | undefined> {
  if (window.fromSeconds >= window.toSeconds) return 0;
  try {
    return await api.count(window);
  } catch (error) {
    if (error instanceof UnansweredCall) return undefined;
    throw error;
  }
}
