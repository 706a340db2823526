import { v7 } from 'uuid';

/** Our headers on a response that is not on record. */
export function unrecordedHeaders(elapsedMs: number): string[] {
  return ['svc-id', v7(), 'server-timing', serverTiming(elapsedMs)];
}

/**
 * Value of our `Server-Timing` header. A provider's own headers of that name pass beside it.
 * TRICKY: formatted by hand, because it is on every response: `toFixed`, or formatting a fraction, takes four times as long.
 * @param overheadMs time that the gateway spent on the call before sending it, as recorded.
 */
export function serverTiming(overheadMs: number): string {
  const micros = Math.round(overheadMs * 1000);
  const rest = micros % 1000;
  return `gatelog;dur=${(micros - rest) / 1000}.${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}`;
}
