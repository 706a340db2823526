import { expect, it } from 'vitest';
import type { ServiceHealth } from '../../../src/client/types/dashboard.ts';
import { adviceOf } from './advice.ts';
import { sectionsOf } from './sections.ts';

const gib = 1024 ** 3;
const disk = { free_bytes: 50 * gib, size_bytes: 100 * gib, spare_bytes: gib / 4, remote: null };
const spool = { bytes: 100, max_bytes: 1000, exchanges_open: 0, exchanges_waiting: 0, oldest_waiting_ms: 0 };
const prices = { list: 'list 1', list_published: '2026-01-01', list_age_days: 10, calls_today: 1000, unpriced_today: 10 };
const calm: ServiceHealth = {
  status: 'ok',
  failing: [],
  degraded: [],
  measured_at: '2026-01-31T12:00:00.000Z',
  spool,
  ingest: { draining: true, failed_batches: 0 },
  unrecorded_calls: null,
  dead_letters: { kept: 0, bytes: 0, max_bytes: 1, added: 0, removed: 0 },
  prices,
  store: { damaged_parts: 0, lost_parts: 0, bodies_to_move: 0, statements_waiting: 0 },
  disk,
  clock_jumps: 0,
  deliveries: { pending: 0, overdue_ms: 0, behind_ms: 0 },
  restarts: null,
  history: {
    step_ms: 10_000,
    at: [],
    requests_per_second: [],
    visible_delay_p95_ms: [],
    gateway_latency_p95_ms: [],
    spool_bytes: [],
    memory_bytes: [],
  },
};

it('nothing is said of a service that is well', () => {
  expect(adviceOf(calm)).toEqual([]);
  expect(adviceOf({ ...calm, disk: null, prices: { ...prices, calls_today: 10, unpriced_today: 10 } })).toEqual([]);
});

it.each<readonly [string, Partial<ServiceHealth>, RegExp]>([
  ['a disk that fills', { disk: { ...disk, free_bytes: 9 * gib } }, /^The disk has .* left\. Enlarge it/],
  ['a file system of another machine', { disk: { ...disk, remote: 'nfs' } }, /type nfs\. Move it to a local disk/],
  ['a spool that fills', { spool: { ...spool, bytes: 900 } }, /^The spool is 90% full.*raise GATELOG_SPOOL_MAX_BYTES/],
  ['a clock that went ahead', { clock_jumps: 1 }, /^The clock .*Correct it/],
  ['an old price list', { prices: { ...prices, list_age_days: 90 } }, /^The public price list is 90 days old\. .*prices import/],
  [
    'calls without a price',
    { prices: { ...prices, unpriced_today: 100 } },
    /^10% of today's requests have no price\. gatelog report unpriced/,
  ],
])('what to do is said of %s', (_title, given, expected) => {
  const [text, ...others] = adviceOf({ ...calm, ...given });
  expect(text).toMatch(expected);
  expect(others).toEqual([]);
});

it('the figures of today say which calls they count and since when', () => {
  const section = sectionsOf(calm).find(({ title }) => title === 'Prices');
  expect(section?.about).toContain('stored since midnight (UTC)');
  expect(section?.facts[0]).toEqual(['Stored today', '1,000']);
});
