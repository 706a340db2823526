import { beforeEach, describe, expect, test } from 'vitest';
import type { OrganizationId } from '../../model/ids.ts';
import { atomicSeriesName } from '../../spool/import-series.ts';
import { newId } from '../testing/ingest-harness.ts';
import { ExchangeIndex, TrackedExchange } from '../series/exchange.ts';
import { oldestUnstored } from './ended-exchanges.ts';

const ours = newId();
const now = Date.UTC(2026, 3, 5, 12);
const end = { segment: 1, offset: 1 };
let inFlight: ExchangeIndex;
let streams = 0;
beforeEach(() => {
  inFlight = new ExchangeIndex();
});

interface Given {
  readonly openedAt: number;
  readonly organizationId?: OrganizationId;
  readonly series?: string;
  readonly hasEnded?: boolean;
}

function inSpool({ openedAt, organizationId = ours, series = '01764070000000-7', hasEnded = false }: Given): TrackedExchange {
  streams += 1;
  const names = { organizationId, requestId: newId(), openedAt, sessionId: '', userId: '', spanName: '' };
  const exchange = new TrackedExchange({ series, stream: streams, ...names });
  if (hasEnded) exchange.endsAt = end;
  inFlight.add(exchange);
  return exchange;
}

function oldest(maxWaitMs = 5000, catchUp: () => Promise<void> = () => Promise.resolve()): Promise<number | undefined> {
  return oldestUnstored({ catchUp, inFlight }, ours, { beforeMs: now, maxWaitMs }, new AbortController().signal);
}

describe('the oldest call that is not stored', () => {
  test('is the oldest open one that arrived before the time', async () => {
    inSpool({ openedAt: now - 30_000 });
    inSpool({ openedAt: now - 60_000 });
    inSpool({ openedAt: now });
    expect(await oldest()).toBe(now - 60_000);
  });

  test('is none without a call of the organisation before the time', async () => {
    inSpool({ openedAt: now });
    inSpool({ openedAt: now - 60_000, organizationId: newId() });
    expect(await oldest()).toBeUndefined();
  });

  test('is no import or replay, which arrived at any time, and none without a readable beginning', async () => {
    inSpool({ openedAt: now - 60_000, series: atomicSeriesName('import'), hasEnded: true });
    inSpool({ openedAt: now - 60_000, series: atomicSeriesName('replay'), hasEnded: true });
    inSpool({ openedAt: 0, hasEnded: true });
    expect(await oldest()).toBeUndefined();
  });

  test('is waited for once it has ended', async () => {
    const ended = inSpool({ openedAt: now - 60_000, hasEnded: true });
    inSpool({ openedAt: now - 10_000 });
    const answer = oldest();
    ended.settle('stored');
    inFlight.remove(ended);
    expect(await answer).toBe(now - 10_000);
  });

  test('is told when it is not stored in time', async () => {
    inSpool({ openedAt: now - 60_000, hasEnded: true });
    expect(await oldest(50)).toBe(now - 60_000);
  });

  test('may have arrived just now, and come into the spool a little later', async () => {
    const stored = inSpool({ openedAt: now - 500, hasEnded: true });
    inFlight.remove(stored);
    let reads = 0;
    const catchUp = (): Promise<void> => {
      reads += 1;
      if (reads === 2) inSpool({ openedAt: now - 1 });
      return Promise.resolve();
    };
    expect(await oldest(5000, catchUp)).toBe(now - 1);
  });
});
