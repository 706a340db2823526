import { expect, test } from 'vitest';
import { GatewayMeter } from '../gateway/observation/metrics.ts';
import { recordDeadLetters, recordPrices } from '../ingest/metrics.ts';
import { notePending } from '../events/delivery/metrics.ts';
import type { ProcessNumbers } from '../platform/metrics/exposition.ts';
import { type MetricFamily, Meter } from '../platform/metrics/meter.ts';
import { recordSpool } from '../spool/metrics.ts';
import { coreFamilies } from './core-metrics.ts';
import { healthFigures } from './health-figures.ts';
import { familiesOf } from './metric-families.ts';

const now = Date.UTC(2026, 0, 31, 12);

/** A meter whose gauges are all set. */
function meterOf(families: readonly MetricFamily[]): Meter {
  const meter = new Meter(families);
  for (const family of families) if (family.kind === 'gauge') meter.cells.fill(0, meter.startOf(family), meter.endOf(family));
  return meter;
}

const numbersOf = (process: string, { families, cells }: Meter): ProcessNumbers => ({ process, families, cells });

test('are those of all processes together', () => {
  const core = meterOf(coreFamilies);
  recordSpool(core, 5000, 10_000);
  recordDeadLetters(core, { letters: 3, bytes: 300 }, 1000);
  notePending(core, { pending: 7, overdueMs: 1500 });
  recordPrices(core, { published: '2026-01-01', today: { known: 8, unknown: 2 }, now });
  const workers = [0, 1].map(() => meterOf(familiesOf.gateway));
  for (const meter of workers) new GatewayMeter(meter).unrecorded('spool_full');
  const supervisor = meterOf(familiesOf.supervisor);
  const exits = supervisor.families.find(({ name }) => name === 'gatelog_process_exits_total');
  if (exits === undefined) throw new Error('the supervisor counts no exits');
  supervisor.add(exits, ['gateway'], 2);
  const numbers = [
    numbersOf('core', core),
    ...workers.map((meter, slot) => numbersOf(`gateway-${slot}`, meter)),
    numbersOf('supervisor', supervisor),
  ];
  expect(healthFigures(numbers, { freeBytes: 9, sizeBytes: 20, spareBytes: 4, remote: 'nfs' }, now)).toMatchObject({
    measured_at: '2026-01-31T12:00:00.000Z',
    spool: { bytes: 5000, max_bytes: 10_000, exchanges_waiting: 0 },
    ingest: { draining: false, failed_batches: 0 },
    unrecorded_calls: { spool_full: 2, write_failed: 0 },
    dead_letters: { kept: 3, bytes: 300, max_bytes: 1000, added: 0, removed: 0 },
    prices: { list_age_days: 30, calls_today: 10, unpriced_today: 2 },
    disk: { free_bytes: 9, size_bytes: 20, spare_bytes: 4, remote: 'nfs' },
    clock_jumps: 0,
    deliveries: { pending: 7, overdue_ms: 1500 },
    restarts: { gateway: 2, core: 0 },
  });
});

test('are null where nobody tells, never 0', () => {
  const core = meterOf(coreFamilies);
  notePending(core, { pending: Number.NaN, overdueMs: Number.NaN });
  expect(healthFigures([numbersOf('core', core)], undefined, now)).toMatchObject({
    unrecorded_calls: null,
    restarts: null,
    disk: null,
    deliveries: { pending: null, overdue_ms: null, behind_ms: 0 },
  });
});
