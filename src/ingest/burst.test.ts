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

  /** So many come evenly within so many milliseconds, after nothing waited. */
  const come = (calls: number, ms: number): boolean => {
    burst.putsOff(0);
    now += ms;
    return burst.putsOff(calls);
  };

  it('puts batches off while calls come fast and no core is idle', () => {
    expect(come(4000, 400)).toBe(true);
  });

  it('puts nothing off below 2,500 calls a second, nor for a handful that come at once', () => {
    expect(come(999, 400)).toBe(false);
    expect(come(2499, 1000)).toBe(false);
    expect(come(100, 1)).toBe(false);
    expect(come(2500, 1000)).toBe(true);
  });

  it('counts from when calls began to come, however long nothing did', () => {
    now += 60_000;
    expect(come(1000, 400)).toBe(true);
  });

  it('puts nothing off after a pause of the whole machine, nor what is left over from one', () => {
    burst.took(0);
    now += 4000;
    expect(burst.putsOff(6000)).toBe(false);
    burst.took(5000);
    now += 600;
    expect(burst.putsOff(5900)).toBe(false);
    expect(burst.putsOff(6500)).toBe(true);
  });

  it('puts nothing off that waited already when the process began', () => {
    expect(burst.putsOff(9000)).toBe(false);
    now += 400;
    expect(burst.putsOff(9900)).toBe(false);
  });

  it('puts nothing off while a core is idle, nor before it knows', () => {
    shares = { idle: 0.2, own: 0.1 };
    expect(come(4000, 400)).toBe(false);
    shares = undefined;
    expect(come(4000, 400)).toBe(false);
  });

  it('puts nothing off when it is the ingest itself that keeps the cores busy', () => {
    shares = { idle: 0, own: 0.8 };
    expect(come(4000, 400)).toBe(false);
  });

  it('goes on through a moment of rest, and ends with the burst', () => {
    expect(come(4000, 400)).toBe(true);
    shares = { idle: 0.4, own: 0 };
    now += 400;
    expect(burst.putsOff(4000)).toBe(true);
    shares = { idle: 0.6, own: 0 };
    expect(burst.putsOff(4000)).toBe(false);
  });

  it('puts a burst off once and for a bounded time, until all that waited was taken', () => {
    expect(come(4000, 400)).toBe(true);
    now += 4999;
    expect(burst.putsOff(9000)).toBe(true);
    now += 1;
    expect(burst.putsOff(9000)).toBe(false);
    burst.took(4000);
    now += 400;
    expect(burst.putsOff(9000)).toBe(false);
    burst.took(0);
    now += 400;
    expect(burst.putsOff(5000)).toBe(true);
  });

  it('puts nothing off when told so', () => {
    burst = new Burst({ mostMs: 0, cpuShares: () => shares, clock: { now: () => now, monotonic: () => now } });
    expect(come(9000, 400)).toBe(false);
  });
});
