import type { Observe } from '../../model/observation.ts';
import type { UsageCompletion } from '../../model/record/usage-completion.ts';
import type { InterpretedExchange } from '../worker/record-builder.ts';
import type { TrackedExchange } from '../series/exchange.ts';
import type { BudgetSettlement } from '../interpret/settlement.ts';
import type { Failure, StorableRow } from './insert.ts';

export interface InterpretedBatch {
  readonly rows: StorableRow[];
  /** Why there is no row, by index in the batch. */
  readonly failures: Map<number, Failure>;
  /** Exchanges that erasures remove, with the numbers of the erasures. */
  readonly erased: Map<TrackedExchange, number>;
  /** Logged calls that are not stored: another record has their identifier, or they were never acknowledged. */
  readonly repeated: Set<TrackedExchange>;
  readonly settlements: BudgetSettlement[];
  /** Usage from reads of finished responses. */
  readonly completions: UsageCompletion[];
  /** Keys (`responseKeyOf`) of responses whose usage a later read may bring. */
  readonly awaited: Set<string>;
  readonly redactionFailures: Map<TrackedExchange, string>;
  readonly threatCheckFailures: Map<TrackedExchange, string>;
}

/**
 * Sorts the results of a batch, which are in the order of its exchanges. @param repeated indexes of logged calls that are not stored.
 * @throws when this process was short of a resource.
 */
export function partitionResults(
  exchanges: readonly TrackedExchange[],
  results: readonly InterpretedExchange[],
  repeated: ReadonlySet<number>,
): InterpretedBatch {
  const partition: InterpretedBatch = {
    rows: [],
    failures: new Map(),
    erased: new Map(),
    repeated: new Set(),
    settlements: [],
    completions: [],
    awaited: new Set(),
    redactionFailures: new Map(),
    threatCheckFailures: new Map(),
  };
  for (const [index, exchange] of exchanges.entries()) {
    const result = results[index] ?? { failure: 'the interpreter said nothing of it' };
    if ('shortage' in result) throw new Error(result.shortage);
    if ('failure' in result) {
      partition.failures.set(index, { cause: 'not_interpreted', reason: result.failure });
      continue;
    }
    if ('unacknowledged' in result || repeated.has(index)) {
      partition.repeated.add(exchange);
      continue;
    }
    if ('erasure' in result) partition.erased.set(exchange, result.erasure);
    else {
      partition.rows.push({ index, rows: result });
      if (result.completion !== undefined) partition.completions.push(result.completion);
      if (result.awaited !== undefined) partition.awaited.add(result.awaited);
      if (result.redactionFailure !== undefined) partition.redactionFailures.set(exchange, result.redactionFailure);
      if (result.threatCheckFailure !== undefined) partition.threatCheckFailures.set(exchange, result.threatCheckFailure);
    }
    if (result.settlement !== undefined) partition.settlements.push(result.settlement);
  }
  return partition;
}

export function observeLeftOut({ redactionFailures, threatCheckFailures }: InterpretedBatch, observe: Observe): void {
  for (const [{ requestId }, reason] of redactionFailures) observe({ kind: 'redaction_failed', requestId, reason });
  for (const [{ requestId }, reason] of threatCheckFailures) observe({ kind: 'threat_check_failed', requestId, reason });
}
