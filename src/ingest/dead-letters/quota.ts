import { setTimeout as wait } from 'node:timers/promises';
import type { DeadLetters } from './store.ts';

export interface LetterRoomPorts {
  readonly letters: Pick<DeadLetters, 'held'>;
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
  private readonly ports: LetterRoomPorts;
  private crowdOut: EvictDeadLetters | undefined;
  private running: Promise<void> | undefined;
  private triedAtBytes = 0;

  constructor(ports: LetterRoomPorts) {
    this.ports = ports;
  }

  /** Nothing is removed until this is called. */
  onEvict(crowdOut: EvictDeadLetters): void {
    this.crowdOut = crowdOut;
  }

  /** Call it after each letter: starts an eviction if needed and waits for it, at most `maxWaitMs`. */
  readonly make = async (): Promise<void> => {
    const { letters, maxBytes, maxWaitMs } = this.ports;
    const { bytes } = letters.held();
    const spare = Math.floor(maxBytes / spareShare);
    if (bytes <= maxBytes) this.triedAtBytes = 0;
    if (this.crowdOut === undefined || this.running !== undefined) return;
    if (bytes <= Math.max(maxBytes, this.triedAtBytes + spare)) return;
    this.triedAtBytes = bytes;
    this.running = this.crowdOut(maxBytes - spare).finally(() => {
      this.running = undefined;
      if (letters.held().bytes <= maxBytes) this.triedAtBytes = 0;
    });
    await Promise.race([this.running, wait(maxWaitMs, undefined, { ref: false })]);
  };
}
