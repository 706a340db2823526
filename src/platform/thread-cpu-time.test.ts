import { expect, it } from 'vitest';
import { threadTimeMs } from './thread-cpu-time.ts';

it.runIf(process.platform === 'linux')('grows while the thread works and not while it waits, because only Linux tells it', async () => {
  const before = threadTimeMs() ?? Number.NaN;
  let worked = before;
  for (let sum = 0; worked < before + 50; sum += 1) {
    if (sum % 100_000 === 0) worked = threadTimeMs() ?? Number.NaN;
  }
  expect(worked).toBeGreaterThanOrEqual(before + 50);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(pause, 0, 0, 300);
  expect(threadTimeMs()).toBeLessThan(worked + 200);
});
