import { GatelogError } from '../model/errors.ts';
import type { Reading } from '../query/alerts/families.ts';
import type { AlertRow } from '../query/alerts/rows.ts';
import { batchesOf, type Samples } from '../query/alerts/statement.ts';
import type { RunStatement } from '../store/read/run-statement.ts';

/** What was measured for a reading, or why nothing was. */
export type Measurement = { readonly samples: Samples; readonly isCut: boolean } | { readonly error: unknown };

/** How long measuring may take, so that the rules of one organisation delay those of others by no more. */
export interface Turn {
  readonly signal: AbortSignal;
  readonly maxMs: number;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonic: () => number;
}

/**
 * Measures readings of one tenant with few statements, those that search texts last. A statement that fails for what it asks is asked again
 * reading by reading, so that one rule's fault is no other's. What is not measured when the turn ends has failed.
 */
export async function measureAll(run: RunStatement, readings: readonly Reading[], turn: Turn): Promise<readonly Measurement[]> {
  const endsAt = turn.monotonic() + turn.maxMs;
  return measureUntil(run, readings, { ...turn, endsAt });
}

type LimitedTurn = Turn & { readonly endsAt: number };

async function measureUntil(run: RunStatement, readings: readonly Reading[], turn: LimitedTurn): Promise<readonly Measurement[]> {
  const measured: Measurement[] = readings.map(() => ({ error: tooSlow(turn) }));
  for (const { indexes, statement, samplesOf, isCut } of batchesOf(readings)) {
    const leftMs = turn.endsAt - turn.monotonic();
    if (leftMs <= 0) break;
    const ending = AbortSignal.timeout(Math.ceil(leftMs));
    try {
      const rows = await run<AlertRow>(statement, AbortSignal.any([turn.signal, ending]));
      for (const [index, samples] of samplesOf(rows)) measured[index] = { samples, isCut: isCut(rows) };
    } catch (error) {
      turn.signal.throwIfAborted();
      if (ending.aborted) break;
      const isFinal = indexes.length === 1 || isAway(error);
      const alone = indexes.map((index) => readings[index]);
      const parts = isFinal ? undefined : await eachAlone(run, alone, turn);
      for (const [at, index] of indexes.entries()) measured[index] = parts?.[at] ?? { error };
    }
  }
  return measured;
}

function tooSlow({ maxMs }: Turn): GatelogError {
  const sentence =
    `The rules of the organisation took more than ${maxMs / 1000} s to evaluate, and this one was not reached. ` +
    'Rules that search texts take longest: filter by a property, a user or a model in place of a text, or group one rule in place of many.';
  return new GatelogError('query_too_large', sentence);
}

/** A reading alone would fail as well. */
function isAway(error: unknown): boolean {
  return error instanceof GatelogError && (error.code === 'store_unavailable' || error.code === 'service_busy');
}

async function eachAlone(
  run: RunStatement,
  readings: readonly (Reading | undefined)[],
  turn: LimitedTurn,
): Promise<readonly Measurement[]> {
  const measured: Measurement[] = [];
  for (const reading of readings) {
    const [alone] = reading === undefined ? [] : await measureUntil(run, [reading], turn);
    measured.push(alone ?? { error: tooSlow(turn) });
  }
  return measured;
}
