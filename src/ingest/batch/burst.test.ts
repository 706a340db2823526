import { beforeEach, describe, expect, it } from 'vitest';
import type { CpuShares } from '../../platform/cpu-usage.ts';
import { BurstGate } from './burst.ts';

describe('Burst', () => {
  let now: number;
  let shares: CpuShares | undefined;
  let burst: BurstGate;

  beforeEach(() => {
    now = 10_000;
    shares = { idle: 0.02, own: 0.1 };
    burst = new BurstGate({ maxMs: 5000, cpuShares: () => shares, clock: { now: () => now, monotonic: () => now } });
  });

  /** So many come within so many milliseconds, after nothing waited for long. */
  const come = (calls: number, ms: number): boolean => {
    burst.onBatch(0);
    burst.defers(0);
    now += 60_000;
    burst.defers(0);
    now += ms;
    return burst.defers(calls);
  };

  /** So many come each second for so long, and are taken at once. */
  const comeFor = (seconds: number, perSecond: number): boolean[] =>
    Array.from({ length: seconds * 4 }, () => {
      now += 250;
      const defers = burst.defers(perSecond / 4);
      burst.onBatch(0);
      return defers;
    });

  it('puts batches off once 7,500 calls have come beyond 2,500 a second and no core is idle', () => {
    expect(come(7499, 1)).toBe(false);
    expect(come(7500, 1)).toBe(true);
    burst.onBatch(0);
    now += 3000;
    burst.defers(0);
    for (let second = 0; second < 60; second += 1) {
      now += 1000;
      expect(burst.defers(2500)).toBe(false);
      burst.onBatch(0);
    }
  });

  it('puts nothing off of what has come for minutes, and twice as much is a burst again', () => {
    shares = { idle: 0.2, own: 0.3 };
    comeFor(150, 6000);
    shares = { idle: 0.02, own: 0.3 };
    expect(comeFor(60, 6000)).not.toContain(true);
    expect(comeFor(3, 12_000)).toContain(true);
  });

  it('counts what batches have taken meanwhile', () => {
    expect(come(4000, 400)).toBe(false);
    burst.onBatch(0);
    now += 400;
    expect(burst.defers(4000)).toBe(false);
    burst.onBatch(1000);
    now += 400;
    expect([burst.defers(2499), burst.defers(2500)]).toEqual([false, true]);
  });

  it('puts nothing off after the whole machine stood still, however fast what it missed comes then', () => {
    expect(come(450, 300)).toBe(false);
    burst.onBatch(0);
    now += 4000;
    expect(burst.defers(6000)).toBe(false);
    burst.onBatch(1000);
    now += 400;
    expect(burst.defers(2000)).toBe(false);
  });

  it('puts nothing off that waited already when the process began', () => {
    expect(burst.defers(9000)).toBe(false);
    now += 400;
    expect(burst.defers(9900)).toBe(false);
  });

  it('puts nothing off while a core is idle, nor before it knows', () => {
    shares = { idle: 0.2, own: 0.1 };
    expect(come(9000, 400)).toBe(false);
    shares = undefined;
    expect(come(9000, 400)).toBe(false);
  });

  it('puts nothing off when it is the ingest itself that keeps the cores busy', () => {
    shares = { idle: 0, own: 0.8 };
    expect(come(9000, 400)).toBe(false);
  });

  it('goes on through a moment of rest, and ends with the burst', () => {
    expect(come(9000, 400)).toBe(true);
    shares = { idle: 0.4, own: 0 };
    now += 400;
    expect(burst.defers(9000)).toBe(true);
    shares = { idle: 0.6, own: 0 };
    expect(burst.defers(9000)).toBe(false);
  });

  it('is over when few come for a while, unless so many wait that no more are read, and begins again only when all were taken', () => {
    expect(come(7500, 1)).toBe(true);
    now += 900;
    expect(burst.defers(7500)).toBe(true);
    now += 1100;
    expect(burst.defers(7500)).toBe(true);
    burst.onBatch(2500);
    now += 10;
    expect(burst.defers(2600)).toBe(false);
    now += 10;
    expect(burst.defers(9900)).toBe(false);
    burst.onBatch(0);
    expect(come(7500, 1)).toBe(true);
  });

  it('puts a burst off for a bounded time, until all that waited was taken', () => {
    expect(come(9000, 400)).toBe(true);
    now += 4999;
    expect(burst.defers(9000)).toBe(true);
    now += 1;
    expect(burst.defers(9000)).toBe(false);
    burst.onBatch(4000);
    now += 400;
    expect(burst.defers(9000)).toBe(false);
    burst.onBatch(0);
    now += 400;
    expect(burst.defers(9000)).toBe(true);
  });

  it('puts nothing off when told so', () => {
    burst = new BurstGate({ maxMs: 0, cpuShares: () => shares, clock: { now: () => now, monotonic: () => now } });
    expect(come(9000, 400)).toBe(false);
  });
});
