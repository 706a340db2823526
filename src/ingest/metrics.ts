import type { MetricFamily, Meter } from '../platform/metrics/meter.ts';
import type { DeadLetterUsage } from './dead-letters/store.ts';
import type { Drain } from './drain.ts';

const visibleDelay: MetricFamily = {
  name: 'gatelog_visible_delay_seconds',
  kind: 'histogram',
  help: 'From the end of an exchange until it could be queried.',
  bounds: [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 20, 30, 60, 300, 3600],
};
const waiting: MetricFamily = {
  name: 'gatelog_spool_exchanges_waiting',
  kind: 'gauge',
  help: 'Exchanges that have ended and that the store does not have yet, as far as the spool was read.',
};
const oldest: MetricFamily = {
  name: 'gatelog_spool_oldest_waiting_seconds',
  kind: 'gauge',
  help: 'How long ago the oldest of them has ended; 0 while none waits.',
};
const oldestAt: MetricFamily = {
  name: 'gatelog_spool_oldest_waiting_timestamp_seconds',
  kind: 'gauge',
  help: 'When the oldest of them has ended, in Unix seconds; absent while none waits.',
};
const open: MetricFamily = {
  name: 'gatelog_spool_exchanges_open',
  kind: 'gauge',
  help: 'Exchanges that the ingest knows and that the store does not have, ended or not.',
};
const draining: MetricFamily = {
  name: 'gatelog_ingest_draining',
  kind: 'gauge',
  help: '1 while batches are being stored, 0 while they are not.',
};

const letters: MetricFamily = { name: 'gatelog_dead_letters_kept', kind: 'gauge', help: 'Dead letters that there are now.' };
const letterBytes: MetricFamily = { name: 'gatelog_dead_letter_bytes', kind: 'gauge', help: 'Bytes of all dead letters.' };
const letterMaxBytes: MetricFamily = {
  name: 'gatelog_dead_letter_max_bytes',
  kind: 'gauge',
  help: 'Bytes at which the oldest dead letters go (GATELOG_DEAD_LETTER_MAX_BYTES).',
};

const listAge: MetricFamily = {
  name: 'gatelog_price_list_age_seconds',
  kind: 'gauge',
  help: 'Age of the public price list that came with this version.',
};
const callsToday: MetricFamily = {
  name: 'gatelog_calls_today',
  kind: 'gauge',
  help: 'Calls with tokens, seconds of a recording or a cost that were stored since midnight (UTC), by whether their cost is known.',
  labels: { cost: ['known', 'unknown'] },
};

export const ingestFamilies: readonly MetricFamily[] = [
  listAge,
  callsToday,
  visibleDelay,
  waiting,
  oldest,
  oldestAt,
  open,
  draining,
  letters,
  letterBytes,
  letterMaxBytes,
];

/** @param delayMs since the record's exchange ended. */
export function countVisible(meter: Meter, delayMs: number): void {
  // The clock may have been set back meanwhile.
  meter.record(visibleDelay, [], Math.max(0, delayMs) / 1000);
}

/** Reads the state of the ingest. @param now Unix milliseconds. */
export function readDrain(
  meter: Meter,
  drain: Pick<Drain, 'waitingCount' | 'oldestWaitingMs' | 'isDraining'> & { readonly inFlight: Pick<Drain['inFlight'], 'size'> },
  now: number,
): void {
  const [count, oldestMs] = [drain.waitingCount(), drain.oldestWaitingMs(now)];
  meter.set(waiting, [], count);
  meter.set(oldest, [], oldestMs / 1000);
  meter.set(oldestAt, [], count === 0 ? Number.NaN : (now - oldestMs) / 1000);
  meter.set(open, [], drain.inFlight.size);
  meter.set(draining, [], drain.isDraining() ? 1 : 0);
}

export function recordDeadLetters(meter: Meter, usage: DeadLetterUsage, maxBytes: number): void {
  meter.set(letters, [], usage.letters);
  meter.set(letterBytes, [], usage.bytes);
  meter.set(letterMaxBytes, [], maxBytes);
}

/** @param published day (UTC) of the list. @param now Unix milliseconds. */
export function recordPrices(
  meter: Meter,
  {
    published,
    today,
    now,
  }: { readonly published: string; readonly today: { readonly known: number; readonly unknown: number }; readonly now: number },
): void {
  meter.set(listAge, [], Math.max(0, now - Date.parse(published)) / 1000);
  meter.set(callsToday, ['known'], today.known);
  meter.set(callsToday, ['unknown'], today.unknown);
}
