import type { OrganizationId } from '../model/ids.ts';
import type { Observe } from '../model/observation.ts';
import type { Spend } from '../model/record/spend.ts';
import type { RedactionRule } from '../model/redaction-rule.ts';
import type { Clock } from '../platform/clock.ts';
import type { OrganizationPrices } from '../pricing/organization-prices.ts';
import type { CheckpointFile } from '../spool/checkpoint.ts';
import type { InsertRows } from '../store/insert/insert.ts';
import type { FindRows } from '../store/read/find-rows.ts';
import type { BatchLimits } from './batch/batch.ts';
import type { StoredOrder } from './batch/stored-order.ts';
import type { BurstGate } from './batch/burst.ts';
import type { CompleteUsage } from './completions/complete-usage.ts';
import type { CallsOnce } from './once/calls-once.ts';
import type { WriteDeadLetter } from './dead-letters/store.ts';
import type { ActiveErasures } from './erasures.ts';
import type { Interpret } from './worker/interpreter.ts';
import type { PendingChanges } from './changes/pending.ts';
import type { SettleBudgets } from './interpret/settlement.ts';

export interface HowCounted {
  /** A later read may bring its usage. */
  readonly isAwaited: boolean;
  /** The call was counted with this before; only what is more counts now. */
  readonly before?: Spend | undefined;
}

/** What the drain needs from the rest of the program. */
export interface DrainPorts {
  readonly spoolFolder: string;
  /** The spool's identity: part of every deduplication token. */
  readonly spoolId: string;
  readonly checkpoint: CheckpointFile;
  readonly interpret: Interpret;
  readonly insert: InsertRows;
  readonly findRows: FindRows;
  readonly pendingChanges: PendingChanges;
  /** Declared property names of one organisation, by lower-case name. */
  readonly declaredNames: (organizationId: OrganizationId) => Promise<ReadonlyMap<string, string>>;
  /** Redaction rules of one organisation; undefined when there are none. While they cannot be read nothing is stored. */
  readonly redactionRules: (organizationId: OrganizationId) => Promise<readonly RedactionRule[] | undefined>;
  /** Prices that one organisation has stored. Throws when they cannot be read and none are known. */
  readonly organizationPrices: (organizationId: OrganizationId) => OrganizationPrices;
  readonly keepDeadLetter: WriteDeadLetter;
  /** Call it after each letter; waits for eviction, for a bounded time. */
  readonly evictDeadLetters: () => Promise<void>;
  readonly settleBudgets: SettleBudgets;
  readonly completeUsage: CompleteUsage;
  readonly callsOnce: Pick<CallsOnce, 'resolve' | 'hasSpans'>;
  readonly erasures: ActiveErasures;
  readonly limits: BatchLimits;
  /** Max frames whose locations are held in memory, about 100 bytes each; an exchange counts as eight more. */
  readonly maxKnown: number;
  /** Longest time between two batches while exchanges wait, milliseconds. */
  readonly intervalMs: number;
  readonly burst: BurstGate;
  readonly storedOrder: StoredOrder;
  readonly clock: Clock;
  readonly observe: Observe;
  /** Called once a record can be queried. @param delayMs since its exchange ended. */
  readonly noteVisible: (delayMs: number) => void;
  /** Called once for each stored call, and for one that was stored before by another record. */
  readonly noteSpend: (organizationId: OrganizationId, spend: Spend, how: HowCounted) => void;
}
