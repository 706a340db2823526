import { setTimeout as wait } from 'node:timers/promises';
import type { DeadLetters } from './store.ts';

export interface DeadLetterQuotaPorts {
  readonly deadLetters: Pick<DeadLetters, 'usage'>;
  /** Max bytes of all letters. */
  readonly maxBytes: number;
  /** Max delay of the ingest by one letter, milliseconds. */
  readonly maxWaitMs: number;
}

/** Removes the oldest letters until all fit into `maxBytes`. Does not throw: it reports failures itself. */
export type EvictDeadLetters = (maxBytes: number) => Promise<void>;

/** Each eviction frees this share of the max in addition, and the next waits for as many new bytes, because it lists every letter. */
const spareShare = 16;

/**
 * Keeps dead letters within their max bytes as they arrive, so that a store that refuses every row does not fill the disk with them.
 *
 * Eviction starts at the first letter beyond the max and frees a sixteenth of it in addition. The ingest waits only for a bounded time:
 * the store has to remove rows of the evicted letters, and a replay, a backup or an erasure may run first. While eviction fails, letters
 * are kept beyond the max, as otherwise no record would be stored; it runs again after every further sixteenth and in the hourly cleanup.
 */
export class DeadLetterQuota {
  private readonly ports: DeadLetterQuotaPorts;
  private evict: EvictDeadLetters | undefined;
  private eviction: Promise<void> | undefined;
  private failedAtBytes = 0;

  constructor(ports: DeadLetterQuotaPorts) {
    this.ports = ports;
  }

  /** Nothing is removed until this is called. */
  onEvict(evict: EvictDeadLetters): void {
    this.evict = evict;
  }

  /** Call it after each letter: starts an eviction if needed and waits for it, at most `maxWaitMs`. */
  readonly enforce = async (): Promise<void> => {
    const { deadLetters: letters, maxBytes, maxWaitMs } = this.ports;
    const { bytes } = letters.usage();
    const spare = Math.floor(maxBytes / spareShare);
    if (bytes <= maxBytes) this.failedAtBytes = 0;
    if (this.evict === undefined || this.eviction !== undefined) return;
    if (bytes <= Math.max(maxBytes, this.failedAtBytes + spare)) return;
    this.failedAtBytes = bytes;
    this.eviction = this.evict(maxBytes - spare).finally(() => {
      this.eviction = undefined;
      if (letters.usage().bytes <= maxBytes) this.failedAtBytes = 0;
    });
    await Promise.race([this.eviction, wait(maxWaitMs, undefined, { ref: false })]);
  };
}
