import { setTimeout as wait } from 'node:timers/promises';
import { GatelogError } from '../model/errors.ts';
import { makeBackoff } from '../platform/backoff.ts';

/** How long a read waits for its turn or for the store. */
const maxAwayMs = 60_000;

export interface Patience {
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly monotonic: () => number;
}

/** Waits while the service is busy or the store away, for a while. */
export async function patiently<Rows>({ signal, monotonic }: Patience, read: () => Promise<Rows>): Promise<Rows> {
  const since = monotonic();
  const backoff = makeBackoff(100, 5000);
  for (;;) {
    signal.throwIfAborted();
    try {
      return await read();
    } catch (error) {
      const isAway = error instanceof GatelogError && (error.code === 'service_busy' || error.code === 'store_unavailable');
      if (!isAway || monotonic() - since > maxAwayMs) throw error;
      await wait(backoff.nextDelayMs(), undefined, { signal });
    }
  }
}
