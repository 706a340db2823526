import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Replicas } from './replicas.ts';

let alive: boolean[];
let caughtUp: number[];
let behind: Set<number>;
let replicas: Replicas;

beforeEach(() => {
  vi.useFakeTimers();
  alive = [true, true, true];
  caughtUp = [];
  behind = new Set();
  replicas = new Replicas({
    count: 3,
    ping: async (replica) => alive[replica] === true,
    catchUp: async (replica) => {
      if (behind.has(replica)) throw new Error('behind');
      caughtUp.push(replica);
    },
  });
});
afterEach(() => {
  replicas.close();
  vi.useRealTimers();
});

describe('of several replicas', () => {
  it('one is used, once it has caught up', async () => {
    expect(await Promise.all([replicas.ready(), replicas.ready()])).toEqual([0, 0]);
    expect(caughtUp).toEqual([0]);
  });

  it('the next one is used when one is away, and stays when that one is back', async () => {
    await replicas.ready();
    alive[0] = false;
    expect(replicas.leave(0)).toBe(true);
    expect(await replicas.ready()).toBe(1);
    expect(caughtUp).toEqual([0, 1]);
    alive[0] = true;
    await vi.advanceTimersByTimeAsync(2000);
    expect(await replicas.ready()).toBe(1);
    expect(replicas.leave(1)).toBe(true);
    expect(await replicas.ready()).toBe(2);
  });

  it('none that is away is taken, and the last one stays when all are', async () => {
    alive = [false, false, false];
    expect([replicas.leave(0), replicas.leave(1), replicas.leave(2)]).toEqual([true, true, false]);
    expect(replicas.current).toBe(2);
    alive[1] = true;
    await vi.advanceTimersByTimeAsync(2000);
    expect(replicas.leave(2)).toBe(true);
    expect(replicas.current).toBe(1);
  });

  it('a failure of one that is not used any more changes nothing', () => {
    replicas.leave(0);
    expect(replicas.leave(0)).toBe(true);
    expect(replicas.current).toBe(1);
  });

  it('one that is behind is not used, and is asked again', async () => {
    behind.add(0);
    await expect(replicas.ready()).rejects.toThrow('behind');
    behind.clear();
    expect(await replicas.ready()).toBe(0);
  });
});

it('a single server is used as it is', async () => {
  const single = new Replicas({ count: 1, ping: async () => false, catchUp: () => Promise.reject(new Error('is not asked')) });
  expect(await single.ready()).toBe(0);
  expect(single.leave(0)).toBe(false);
});
