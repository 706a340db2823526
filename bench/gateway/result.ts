import type { Machine } from '../measure/machine.ts';
import { spreadOf, type Spread } from '../measure/spread.ts';
import type { CandidateName } from '../peers/candidate.ts';
import type { CallsResult, RoundResult } from './calls.ts';
import type { MemoryResult } from './memory.ts';
import type { BenchOptions } from './options.ts';
import type { StreamsResult } from './streams.ts';
import type { SustainedResult } from './sustained.ts';
import type { WorkersResult } from './workers.ts';

/** All results of one run; a part that did not run is null. */
export interface BenchResult {
  readonly machine: Machine;
  readonly options: BenchOptions;
  readonly calls: CallsResult | null;
  readonly streams: StreamsResult | null;
  readonly sustained: SustainedResult | null;
  readonly workers: WorkersResult | null;
  readonly memory: MemoryResult | null;
}

/** A number of one candidate in one round; `direct` is the result of the direct calls in the same round. */
export type Measure = (result: RoundResult, direct: RoundResult) => number;

/** A measure of one candidate over the rounds, each round against its own direct calls. */
export function spreadOver({ rounds }: CallsResult, candidate: CandidateName, measure: Measure): Spread | null {
  const values = rounds.flatMap((round) => {
    const direct = rounds.find((other) => other.candidate === 'direct' && other.round === round.round);
    return round.candidate === candidate && direct !== undefined ? [measure(round, direct)] : [];
  });
  return spreadOf(values);
}

/** Median of one candidate divided by that of another; null without both. */
export function average(calls: CallsResult, candidates: readonly [CandidateName, CandidateName], measure: Measure): number | null {
  const [above, below] = candidates.map((candidate) => spreadOver(calls, candidate, measure));
  return above === null || above === undefined || below === null || below === undefined ? null : above.median / below.median;
}

/** What one candidate needs of what another needs, each round by itself: on a shared machine only what was measured together compares. */
export function ratioOver({ rounds }: CallsResult, candidates: readonly [CandidateName, CandidateName], measure: Measure): Spread | null {
  const values = rounds.flatMap((round) => {
    const others = rounds.filter((other) => other.round === round.round);
    const [direct, below] = ['direct', candidates[1]].map((name) => others.find(({ candidate }) => candidate === name));
    if (round.candidate !== candidates[0] || direct === undefined || below === undefined) return [];
    return [measure(round, direct) / measure(below, direct)];
  });
  return spreadOf(values);
}

/** The failures of all parts, as sentences. */
export function failuresIn({ calls, streams, sustained, workers, memory }: BenchResult): string[] {
  return [calls, streams, sustained, workers, memory].flatMap((part) => part?.failures ?? []);
}
