import { isDeepStrictEqual } from 'node:util';
import type { ChangesByExchange } from '../changes/pending.ts';
import { type GroupedBatch, groupBatch } from '../once/group-batch.ts';
import type { Clock } from '../../platform/clock.ts';
import { bisect } from '../worker/bisect.ts';
import type { Interpret, Interpretation } from '../worker/record-builder.ts';
import { type Batch, type FormedBatch, firstOf } from './batch.ts';
import { Prefetch } from './prefetch.ts';
import { type TaskParts, tasksOf } from './tasks.ts';

export interface InterpretParts extends TaskParts {
  readonly interpret: Interpret;
  readonly clock: Clock;
}

/** A batch with a result for each of its exchanges. Disposal returns the memory of its rows. */
export interface BatchInterpretation extends Disposable {
  readonly batch: Batch;
  readonly grouped: GroupedBatch;
  readonly results: Interpretation['results'];
}

/** Interprets batches, and the following one while the store takes the one before. */
export class BatchRecordBuilder {
  private readonly parts: InterpretParts;
  private readonly prefetch = new Prefetch();

  constructor(parts: InterpretParts) {
    this.parts = parts;
  }

  /**
   * Interprets as many exchanges of a formed batch as a batch may take in time and memory: what was interpreted is stored before what follows.
   * @returns a batch of the first exchanges, at least one.
   */
  async interpret(formed: Batch, changes: ChangesByExchange): Promise<BatchInterpretation> {
    const grouped = await groupBatch(formed.exchanges);
    const tasks = await tasksOf(formed.exchanges, { changes, isRepeated: false, joined: grouped.joined }, this.parts);
    const interpretation = (await this.prefetch.take(tasks)) ?? (await this.parts.interpret(tasks, this.parts.clock.now()));
    const { results } = interpretation;
    if (results.length === tasks.length) return interpreted(formed, grouped, interpretation);
    const batch = firstOf(formed, results.length);
    const own = await groupBatch(batch.exchanges);
    if (isDeepStrictEqual(own, groupsWithin(grouped, results.length))) return interpreted(batch, own, interpretation);
    // Their records have what spans of the same calls behind them tell, which stay in the spool.
    interpretation[Symbol.dispose]();
    return this.interpret(batch, changes);
  }

  /** Interprets a batch that the store may have already, so that its bounds stay. */
  async repeat(batch: Batch, changes: ChangesByExchange): Promise<BatchInterpretation> {
    const grouped = await groupBatch(batch.exchanges);
    const tasks = await tasksOf(batch.exchanges, { changes, isRepeated: true, joined: grouped.joined }, this.parts);
    return interpreted(batch, grouped, await bisect(this.parts.interpret, tasks, this.parts.clock.now()));
  }

  /** @param next the batch that very probably follows. */
  async lookAhead(next: FormedBatch): Promise<void> {
    const { joined } = await groupBatch(next.exchanges);
    const tasks = await tasksOf(next.exchanges, { changes: new Map(), isRepeated: false, joined }, this.parts);
    this.prefetch.begin(tasks, (all) => this.parts.interpret(all, this.parts.clock.now()));
  }
}

function interpreted(batch: Batch, grouped: GroupedBatch, interpretation: Interpretation): BatchInterpretation {
  return { batch, grouped, results: interpretation.results, [Symbol.dispose]: () => interpretation[Symbol.dispose]() };
}

/** What of the groups of a batch is of its first exchanges. */
function groupsWithin({ joined, leftOut }: GroupedBatch, count: number): GroupedBatch {
  return {
    joined: new Map([...joined].filter(([index]) => index < count)),
    leftOut: new Set([...leftOut].filter((index) => index < count)),
  };
}
