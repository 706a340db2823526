import type { GapSummary } from '../load/stream-gaps.ts';
import { type CandidateName, startCandidate } from '../peers/candidate.ts';
import { chatBody } from './chat-call.ts';
import type { Load } from './load-driver.ts';
import { failuresOf, type PartContext, settle, withCandidates } from './part.ts';

export const streamCount = 256;
/** A gap is a stall when it is longer than the longest that the provider made in the same stream by this much: an event missed its turn. */
export const streamIntervalMs = 50;

export interface StreamsResult {
  readonly candidates: readonly { readonly candidate: CandidateName; readonly gaps: GapSummary }[];
  readonly failures: readonly string[];
}

const eventsPerStream = 40;
/** Less than any event with its stamp. */
const minEventBytes = 150;
const candidateNames: readonly CandidateName[] = ['direct', 'bare', 'gatelog'];

/** Many streams at once whose events say when they were sent: does anything between hold some of them up? */
export function measureStreams(context: PartContext): Promise<StreamsResult> {
  const { options, surroundings, driver, progress } = context;
  const load: Load = {
    body: chatBody({ stream: true, order: ` [pace ${streamIntervalMs} ms, ${eventsPerStream} stamped events]` }),
    connections: streamCount,
    durationMs: options.seconds * 2000,
    minimumBodyBytes: eventsPerStream * minEventBytes,
    watchesGaps: true,
  };
  return withCandidates(
    candidateNames.map((name) => () => startCandidate(name, surroundings)),
    async (candidates) => {
      const rows: { candidate: CandidateName; gaps: GapSummary }[] = [];
      const failures: string[] = [];
      for (const candidate of candidates) {
        await driver.warmUp(candidate, { ...load, durationMs: load.durationMs / 2 });
        await settle(context, candidates);
        const result = await driver.measure(candidate, load);
        failures.push(...failuresOf(`${candidate.name} ${streamCount} streams`, result));
        if (result.gaps === null) throw new Error('The load generator did not watch the gaps.');
        rows.push({ candidate: candidate.name, gaps: result.gaps });
        progress(`${candidate.name.padEnd(8)} ${result.gaps.streams} streams, longest gap ${result.gaps.maxSeenMs.toFixed(0)} ms`);
        await settle(context, candidates);
      }
      return { candidates: rows, failures };
    },
  );
}
