import { setTimeout as wait } from 'node:timers/promises';
import { makeBackoff } from '../../platform/backoff.ts';

/** A commit waits for the disk, so that ends are stored together, at most this often. */
const intervalMs = 50;
const endsOfCommit = 200;
const firstRetryMs = 250;
const maxRetryMs = 5000;

export interface EndWriterOptions<End> {
  readonly store: (ends: readonly End[]) => Promise<void>;
  readonly failed: (error: unknown) => void;
}

/** Stores ends of attempts, many in one commit. While the database fails, they wait in memory. */
export class EndWriter<End> {
  private readonly options: EndWriterOptions<End>;
  private readonly waitingEnds: End[] = [];
  private running: Promise<void> | undefined;
  private isEnding = false;

  constructor(options: EndWriterOptions<End>) {
    this.options = options;
  }

  /** Not stored yet. */
  get waiting(): number {
    return this.waitingEnds.length;
  }

  add(end: End): void {
    this.waitingEnds.push(end);
    this.running ??= this.run();
  }

  /** Stores what waits, once. The attempts of what cannot be stored are repeated after the next start. */
  async finish(): Promise<void> {
    this.isEnding = true;
    await this.running;
  }

  private async run(): Promise<void> {
    const backoff = makeBackoff(firstRetryMs, maxRetryMs);
    while (this.waitingEnds.length > 0) {
      const ends = this.waitingEnds.slice(0, endsOfCommit);
      try {
        await this.options.store(ends);
        this.waitingEnds.splice(0, ends.length);
        backoff.reset();
        if (!this.isEnding) await wait(intervalMs);
      } catch (error) {
        this.options.failed(error);
        if (this.isEnding) return;
        await wait(backoff.nextDelayMs());
      }
    }
    this.running = undefined;
  }
}
