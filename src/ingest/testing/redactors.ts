import { systemClock } from '../../platform/clock.ts';
import { threadCpuClock, threadIdleTime } from '../../platform/thread-cpu-time.ts';
import { BoundedRedactor } from '../redaction/bounded.ts';

export const newRedactor = (): BoundedRedactor =>
  new BoundedRedactor({ monotonic: systemClock.monotonic, threadTime: threadCpuClock(), idleTime: threadIdleTime });
