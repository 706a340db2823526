import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { threadCpuClock } from './thread-cpu-time.ts';

const clock = threadCpuClock();
const pause = new Int32Array(new SharedArrayBuffer(4));

function work(ms: number): void {
  const start = performance.now();
  while (performance.now() - start < ms);
}

it('grows while the thread works, by less than a tick of the system, and not while it waits', () => {
  if (clock === undefined) throw new Error('this system has no such clock');
  const before = clock();
  const steps = Array.from({ length: 2000 }, () => {
    const start = clock();
    work(0.05);
    return clock() - start;
  });
  expect(Math.min(...steps)).toBeGreaterThan(0);
  // A clock that counts in ticks shows nothing for most of them.
  expect(steps.toSorted((left, right) => left - right)[1000]).toBeGreaterThan(0.01);
  expect(clock() - before).toBeGreaterThan(20);
  const rested = clock();
  Atomics.wait(pause, 0, 0, 300);
  expect(clock() - rested).toBeLessThan(100);
});

it('does not count the work of another thread', async () => {
  if (clock === undefined) throw new Error('this system has no such clock');
  const before = clock();
  const other = new Worker('const end = performance.now() + 500; while (performance.now() < end);', { eval: true });
  await new Promise((resolve) => other.once('exit', resolve));
  expect(clock() - before).toBeLessThan(400);
});

it('prints no warning that its source is experimental', async () => {
  const warnings: string[] = [];
  const note = ({ message }: Error): unknown => warnings.push(message);
  process.on('warning', note);
  threadCpuClock();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
