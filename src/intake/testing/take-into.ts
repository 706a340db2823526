import type { TakeLog } from '../../model/record/sent-log.ts';
import { systemClock } from '../../platform/clock.ts';
import type { PositionedCallSpool } from '../../spool/busy-series.ts';
import type { SpoolWriter } from '../../spool/writer.ts';
import { makeLogCalls } from '../record/log-calls.ts';
import { readLog } from '../logs/read-log.ts';
import { makeTakeLog } from '../logs/take-log.ts';
import { openTo } from './open-to.ts';

/** Takes logs into a spool as a process does, without a thread for large ones. */
export function takeInto(spool: () => SpoolWriter): TakeLog {
  const positioned = (): PositionedCallSpool => ({ ...spool(), position: () => ({ segment: 0, offset: 0 }) });
  return (owner, sent) =>
    makeTakeLog({
      admit: async (admitted) => openTo(admitted),
      logCalls: makeLogCalls({
        spoolOf: positioned,
        lateSpool: positioned,
        hasSpoolSpace: () => true,
        claim: () => undefined,
        recordMaxBytes: 16 * 1024 * 1024,
        now: systemClock.now,
        observe: () => undefined,
      }),
      readLarge: async (_organizationId, body, told) => readLog(body, told),
      now: systemClock.now,
    })(owner, sent);
}
