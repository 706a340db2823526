import { unwrap } from '../../contract/fault.ts';
import type { MetricsQuery } from '../../contract/metrics/query.ts';
import { metricsAnswer, type MetricsAnswer } from '../../query/metrics/answer.ts';
import { planMetrics } from '../../query/metrics/plan.ts';
import { type MetricsRow, metricsStatement } from '../../query/metrics/statement.ts';
import type { RequestContext } from '../endpoint.ts';
import { setFreshUntil } from './fresh-until.ts';
import { setHint } from './headers.ts';

export interface FoundMetrics {
  readonly rows: MetricsAnswer['rows'];
  /** Whether there are groups behind the limit. */
  readonly hasOthers: boolean;
}

/** Answers a metrics query of ours for an endpoint with a shape of its own; says how fresh the answer is, and where rows are left out. */
export async function readMetrics(call: RequestContext, body: MetricsQuery): Promise<FoundMetrics> {
  const { context, principal, ports } = call;
  const plan = unwrap(planMetrics(principal.organizationId, body));
  await setFreshUntil(call);
  const rows = await ports.run<MetricsRow>(metricsStatement(plan), context.req.raw.signal);
  const answer = metricsAnswer(plan, rows);
  if (answer.isCut) setHint(context, `there are more than the ${plan.limit} rows shown; POST /v1/metrics/query has the others`);
  return { rows: answer.rows, hasOthers: rows.some(({ kind }) => kind === 'other') };
}
