import { beforeEach, describe, expect, it } from 'vitest';
import type { CpuShares } from '../platform/cpu-shares.ts';
import { Burst } from './burst.ts';

describe('Burst', () => {
  let now: number;
  let shares: CpuShares | undefined;
  let burst: Burst;

  beforeEach(() => {
    now = 10_000;
    shares = { idle: 0.02, own: 0.1 };
    burst = new Burst({ mostMs: 5000, cpuShares: () => shares, clock: { now: () => now, monotonic: () => now } });
  });

  it('puts batches off while calls come fast and no core is idle', () => {
    expect(burst.putsOff(4000, 400)).toBe(true);
  });

  it('puts nothing off below 2,500 calls a second', () => {
    expect(burst.putsOff(999, 400)).toBe(false);
    expect(burst.putsOff(2499, 60_000)).toBe(false);
    expect(burst.putsOff(2500, 60_000)).toBe(true);
  });

  it('puts nothing off while a core is idle, nor before it knows', () => {
    shares = { idle: 0.2, own: 0.1 };
    expect(burst.putsOff(4000, 400)).toBe(false);
    shares = undefined;
    expect(burst.putsOff(4000, 400)).toBe(false);
  });

  it('puts nothing off when it is the ingest itself that keeps the cores busy', () => {
    shares = { idle: 0, own: 0.8 };
    expect(burst.putsOff(4000, 400)).toBe(false);
  });

  it('goes on through a moment of rest, and ends with the burst', () => {
    expect(burst.putsOff(4000, 400)).toBe(true);
    shares = { idle: 0.4, own: 0 };
    expect(burst.putsOff(4000, 800)).toBe(true);
    shares = { idle: 0.6, own: 0 };
    expect(burst.putsOff(4000, 1200)).toBe(false);
  });

  it('puts a burst off once and for a bounded time, until all that waited was taken', () => {
    expect(burst.putsOff(4000, 400)).toBe(true);
    now += 4999;
    expect(burst.putsOff(9000, 5400)).toBe(true);
    now += 1;
    expect(burst.putsOff(9000, 5400)).toBe(false);
    now += 60_000;
    expect(burst.putsOff(9000, 400)).toBe(false);
    burst.caughtUp();
    expect(burst.putsOff(9000, 400)).toBe(true);
  });

  it('puts nothing off when told so', () => {
    burst = new Burst({ mostMs: 0, cpuShares: () => shares, clock: { now: () => now, monotonic: () => now } });
    expect(burst.putsOff(9000, 400)).toBe(false);
  });
});
