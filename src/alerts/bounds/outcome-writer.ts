import type { Outbox } from '../../events/delivery/outbox.ts';
import { addDeliveries } from '../../events/log/add-deliveries.ts';
import { forgetGroups, type RuleChanges, writeRuleChanges } from '../stored/write.ts';
import type { EventsDatabase } from '../../events/database/database.ts';
import { Slices } from '../../platform/bounds/slices.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import type { Outcome } from '../evaluation/outcome.ts';

/** Rows of a transaction, unless one rule has more. */
const maxRows = 500;

export interface OutcomeWriterOptions {
  readonly events: EventsDatabase;
  readonly outbox: Pick<Outbox, 'wake'>;
  /** Unix milliseconds. */
  readonly at: number;
  /** These are on disk. */
  readonly written: (outcomes: readonly Outcome[]) => void;
}

/** Writes what becomes of rules, some rules in one transaction; what becomes of one is never in two. */
export class OutcomeWriter {
  private readonly options: OutcomeWriterOptions;
  private readonly slices = new Slices();
  private waiting: Outcome[] = [];
  private rows = 0;

  constructor(options: OutcomeWriterOptions) {
    this.options = options;
  }

  async add(outcome: Outcome): Promise<void> {
    const rows = outcome.deliveries.length + outcome.changes.reduce((sum, change) => sum + rowsOf(change), 0);
    if (this.rows + rows > maxRows) await this.flush();
    this.waiting.push(outcome);
    this.rows += rows;
    await this.slices.turn();
  }

  /** Writes what waits, the deliveries in the same transaction, and wakes the outbox for them. */
  async flush(): Promise<void> {
    const { events, outbox, at, written } = this.options;
    const outcomes = this.waiting;
    if (outcomes.length === 0) return;
    this.waiting = [];
    this.rows = 0;
    const deliveries = outcomes.flatMap((outcome) => outcome.deliveries);
    await inWriteTransaction(events, async (transaction) => {
      for (const { ruleId, changes, isForgotten } of outcomes) {
        if (isForgotten) await forgetGroups(transaction, ruleId);
        for (const change of changes) if (isAny(change)) await writeRuleChanges(transaction, change);
      }
      await addDeliveries(transaction, deliveries, at);
    });
    written(outcomes);
    if (deliveries.length > 0) outbox.wake(deliveries);
    await this.slices.turn();
  }
}

function rowsOf({ putGroups, removedGroups, incidents, history, windows }: RuleChanges): number {
  return [putGroups, removedGroups, incidents, history, windows].reduce((sum, { length }) => sum + length, 0);
}

function isAny(change: RuleChanges): boolean {
  return change.seen !== undefined || rowsOf(change) > 0;
}
