import { expect, it } from 'vitest';
import { exposition } from '../platform/metrics/exposition.ts';
import { Meter } from '../platform/metrics/meter.ts';
import { ingestFamilies, readDrain } from './metrics.ts';

const now = Date.UTC(2026, 0, 31, 12);

/** What the page says of the oldest waiting exchange. */
function oldestShown(waiting: number, oldestMs: number): readonly string[] {
  const meter = new Meter(ingestFamilies);
  const drain = { waitingCount: () => waiting, oldestWaitingMs: () => oldestMs, isDraining: () => true, inFlight: { size: waiting } };
  readDrain(meter, drain, now);
  const page = exposition([{ process: 'core', families: meter.families, cells: meter.cells }]);
  return page.split('\n').filter((line) => line.startsWith('gatelog_spool_oldest'));
}

it('the oldest record that the store lacks has an age and a time; without one there is no time', () => {
  expect(oldestShown(2, 90_500)).toEqual([
    'gatelog_spool_oldest_waiting_seconds{process="core"} 90.5',
    `gatelog_spool_oldest_waiting_timestamp_seconds{process="core"} ${now / 1000 - 90.5}`,
  ]);
  expect(oldestShown(0, 0)).toEqual(['gatelog_spool_oldest_waiting_seconds{process="core"} 0']);
});
