import { afterEach, describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../test/support/seeded-random.ts';
import { defaultCallPolicy } from './calls.ts';
import { type DayEvent, readDays } from './read-days.ts';
import { type FakeHelicone, type FakeOptions, startFakeHelicone } from './testing/fake-helicone.ts';
import { type FakeRecord, makeRecords } from './testing/records.ts';
import { upstreamApi } from './upstream-api.ts';

const running: FakeHelicone[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((fake) => fake.close()));
});

interface Reading {
  readonly ids: readonly string[];
  readonly events: readonly DayEvent[];
  readonly fake: FakeHelicone;
  readonly waits: readonly string[];
}

/** Reads all days of a fake. A day that is read again counts with its last reading. */
async function read(options: FakeOptions, pageSize = 100): Promise<Reading> {
  const fake = await startFakeHelicone(options);
  running.push(fake);
  const waits: string[] = [];
  const api = upstreamApi({
    url: fake.url,
    key: fake.key,
    policy: { ...defaultCallPolicy, callsPerSecond: 100_000, firstDelayMs: 1, maxDelayMs: 4, onWait: (sentence) => waits.push(sentence) },
  });
  const range = { fromSeconds: Date.UTC(2026, 0, 1) / 1000, toSeconds: Date.UTC(2026, 5, 1) / 1000 };
  const byDay = new Map<string, string[]>();
  const events: DayEvent[] = [];
  const start = { daySeconds: range.fromSeconds, nextSeconds: range.fromSeconds, isCareful: false };
  for await (const event of readDays(api, { range, start, pageSize, readOn: (day) => byDay.get(day)?.length ?? 0 })) {
    events.push(event);
    if (event.kind === 'again') byDay.delete(event.day);
    if (event.kind !== 'records') continue;
    byDay.set(event.day, [...(byDay.get(event.day) ?? []), ...event.records.map((record) => String(record['request_id']).toLowerCase())]);
  }
  return { ids: [...byDay.values()].flat(), events, fake, waits };
}

function idsOf(records: readonly FakeRecord[]): string[] {
  return records.map(({ id }) => id).toSorted();
}

const records = makeRecords({ count: 1_000, seed: 1, firstDay: '2026-03-01', days: 4 });

describe('reading requests of upstream by time', () => {
  it('gives each request once, with few calls: two or three a day beside the pages', async () => {
    const { ids, fake } = await read({ records });
    expect(ids.toSorted()).toEqual(idsOf(records));
    expect(fake.calls().api).toBeLessThanOrEqual(10 + 4 * 3 + 12);
  });

  it('gives each request once when more of one second than a page holds came in, whose order is not fixed', async () => {
    const crowded = makeRecords({ count: 700, seed: 2, firstDay: '2026-03-01', days: 2, inOneSecond: 450 });
    expect((await read({ records: crowded })).ids.toSorted()).toEqual(idsOf(crowded));
  });

  it('reads a day again with care when its pages held less than upstream counts, as pages without their duplicates do', async () => {
    const { ids, events } = await read({ records, isDuplicated: ({ createdAt }) => createdAt % 3 === 0 });
    expect(ids.toSorted()).toEqual(idsOf(records));
    expect(events.some(({ kind }) => kind === 'again')).toBe(true);
  });

  it('does not take the empty page of a failed query for the end', async () => {
    const { ids } = await read({ records, faultOf: (call, path) => (call % 5 === 0 && path.endsWith('clickhouse') ? 'empty' : undefined) });
    expect(ids.toSorted()).toEqual(idsOf(records));
  });

  it('goes on when upstream counts more than it has, and tells what it counted', async () => {
    const { ids, events } = await read({ records, wrongCounts: { '2026-03-02': 5 } });
    expect(ids.toSorted()).toEqual(idsOf(records));
    const day = events.findLast(({ day: of, kind }) => of === '2026-03-02' && kind === 'day');
    expect(day).toMatchObject({ counted: records.filter(({ createdAt }) => new Date(createdAt).getUTCDate() === 2).length + 5 });
  });

  it('narrows the window of a query that upstream does not finish', async () => {
    let wide = 0;
    const { ids } = await read({
      records,
      faultOf: (call) => {
        if (call > 8) return undefined;
        wide += 1;
        return 'error';
      },
    });
    expect(wide).toBe(8);
    expect(ids.toSorted()).toEqual(idsOf(records));
  });

  it('repeats calls that were cut, refused for a while or limited, after the time that upstream names', async () => {
    const random = new SeededRandom(3);
    const faults = ['cut', 'unavailable', { retryAfterSeconds: 0 }, { slowMs: 5 }, 'error'] as const;
    const { ids } = await read({ records, faultOf: () => (random.below(3) === 0 ? random.of(faults) : undefined) }, 50);
    expect(ids.toSorted()).toEqual(idsOf(records));
  });

  it('waits as long as Retry-After says, and says so', async () => {
    const startedAt = performance.now();
    const { ids, waits } = await read({ records, faultOf: (call) => (call === 2 ? { retryAfterSeconds: 2 } : undefined) });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_990);
    expect(waits).toEqual([expect.stringContaining('status 429; waiting 2 s')]);
    expect(ids).toHaveLength(1_000);
  });

  it('does not ask for shorter windows when upstream refuses every call, and gives up', async () => {
    let calls = 0;
    const faultOf = () => {
      calls += 1;
      return { retryAfterSeconds: 0 };
    };
    await expect(read({ records, faultOf })).rejects.toThrow('status 429, 8 times');
    expect(calls).toBe(8);
  });

  it('gives up at once when nobody has ever answered at the address', async () => {
    const fake = await startFakeHelicone({ records });
    await fake.close();
    const policy = { ...defaultCallPolicy, onWait: () => undefined };
    const api = upstreamApi({ url: fake.url, key: fake.key, policy });
    await expect(api.count({ fromSeconds: 0, toSeconds: 1 })).rejects.toThrow(/^POST \/v1\/request\/count\/query: connect ECONNREFUSED/);
  });

  it.each([
    ['filter', 'does not filter by time'],
    ['sort', 'does not sort by time'],
  ] as const)('refuses an API that ignores the %s, whose reading would be incomplete in silence', async (ignores, sentence) => {
    await expect(read({ records, ignores })).rejects.toThrow(sentence);
  });
});
