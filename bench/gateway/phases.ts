import { jsonBody, streamResponseBytes } from '../load/canned-responses.ts';
import type { Candidate } from '../peers/candidate.ts';
import { chatBody } from './chat-call.ts';
import type { Load, LoadDriver, MeasuredLoad } from './load-driver.ts';
import type { BenchOptions } from './options.ts';

export const phaseNames = ['json-many', 'json-one', 'stream-one', 'stream-many'] as const;
/**
 * `many`: throughput at many connections; `one`: latency at one. At one connection the events of a stream are paced, else all are sent at
 * once.
 */
export type PhaseName = (typeof phaseNames)[number];

/** One phase, with the work that it left for later. */
export interface SettledPhaseResult extends MeasuredLoad {
  /** CPU of all the candidate's processes per response, in microseconds, with the warm-up and the work after the responses. */
  readonly allProcessesPerRequestMicros: number;
}

interface Phase {
  readonly body: string;
  readonly connections: (options: BenchOptions) => number;
  /** Share of `--seconds`. */
  readonly length: number;
  readonly minimumBodyBytes: number;
}

const streamPaceMs = 2;
const warmUpShare = 0.25;
const minimumFirstWarmUpMs = 3000;

const phases: Readonly<Record<PhaseName, Phase>> = {
  'json-many': {
    body: chatBody({}),
    connections: (options) => options.connections,
    length: 1,
    minimumBodyBytes: jsonBody.length,
  },
  'json-one': { body: chatBody({}), connections: () => 1, length: 1, minimumBodyBytes: jsonBody.length },
  'stream-one': {
    body: chatBody({ stream: true, order: ` [pace ${streamPaceMs} ms]` }),
    connections: () => 1,
    length: 0.5,
    minimumBodyBytes: streamResponseBytes,
  },
  'stream-many': {
    body: chatBody({ stream: true }),
    connections: (options) => options.connections,
    length: 0.5,
    minimumBodyBytes: streamResponseBytes,
  },
};

function loadOf(name: PhaseName, options: BenchOptions): Load {
  const { body, connections, length, minimumBodyBytes } = phases[name];
  return { body, connections: connections(options), durationMs: options.seconds * length * 1000, minimumBodyBytes };
}

/** Measures one phase, after a discarded warm-up. */
export async function measurePhase(
  driver: LoadDriver,
  candidate: Candidate,
  { name, options }: { readonly name: PhaseName; readonly options: BenchOptions },
): Promise<MeasuredLoad> {
  const load = loadOf(name, options);
  await driver.run(candidate, { ...load, durationMs: load.durationMs * warmUpShare });
  return driver.measure(candidate, load);
}

/** Loads a candidate with JSON calls and streams before any measurement. */
export async function warmUpWithAll(driver: LoadDriver, candidate: Candidate, options: BenchOptions): Promise<void> {
  for (const name of ['json-many', 'stream-many'] as const) {
    const load = loadOf(name, options);
    await driver.warmUp(candidate, { ...load, durationMs: Math.max(load.durationMs, minimumFirstWarmUpMs) });
  }
}
