import type { Attributes, AttributeValue } from './span.ts';

/** A log record, as far as it may tell what a call of a model said. */
export interface LogRecord {
  /** 32 lower-case hexadecimal digits; anything else: it belongs to no trace. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits; anything else: it belongs to no span. */
  readonly spanId: string;
  /** Unix milliseconds with a fraction, as several are said within one; 0: not said. */
  readonly atMs: number;
  /** Empty: an attribute may have it. */
  readonly eventName: string;
  readonly body: AttributeValue;
  readonly attributes: Attributes;
}

/** Log records of a request, and why others of it were not read. */
export interface DecodedLogs {
  readonly records: readonly LogRecord[];
  readonly rejected: readonly string[];
  /** Records behind the most that a request has: they are counted and not read. */
  readonly beyond: number;
}
