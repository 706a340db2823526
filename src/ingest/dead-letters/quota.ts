import { setTimeout as wait } from 'node:timers/promises';
import type { DeadLetters } from './store.ts';

export interface LetterRoomPorts {
  readonly letters: Pick<DeadLetters, 'held'>;
  /** Bytes that all letters together may have. */
  readonly maxBytes: number;
  /** How long a letter may hold the ingest up, milliseconds. */
  readonly maxWaitMs: number;
}

/** Removes the oldest letters while all together have more bytes than they may. It does not throw: what fails it observes itself. */
export type EvictDeadLetters = (maxBytes: number) => Promise<void>;

/** More room is made than is wanted, and tried for no oftener than so many letters' bytes come: each time looks at every letter. */
const spareShare = 16;

/**
 * Keeps dead letters within their bytes while they come, so that a store that refuses every row does not fill the disk with them.
 *
 * What is over the limit by one letter goes at once, with a sixteenth of the limit more. The ingest waits for that, but not for long: the store has to
 * remove what it has taken of the letters, and a replay, a backup or an erasure may go before it. While nothing can be removed letters are kept all the
 * same, as else no record would be stored, and room is tried for again after every further sixteenth, and by whoever looks at them every hour.
 */
export class DeadLetterQuota {
  private readonly ports: LetterRoomPorts;
  private crowdOut: EvictDeadLetters | undefined;
  private running: Promise<void> | undefined;
  private triedAtBytes = 0;

  constructor(ports: LetterRoomPorts) {
    this.ports = ports;
  }

  /** Until this is said nothing is removed. */
  onEvict(crowdOut: EvictDeadLetters): void {
    this.crowdOut = crowdOut;
  }

  /** To be called after each letter: waits until all together are within their bytes, or until it has waited for long enough. */
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
