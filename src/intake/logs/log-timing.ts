import type { LoggedCall } from '../../model/record/logged-call.ts';
import type { LogFields } from './log-fields.ts';

const earliestTime = Date.UTC(2015, 0, 1);
const dayMs = 86_400_000;
const maxElapsedMs = 30 * dayMs;

type Timing = Pick<LoggedCall, 'startedAt' | 'elapsedMs' | 'firstTokenMs'>;

/** Without times the call was now, and how long it took is not known. @param now Unix milliseconds. */
export function timingOf(log: LogFields, now: number): Timing {
  if (log.isAbsent('timing')) return { startedAt: now, elapsedMs: undefined, firstTokenMs: undefined };
  const timing = log.fields('timing', 'an object with `startTime` and `endTime`');
  const startedAt = timing.time('startTime');
  const elapsedMs = timing.time('endTime') - startedAt;
  if (startedAt < earliestTime) throw timing.fault('startTime', 'is before 2015; `seconds` are Unix seconds');
  if (startedAt > now + dayMs) throw timing.fault('startTime', 'is more than a day in the future; `seconds` are Unix seconds');
  if (elapsedMs < 0) throw timing.fault('endTime', 'is before the start');
  if (elapsedMs > maxElapsedMs) throw timing.fault('endTime', 'is more than 30 days after the start');
  return { startedAt, elapsedMs, firstTokenMs: firstTokenOf(timing) };
}

function firstTokenOf(timing: LogFields): number | undefined {
  if (timing.isAbsent('timeToFirstToken')) return undefined;
  return Math.round(timing.number('timeToFirstToken', 'a number of milliseconds since the start', 0, maxElapsedMs));
}
