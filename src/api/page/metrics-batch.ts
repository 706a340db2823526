import { randomUUID } from 'node:crypto';
import type { MetricsBatchItem, MetricsQuery } from '../../contract/metrics/query.ts';
import { unwrap } from '../../contract/fault.ts';
import { GatelogError, isApiErrorCode } from '../../model/errors.ts';
import { jsonParts, RawJson } from '../../model/json/raw.ts';
import { forEachAtOnce } from '../../platform/bounds/at-once.ts';
import { planMetrics } from '../../query/metrics/plan.ts';
import type { RequestContext } from '../endpoint/endpoint.ts';
import { setFreshUntil } from './fresh-until.ts';
import { answerOfPlan } from './metrics-rows.ts';
import { writtenList } from './written-list.ts';

/** Queries of one call that run at once. */
const queriesAtOnce = 4;

type Answered = RawJson<MetricsBatchItem>;

/** Answers several metrics queries; one that is refused or fails says so, and the others have their rows. No query outlives the answer. */
export async function readMetricsBatch(call: RequestContext, queries: readonly MetricsQuery[]): Promise<readonly Answered[]> {
  await setFreshUntil(call);
  const answers: Answered[] = [];
  await forEachAtOnce([...queries.entries()], queriesAtOnce, async ([index, query]) => {
    answers[index] = await answered(call, query);
  });
  return answers;
}

async function answered(call: RequestContext, query: MetricsQuery): Promise<Answered> {
  try {
    const { organizationId } = call.principal;
    const { rows, approximate } = await answerOfPlan(call, unwrap(planMetrics(organizationId, query)));
    return written({ rows: await writtenList(rows, organizationId), approximate, problem: null });
  } catch (failure) {
    if (!(failure instanceof GatelogError) || !isApiErrorCode(failure.code)) throw failure;
    const { message, code, details } = failure;
    const problem = { error: message, code, ...(details === undefined ? {} : { details }) };
    return written({ rows: new RawJson('[]'), approximate: [], problem });
  }
}

function written(
  item: Omit<MetricsBatchItem, 'rows' | 'approximate'> & { readonly rows: RawJson; readonly approximate: readonly string[] },
): Answered {
  return new RawJson<MetricsBatchItem>(jsonParts(item, randomUUID()).join(''));
}
