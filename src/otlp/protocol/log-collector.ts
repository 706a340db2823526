import { SpanFault, spanLimits } from '../received/limits.ts';
import type { DecodedLogs, LogRecord } from '../received/log-record.ts';

/** Collects the log records of one request. One that throws a `SpanFault` is rejected and the others go on. */
export class LogCollector {
  private readonly records: LogRecord[] = [];
  private readonly rejected: string[] = [];
  private beyond = 0;

  add(decode: () => LogRecord): void {
    if (this.records.length + this.rejected.length >= spanLimits.spans) {
      this.beyond += 1;
      return;
    }
    try {
      this.records.push(decode());
    } catch (error) {
      if (!(error instanceof SpanFault)) throw error;
      this.rejected.push(error.message);
    }
  }

  result(): DecodedLogs {
    return { records: this.records, rejected: this.rejected, beyond: this.beyond };
  }
}
