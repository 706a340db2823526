/**
 * Value of our `Server-Timing` line: the milliseconds that this gateway spent on the call before it went out, as its record has them. A provider's
 * own lines of that name pass beside it.
 * TRICKY: by hand, because it is on every reply: `toFixed`, or turning a fraction into text, takes four times as long.
 */
export function serverTiming(overheadMs: number): string {
  const micros = Math.round(overheadMs * 1000);
  const rest = micros % 1000;
  return `gatelog;dur=${(micros - rest) / 1000}.${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}`;
}
