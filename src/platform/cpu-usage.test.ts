import { expect, it } from 'vitest';
import { watchCpuShares } from './cpu-usage.ts';

/** Uses a core until the machine's counters, which move in steps of 10 ms, have moved. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

it('tells the share that this process used, once two looks lie apart', () => {
  let at = 0;
  const shares = watchCpuShares({ now: () => 0, monotonic: () => at });
  expect(shares()).toBeUndefined();
  work(200);
  at += 200;
  const seen = shares();
  expect(seen?.own).toBeGreaterThan(0);
  expect(seen?.idle).toBeGreaterThanOrEqual(0);
  expect(seen?.idle).toBeLessThan(1);
  at += 99;
  expect(shares()).toBe(seen);
});

it('knows nothing when its last look is long ago', () => {
  let at = 0;
  const shares = watchCpuShares({ now: () => 0, monotonic: () => at });
  shares();
  at += 2001;
  expect(shares()).toBeUndefined();
});
