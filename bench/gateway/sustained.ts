import { type Candidate, type GatelogCandidate, startCandidate, startGatelog } from '../peers/candidate.ts';
import { highestRate } from './highest-rate.ts';
import { chatLoad, type MeasuredLoad } from './load-driver.ts';
import { failuresOf, type PartContext, settle } from './part.ts';
import { type SpoolTrend, SpoolWatch, untilDrained } from './spool-watch.ts';
import { type VisibleDelay, VisibleDelayProbe } from './visible-delay.ts';

/** One long load, and what became of the spool meanwhile. */
export interface SustainedLoad {
  /** Null: as many as come, in a closed loop. */
  readonly askedPerSecond: number | null;
  /** Responses a second over the judged end of the load. */
  readonly repliesPerSecond: number;
  readonly cpuPerRequestMicros: number;
  readonly spool: SpoolTrend;
  /** From the end of the load until the spool was empty; null after more than five minutes. */
  readonly drainedAfterMs: number | null;
  readonly visible: VisibleDelay;
}

export interface SustainedResult {
  /** The pass-through's responses a second, before and after the loads. */
  readonly barePerSecond: readonly number[];
  readonly closedLoop: SustainedLoad;
  /** Rates tried because the ingest fell behind in a closed loop, in their order. */
  readonly steps: readonly SustainedLoad[];
  /** The load of the highest rate with which the ingest kept up; null when it kept up with no tried rate. */
  readonly sustained: SustainedLoad | null;
  readonly failures: readonly string[];
}

/** A load below this share of its target rate did not reach the rate. */
const reachedShare = 0.98;
const warmUpMs = 3000;

/** A long load at full rate with default settings: does the ingest keep up, and if not, at which rate does it? */
export async function measureSustained(context: PartContext): Promise<SustainedResult> {
  const { surroundings, options, driver } = context;
  const started: Candidate[] = [];
  try {
    const bare = await startCandidate('bare', surroundings);
    started.push(bare);
    const gatelog = await startGatelog(surroundings);
    started.push(gatelog);
    for (const candidate of started) await driver.warmUp(candidate, chatLoad(options.connections, warmUpMs));
    const run = new SustainedRun(context, gatelog);
    const before = await measureBare(context, bare, started);
    const closedLoop = await run.load({ askedPerSecond: null, seconds: options.sustainedSeconds });
    const steps = closedLoop.spool.keepsUp ? [] : await searchRate(run, closedLoop.repliesPerSecond, options.sustainedSeconds);
    const after = await measureBare(context, bare, started);
    return {
      barePerSecond: [before, after].map(({ requestsPerSecond }) => requestsPerSecond),
      closedLoop,
      steps,
      sustained: highestOf([closedLoop, ...steps].filter(isSustained)),
      failures: [...failuresOf('bare', before), ...run.failures, ...failuresOf('bare', after)],
    };
  } finally {
    for (const candidate of started) await candidate.stop();
  }
}

async function measureBare(context: PartContext, bare: Candidate, all: readonly Candidate[]): Promise<MeasuredLoad> {
  await settle(context, all);
  const { options, driver, progress } = context;
  const result = await driver.measure(bare, chatLoad(options.connections, options.seconds * 1000));
  progress(`bare  ${result.requestsPerSecond.toFixed(0)}/s`);
  return result;
}

/** Searches for that rate below the closed loop's. */
async function searchRate(run: SustainedRun, closedLoopPerSecond: number, seconds: number): Promise<SustainedLoad[]> {
  const steps: SustainedLoad[] = [];
  await highestRate(async (askedPerSecond) => {
    const load = await run.load({ askedPerSecond, seconds });
    steps.push(load);
    return isSustained(load);
  }, closedLoopPerSecond);
  return steps;
}

function isSustained({ askedPerSecond, repliesPerSecond, spool }: SustainedLoad): boolean {
  return spool.keepsUp && (askedPerSecond === null || repliesPerSecond >= askedPerSecond * reachedShare);
}

function highestOf(loads: readonly SustainedLoad[]): SustainedLoad | null {
  return loads.toSorted((left, right) => right.repliesPerSecond - left.repliesPerSecond)[0] ?? null;
}

/** Long loads on one Gatelog, each starting and ending with an empty spool. */
class SustainedRun {
  readonly failures: string[] = [];
  private readonly context: PartContext;
  private readonly gatelog: GatelogCandidate;

  constructor(context: PartContext, gatelog: GatelogCandidate) {
    this.context = context;
    this.gatelog = gatelog;
  }

  /** Only the second half of the load is judged: by then the ingest no longer defers batches for the burst. */
  async load({ askedPerSecond, seconds }: { readonly askedPerSecond: number | null; readonly seconds: number }): Promise<SustainedLoad> {
    const { driver, options, progress } = this.context;
    await untilDrained(this.gatelog);
    await settle(this.context, [this.gatelog]);
    const usual = chatLoad(options.connections, seconds * 1000);
    const watch = new SpoolWatch(this.gatelog);
    const probe = new VisibleDelayProbe(this.gatelog);
    const result = await driver.measure(this.gatelog, askedPerSecond === null ? usual : { ...usual, requestsPerSecond: askedPerSecond });
    const spool = watch.stop((seconds * 1000) / 2);
    const [drainedAfterMs, visible] = await Promise.all([untilDrained(this.gatelog), probe.stop()]);
    driver.countResponses(this.gatelog, visible.calls);
    const title = askedPerSecond === null ? 'closed loop' : `${askedPerSecond.toFixed(0)}/s asked`;
    this.failures.push(...failuresOf(`gatelog, ${title}`, result));
    if (visible.notFound > 0) this.failures.push(`gatelog, ${title}: ${visible.notFound} probing calls were not found by any query`);
    const repliesPerSecond = endRate(result.repliesEachSecond, seconds);
    progress(`gatelog  ${title}  ${repliesPerSecond.toFixed(0)}/s  ${spool.keepsUp ? 'keeps up' : 'falls behind'}`);
    return { askedPerSecond, repliesPerSecond, cpuPerRequestMicros: result.cpuPerRequestMicros, spool, drainedAfterMs, visible };
  }
}

/** Responses a second over the second half of a load. */
function endRate(repliesEachSecond: readonly number[], seconds: number): number {
  const [from, to] = [Math.floor(seconds / 2), Math.max(1, Math.floor(seconds))];
  return repliesEachSecond.slice(from, to).reduce((total, responses) => total + responses, 0) / (to - from);
}
