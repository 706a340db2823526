import { setTimeout as wait } from 'node:timers/promises';
import type { Observe } from '../model/observation.ts';
import { failureText } from '../store/engine/failure.ts';
import type { IndexWords } from '../store/move/index-words.ts';
import type { MoveBodies } from '../store/move/move-bodies.ts';

export interface BodyMovePorts {
  readonly moveBodies: MoveBodies;
  readonly indexWords: IndexWords;
  /** Runs a chunk while no removal runs. */
  readonly exclusive: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly observe: Observe;
  readonly monotonic: () => number;
}

const retryMs = 60_000;
/** Calls and queries get the rest of the time. */
const workingShare = 0.5;
const minPauseMs = 5;
/** Until the last month may be dropped. */
const emptyPauseMs = 1000;
const reportMs = 30_000;

/** Moves stored bodies to their new order in the background. A failed chunk, as on a full disk, is tried again. */
export class BodyMove {
  private readonly ports: BodyMovePorts;
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(ports: BodyMovePorts) {
    this.ports = ports;
  }

  start(): void {
    this.running ??= this.moveBodies().then(() => this.indexWords());
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('the move of bodies is stopping'));
    await this.running;
  }

  private async moveBodies(): Promise<void> {
    const { moveBodies, observe, monotonic } = this.ports;
    const { signal } = this.stopping;
    if (moveBodies.state().isDone) return;
    const startedAt = monotonic();
    let reportedAt = startedAt;
    this.report('bodies_move_started');
    let wasDone = false;
    while (!signal.aborted) {
      let pauseMs: number;
      try {
        const began = monotonic();
        const moved = await this.ports.exclusive(() => moveBodies.step(signal));
        if (moved === undefined) return;
        const tookMs = monotonic() - began;
        pauseMs = moved === 0 ? emptyPauseMs : Math.max(minPauseMs, (tookMs * (1 - workingShare)) / workingShare);
        const { isDone, movedRows } = moveBodies.state();
        if (isDone && !wasDone) {
          observe({ kind: 'bodies_moved', requests: movedRows, seconds: Math.round((monotonic() - startedAt) / 1000) });
        }
        wasDone = isDone;
        if (!isDone && monotonic() - reportedAt >= reportMs) {
          this.report('bodies_moving');
          reportedAt = monotonic();
        }
      } catch (error) {
        if (signal.aborted) return;
        observe({ kind: 'bodies_move_failed', reason: failureText(error), retryInMs: retryMs });
        pauseMs = retryMs;
      }
      await wait(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Once all bodies are in their place. */
  private async indexWords(): Promise<void> {
    const { indexWords, observe, exclusive } = this.ports;
    const { signal } = this.stopping;
    while (!signal.aborted && !indexWords.state().isDone) {
      const { indexedMonths, months } = indexWords.state();
      observe({ kind: 'words_indexing', months: indexedMonths, total: months });
      try {
        const isLeft = await exclusive(() => indexWords.step(signal));
        if (!isLeft) observe({ kind: 'words_indexed', months, total: months });
      } catch (error) {
        if (signal.aborted) return;
        observe({ kind: 'words_index_failed', reason: failureText(error), retryInMs: retryMs });
        await wait(retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private report(kind: 'bodies_move_started' | 'bodies_moving'): void {
    const { movedRows, totalRows } = this.ports.moveBodies.state();
    this.ports.observe({ kind, moved: movedRows, total: totalRows });
  }
}
