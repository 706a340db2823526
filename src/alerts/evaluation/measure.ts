import { GatelogError } from '../../model/errors.ts';
import type { Reading } from '../../query/alerts/statement-groups.ts';
import type { AlertRow } from '../../query/alerts/rows.ts';
import { batchesOf, type Samples } from '../../query/alerts/statement.ts';
import type { RunStatement } from '../../store/read/run-statement.ts';

/** What was measured for a reading, or why nothing was. */
export type Measurement = { readonly samples: Samples; readonly isCut: boolean } | { readonly error: unknown };

/** How long measuring may take, so that the rules of one organisation delay those of others by no more. */
export interface Turn {
  readonly signal: AbortSignal;
  readonly maxMs: number;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonic: () => number;
}

/** Takes what was measured for a reading, before the next one is looked at: the samples of all are never in memory together. */
export type Take = (index: number, measurement: Measurement) => Promise<void>;

/** Bytes of the rows of one statement, which are in this process several times; the readings of a larger one are measured by themselves. */
const maxResultBytes = 16 * 1024 * 1024;

/**
 * Measures readings of one tenant with few statements, those that search texts last. A statement that fails for what it asks is asked again
 * reading by reading, so that one rule's fault is no other's. What is not measured when the turn ends has failed.
 */
export async function measureEach(run: RunStatement, readings: readonly Reading[], turn: Turn, take: Take): Promise<void> {
  const endsAt = turn.monotonic() + turn.maxMs;
  await measureUntil(run, readings, { ...turn, endsAt }, take);
}

type LimitedTurn = Turn & { readonly endsAt: number };

async function measureUntil(run: RunStatement, readings: readonly Reading[], turn: LimitedTurn, take: Take): Promise<void> {
  const left = new Set(readings.keys());
  const taken: Take = async (index, measurement) => {
    left.delete(index);
    await take(index, measurement);
  };
  for (const { indexes, statement, samplesOf, isCut } of batchesOf(readings)) {
    const leftMs = turn.endsAt - turn.monotonic();
    if (leftMs <= 0) break;
    const ending = AbortSignal.timeout(Math.ceil(leftMs));
    const found = await attempted(() =>
      // TRICKY: a signal does not end a statement of the embedded engine.
      run<AlertRow>(statement, AbortSignal.any([turn.signal, ending]), { maxResultBytes, timeoutMs: leftMs }),
    );
    if ('rows' in found) {
      const { rows } = found;
      for (const [index, samples] of samplesOf(rows)) await taken(index, { samples, isCut: isCut(rows) });
      continue;
    }
    turn.signal.throwIfAborted();
    if (ending.aborted) break;
    const isFinal = indexes.length === 1 || isAway(found.error);
    for (const index of indexes) {
      if (isFinal) await taken(index, found);
      else await measureUntil(run, readings.slice(index, index + 1), turn, (_, measurement) => taken(index, measurement));
    }
  }
  for (const index of left) await take(index, { error: tooSlow(turn) });
}

async function attempted<Row>(
  run: () => Promise<readonly Row[]>,
): Promise<{ readonly rows: readonly Row[] } | { readonly error: unknown }> {
  try {
    return { rows: await run() };
  } catch (error) {
    return { error };
  }
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
