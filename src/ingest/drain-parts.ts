import type { Observe } from '../model/observation.ts';
import type { CheckpointFile } from '../spool/checkpoint.ts';
import type { Store } from '../store/store.ts';
import type { InterpretParts } from './batch/batch-record-builder.ts';
import type { BatchLimits } from './batch/batch.ts';
import type { EarlierTexts } from './batch/earlier-texts.ts';
import type { BurstGate } from './batch/burst.ts';
import type { StoredOrder } from './batch/stored-order.ts';
import type { PendingChanges } from './changes/pending.ts';
import type { CompleteUsage } from './completions/complete-usage.ts';
import type { DeadLetterQuota } from './dead-letters/quota.ts';
import type { DeadLetters } from './dead-letters/store.ts';
import type { SettleBudgets } from './interpret/settlement.ts';
import type { StoredParts } from './record-stored.ts';
import type { CallsOnce } from './once/calls-once.ts';

/** Other rooms, and parts of this one, as the drain uses them. */
export interface DrainParts extends Pick<Store, 'insert' | 'findRows' | 'insertsByMonth'>, InterpretParts, StoredParts {
  /** The spool's identity: part of every deduplication token. */
  readonly spoolId: string;
  readonly checkpoint: CheckpointFile;
  readonly pendingChanges: PendingChanges;
  readonly deadLetters: Pick<DeadLetters, 'keep'>;
  readonly deadLetterQuota: Pick<DeadLetterQuota, 'enforce'>;
  readonly settleBudgets: SettleBudgets;
  readonly completeUsage: CompleteUsage;
  readonly callsOnce: Pick<CallsOnce, 'resolve' | 'hasSpans'>;
  readonly limits: BatchLimits;
  /** Max frames whose locations are held in memory, about 100 bytes each; an exchange counts as eight more. */
  readonly maxKnown: number;
  /** Longest time between two batches while exchanges wait, milliseconds. */
  readonly intervalMs: number;
  readonly burst: BurstGate;
  readonly storedOrder: StoredOrder;
  readonly earlierTexts: Pick<EarlierTexts, 'mark'>;
  readonly observe: Observe;
}
