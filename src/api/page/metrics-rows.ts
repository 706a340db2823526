import { unwrap } from '../../contract/fault.ts';
import type { MetricsQuery } from '../../contract/metrics/query.ts';
import { allIntervals, type Interval } from '../../model/vocabulary/metrics.ts';
import { metricsAnswer, type MetricsAnswer } from '../../query/metrics/answer.ts';
import { metricsHintProbes } from '../../query/metrics/hints.ts';
import { type MetricsPlan, planMetrics } from '../../query/metrics/plan.ts';
import { frugalMetricsStatement, type MetricsRow, metricsStatement } from '../../query/metrics/statement.ts';
import { isOverMemory } from '../../store/engine/failure.ts';
import type { RunStatement } from '../../store/read/run-statement.ts';
import type { RequestContext } from '../endpoint/endpoint.ts';
import { setFreshUntil } from './fresh-until.ts';
import { explain, setHint } from './headers.ts';

export interface FoundMetrics extends MetricsAnswer {
  readonly plan: MetricsPlan;
  /** Whether there are groups that are not shown. */
  readonly hasOthers: boolean;
}

/** Answers a metrics query; says how fresh the answer is, and why it shows nothing. @param intervals that the caller may name. */
export async function readMetrics(call: RequestContext, body: MetricsQuery, intervals: readonly Interval[]): Promise<FoundMetrics> {
  const { context, principal, ports } = call;
  const plan = unwrap(planMetrics(principal.organizationId, body, intervals));
  await setFreshUntil(call);
  const rows = await rowsOf(ports.run, plan, context.req.raw.signal);
  const answer = metricsAnswer(plan, rows);
  await explain(call, undefined, metricsHintProbes(plan, answer, ports.knownNames));
  return { ...answer, plan, hasOthers: rows.some(({ kind }) => kind === 'other') };
}

/** Answers a plan without what a whole response says beside it. */
export async function answerOfPlan({ context, ports }: RequestContext, plan: MetricsPlan): Promise<MetricsAnswer> {
  return answerOf(ports.run, plan, context.req.raw.signal);
}

/** The same for whoever the signal is of. */
export async function answerOf(run: RunStatement, plan: MetricsPlan, signal: AbortSignal): Promise<MetricsAnswer> {
  return metricsAnswer(plan, await rowsOf(run, plan, signal));
}

/** Many groups need so much memory that their rows are read in another way. */
export async function rowsOf(run: RunStatement, plan: MetricsPlan, signal: AbortSignal): Promise<readonly MetricsRow[]> {
  const frugal = frugalMetricsStatement(plan);
  try {
    return await run<MetricsRow>(metricsStatement(plan), signal, { hasFrugal: frugal !== undefined });
  } catch (error) {
    if (frugal === undefined || !isOverMemory(error)) throw error;
  }
  return run<MetricsRow>(frugal, signal);
}

/** The same for an endpoint in upstream's shape. */
export async function readNamedMetrics(call: RequestContext, body: MetricsQuery): Promise<FoundMetrics> {
  const found = await readMetrics(call, body, allIntervals);
  if (found.isCut) {
    setHint(call.context, `there are more than the ${found.plan.limit} rows shown; POST /v1/metrics/query has the others`);
  }
  return found;
}
