import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allIntervals, type Interval } from '../../model/vocabulary/metrics.ts';
import { makeInsertLines, openStoreRig, requestLine, type StoreRig, tenant } from '../../store/testing/store-harness.ts';
import { makeRunStatement } from '../../store/read/run-statement.ts';
import { metricsAnswer } from './answer.ts';
import type { Zone } from './buckets.ts';
import { textOf } from './cells.ts';
import { planMetrics } from './plan.ts';
import { type MetricsRow, metricsStatement } from './statement.ts';
import { startOf } from './testing/reference-metrics.ts';
import { zones } from './testing/same-metrics.ts';
import { testSeed } from '../../../test/support/test-length.ts';

const seed = testSeed();
const hourMs = 3_600_000;

/** Changes of clocks: Berlin, New York, Lord Howe (half an hour), São Paulo and Cairo (at midnight), Apia (a whole day left out),
 * St. John's. */
const changes = [
  '2026-03-29T01:00Z',
  '2026-10-25T01:00Z',
  '2026-03-08T07:00Z',
  '2026-11-01T06:00Z',
  '2026-04-04T15:00Z',
  '2026-10-03T15:30Z',
  '2018-11-04T03:00Z',
  '2026-04-23T22:00Z',
  '2011-12-30T10:00Z',
  '2026-03-08T05:30Z',
].map((text) => Date.parse(text));

/**
 * Until 2011 clocks in St. John's went back an hour one minute past midnight, on a Sunday about the first of November: that day, and November
 * of 2009, began twice, and either beginning is right.
 */
function hasTwoBeginnings(ms: number): boolean {
  const [date = ''] = new Date(ms).toISOString().split('T');
  const [year = '', month = '', day = ''] = date.split('-');
  if (year < '1987' || year > '2011') return false;
  return date.startsWith('2009-11') || (month === '10' && day > '23') || (month === '11' && day < '10');
}

let rig: StoreRig;
let times: readonly number[];

beforeAll(async () => {
  rig = await openStoreRig();
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
  const near = changes.flatMap((at) => Array.from({ length: 40 }, () => at + Math.floor((random() - 0.5) * 60 * hourMs)));
  // A part may have few months.
  const anywhere = Array.from({ length: 40 }, () => Math.floor(random() * Date.UTC(2090, 0, 1))).filter((ms) => !hasTwoBeginnings(ms));
  times = [...new Set([...near, ...anywhere, ...changes, ...changes.map((at) => at - 1)])];
  const lines = times.map((ms) => requestLine({ created_at: new Date(ms).toISOString().replace('T', ' ').slice(0, -1) }).line);
  await makeInsertLines(rig.connections)('requests', lines.join('\n'), 'times');
});
afterAll(async () => rig.close());

async function starts(interval: Interval, given: object): Promise<ReadonlyMap<number, number>> {
  const planned = planMetrics(tenant, { metrics: ['count'], interval, limit: 10_000, ...given }, allIntervals);
  if (!planned.ok) throw new Error(planned.fault.message);
  const run = makeRunStatement(rig.connections, { queryTimeoutMs: 30_000, queryMemoryBytes: 2 ** 28 });
  const { rows } = metricsAnswer(planned.value, await run<MetricsRow>(metricsStatement(planned.value)));
  return new Map(rows.map((row) => [Date.parse(textOf(row['time'])), Number((row['count'] as { text: string }).text)]));
}

function expected(interval: Interval, zone: Zone): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const ms of times) {
    const start = startOf(interval, ms, zone);
    counts.set(start, (counts.get(start) ?? 0) + 1);
  }
  return new Map([...counts].toSorted(([one], [other]) => one - other));
}

test('the store knows every time zone by the name that this program has for it', async () => {
  const known = new Set((await rig.run<{ time_zone: string }>('SELECT time_zone FROM system.time_zones')).map((row) => row.time_zone));
  // Younger than the store's own table; it may know them from the system.
  const younger = new Set(['America/Coyhaique']);
  expect(Intl.supportedValuesOf('timeZone').filter((name) => !known.has(name) && !younger.has(name))).toEqual([]);
});

describe(`buckets are those of the calendar (seed ${seed})`, () => {
  test.each([...zones, 'Africa/Cairo', 'Asia/Kolkata', 'America/St_Johns', 'UTC'])('in %s', async (name) => {
    for (const interval of allIntervals) {
      const zone: Zone = name === 'UTC' ? { kind: 'offset', minutes: 0 } : { kind: 'named', name };
      expect([interval, ...(await starts(interval, { timezone: name }))]).toEqual([interval, ...expected(interval, zone)]);
    }
  });

  test.each([
    [-11, -660],
    [5.75, 345],
    [330, 330],
  ])('at a distance of %s from UTC', async (timezoneDifference, minutes) => {
    for (const interval of allIntervals) {
      const counts = expected(interval, { kind: 'offset', minutes });
      expect([interval, ...(await starts(interval, { timezoneDifference }))]).toEqual([interval, ...counts]);
    }
  });
});
