import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../platform/clock.ts';
import { DrainLoop } from './drain-loop.ts';

let steps = 0;
let isQuiet = false;

beforeEach(() => {
  vi.useFakeTimers();
  steps = 0;
  isQuiet = false;
});
afterEach(() => {
  vi.useRealTimers();
});

async function step(): Promise<boolean> {
  steps += 1;
  return false;
}

function startLoop(): DrainLoop {
  const loop = new DrainLoop({ step, isMidBatch: () => false, isQuiet: () => isQuiet, clock: systemClock, observe: () => undefined });
  loop.start();
  return loop;
}

async function stepsIn(ms: number): Promise<number> {
  const before = steps;
  await vi.advanceTimersByTimeAsync(ms);
  return steps - before;
}

it('looks less often while nothing has come for a while', async () => {
  const loop = startLoop();
  expect(await stepsIn(1000)).toBe(50);
  isQuiet = true;
  await stepsIn(20);
  expect(await stepsIn(1000)).toBe(10);
  isQuiet = false;
  await stepsIn(100);
  expect(await stepsIn(1000)).toBe(50);
  await loop.stop(1000);
});

it('a stop and a pause wait for no look', async () => {
  isQuiet = true;
  const loop = startLoop();
  await stepsIn(0);
  await expect(loop.whilePaused(async () => 'paused', 1000)).resolves.toBe('paused');
  await stepsIn(0);
  await loop.stop(1000);
  expect(vi.getTimerCount()).toBe(0);
});
