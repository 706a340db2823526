import { numberOf } from '../received/span.ts';

const nanosecondsPerMs = 1e6;
const nanosecondDigits = 6;
const microsecondsPerMs = 1000;
/** Of 2³² nanoseconds. */
const [highMs, highNanoseconds] = [4294, 967_296];

/**
 * Milliseconds since 1970, with a fraction. TRICKY: a double has no room for the nanoseconds of today: divided, they may come out as the end of
 * the millisecond before.
 * @param low the lower 32 bits of nanoseconds. @param high those above.
 */
export function millisecondsOfBits(low: number, high: number): number {
  return high * highMs + (high * highNanoseconds + low) / nanosecondsPerMs;
}

/** The same of a time in JSON: digits, or a number, which has come in microseconds at best; 0 for anything else. */
export function millisecondsOfJson(nanoseconds: unknown): number {
  if (typeof nanoseconds === 'string' && /^\d{7,20}$/.test(nanoseconds)) {
    return Number(nanoseconds.slice(0, -nanosecondDigits)) + Number(nanoseconds.slice(-nanosecondDigits)) / nanosecondsPerMs;
  }
  return Math.round((numberOf(nanoseconds) ?? 0) / (nanosecondsPerMs / microsecondsPerMs)) / microsecondsPerMs;
}
