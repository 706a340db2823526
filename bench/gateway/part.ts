import type { LoadResult } from '../load/load-job.ts';
import type { Candidate, Surroundings } from '../peers/candidate.ts';
import type { LoadDriver } from './load-driver.ts';
import type { BenchOptions } from './options.ts';
import { untilQuiet } from './quiet.ts';

/**
 * What a part of the benchmark works with. Each part starts its own candidates and ends them, so that no part inherits leftovers of
 * another.
 */
export interface PartContext {
  readonly options: BenchOptions;
  readonly surroundings: Surroundings;
  readonly driver: LoadDriver;
  readonly progress: (line: string) => void;
}

/** Waits until the candidates are idle, so that work left over from one does not slow the next. */
export async function settle(context: PartContext, candidates: readonly Candidate[]): Promise<void> {
  const isQuiet = await untilQuiet(candidates.map(({ rootPid }) => rootPid));
  if (!isQuiet) context.progress('a candidate is still at work after two minutes; going on');
}

/** Starts candidates one after the other, uses them, and ends them in any case. */
export async function withCandidates<Started extends Candidate, Result>(
  starts: readonly (() => Promise<Started>)[],
  use: (candidates: readonly Started[]) => Promise<Result>,
): Promise<Result> {
  const candidates: Started[] = [];
  try {
    for (const start of starts) candidates.push(await start());
    return await use(candidates);
  } finally {
    for (const candidate of candidates) await candidate.stop();
  }
}

/** The failures of a load as sentences; empty when every response was a complete 200. */
export function failuresOf(title: string, { errors, firstError }: LoadResult): string[] {
  return errors === 0 ? [] : [`${title}: ${errors} (first: ${firstError ?? 'unknown'})`];
}

/** Rotates a list, so that each round begins with another item. */
export function rotated<Item>(items: readonly Item[], by: number): Item[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
