import type { JsonObject } from '../../model/text.ts';
import { CommandError } from '../base/dependencies.ts';
import { UnansweredCall } from './calls.ts';
import { textIn, timeIn } from './files/cells.ts';
import type { TimeWindow, UpstreamApi } from './upstream-api.ts';

export interface WindowOptions {
  readonly pageSize: number;
  /**
   * A careful reading takes short windows and reads every page to its empty end. A quick one takes a page with fewer records than asked for
   * as the last, which upstream disproves when it removes duplicates from a page.
   */
  readonly isCareful: boolean;
}

/** Records of a window that were not read before. */
export interface WindowPage {
  readonly records: readonly JsonObject[];
  /** All records before this second have been read. */
  readonly nextSeconds: number;
}

const carefulSpanSeconds = 3_600;
const minSpanSeconds = 60;
/** A window without a record and a second are read again while upstream counts more in them than its pages held. */
const maxReadings = 3;

/**
 * Reads a window by the time of its records, oldest first, so that arrivals do not shift pages: a page is used up to its last second, which
 * the next page begins with. Windows that upstream cannot answer are narrowed, and pages that are too long are made shorter.
 * @throws UnansweredCall when upstream does not answer even for a minute, CommandError when it does not sort or filter.
 */
export async function* readWindow(api: UpstreamApi, window: TimeWindow, options: WindowOptions): AsyncGenerator<WindowPage> {
  const { isCareful } = options;
  const maxSpan = isCareful ? carefulSpanSeconds : Number.POSITIVE_INFINITY;
  let { fromSeconds } = window;
  let span = maxSpan;
  let limit = options.pageSize;
  let emptyReadings = 0;
  while (fromSeconds < window.toSeconds) {
    const toSeconds = Math.min(window.toSeconds, fromSeconds + span);
    let records: readonly JsonObject[];
    try {
      records = await api.page({ fromSeconds, toSeconds, offset: 0, limit });
    } catch (error) {
      ({ span, limit } = smaller(error, { span: toSeconds - fromSeconds, limit }));
      continue;
    }
    checkPage(records, { fromSeconds, toSeconds });
    if (isCareful && records.length === 0 && emptyReadings < maxReadings && (await api.count({ fromSeconds, toSeconds })) > 0) {
      emptyReadings += 1;
      continue;
    }
    emptyReadings = 0;
    const lastSeconds = secondsOf(records.at(-1));
    const isWhole = isCareful ? records.length === 0 : records.length < limit;
    if (isWhole || lastSeconds === undefined) {
      yield { records: distinct(records), nextSeconds: toSeconds };
      fromSeconds = toSeconds;
    } else if (lastSeconds > fromSeconds) {
      const used = records.filter((record) => (secondsOf(record) ?? 0) < lastSeconds);
      yield { records: distinct(used), nextSeconds: lastSeconds };
      fromSeconds = lastSeconds;
    } else {
      yield* readSecond(api, fromSeconds, { pageSize: limit, isCareful });
      fromSeconds += 1;
    }
    span = Math.min(maxSpan, span * 4);
    limit = Math.min(options.pageSize, limit * 2);
  }
}

interface PageExtent {
  /** In seconds. */
  readonly span: number;
  readonly limit: number;
}

/** What to ask for after a failure. @throws the failure when less cannot be asked for. */
function smaller(error: unknown, { span, limit }: PageExtent): PageExtent {
  if (!(error instanceof UnansweredCall)) throw error;
  if (error.kind === 'too long' && limit > 1) return { span, limit: Math.ceil(limit / 4) };
  if (error.kind === 'away' || span <= minSpanSeconds) throw error;
  return { span: Math.max(minSpanSeconds, Math.ceil(span / 4)), limit };
}

/** Reads one second by offsets, as its records have no finer order that upstream filters by. */
async function* readSecond(api: UpstreamApi, seconds: number, { pageSize, isCareful }: WindowOptions): AsyncGenerator<WindowPage> {
  const window = { fromSeconds: seconds, toSeconds: seconds + 1 };
  const read = new Set<string>();
  for (let reading = 1; ; reading += 1) {
    for (let offset = 0; ; offset += pageSize) {
      const records = await api.page({ ...window, offset, limit: pageSize });
      checkPage(records, window);
      const added = distinct(records, read);
      if (added.length > 0) yield { records: added, nextSeconds: seconds };
      if (records.length === 0 || (!isCareful && records.length < pageSize)) break;
    }
    if (!isCareful || reading === maxReadings || (await api.count(window)) <= read.size) break;
  }
  yield { records: [], nextSeconds: seconds + 1 };
}

/** The first record from a second on; undefined when upstream gives none. @throws UnansweredCall */
export async function firstSeconds(api: UpstreamApi, window: TimeWindow): Promise<number | undefined> {
  if (window.fromSeconds >= window.toSeconds) return undefined;
  const records = await api.page({ ...window, offset: 0, limit: 1 });
  checkPage(records, window);
  return secondsOf(records[0]);
}

function secondsOf(record: JsonObject | undefined): number | undefined {
  const time = record === undefined ? null : timeIn(record, 'request_created_at');
  return time === null ? undefined : Math.floor(time / 1000);
}

/** Drops what was seen before. @param seen identifiers; this call adds to it. */
function distinct(records: readonly JsonObject[], seen = new Set<string>()): JsonObject[] {
  return records.filter((record) => {
    const id = textIn(record, 'request_id');
    if (id === null) return true;
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

/** Without these two a reading would be silently incomplete. */
function checkPage(records: readonly JsonObject[], { fromSeconds, toSeconds }: TimeWindow): void {
  let before = fromSeconds;
  for (const record of records) {
    const seconds = secondsOf(record);
    if (seconds === undefined) continue;
    if (seconds < fromSeconds || seconds >= toSeconds) {
      throw new CommandError(
        `What answers does not filter by time: asked for requests from ${isoOf(fromSeconds)} to ${isoOf(toSeconds)}, it gave one of ${isoOf(seconds)}. Export to files there and import those.`,
      );
    }
    if (seconds < before) {
      throw new CommandError(
        'What answers does not sort by time, so it cannot be read page by page. Export to files there and import those.',
      );
    }
    before = seconds;
  }
}

function isoOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
