import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeInsertLines, openStoreRig, requestLine, type StoreRig, tenant } from '../../store/testing/store-harness.ts';
import { makeRunStatement, type RunStatement } from '../../store/read/run-statement.ts';
import { metricsAnswer } from './answer.ts';
import { type MetricsPlan, planMetrics } from './plan.ts';
import { frugalMetricsStatement, type MetricsRow, metricsStatement } from './statement.ts';

const requestCount = 200_000;
const mebi = 1024 ** 2;

let rig: StoreRig;
let little: RunStatement;
let plenty: RunStatement;

beforeAll(async () => {
  rig = await openStoreRig();
  const lines = Array.from(
    { length: requestCount },
    (_, n) => requestLine({ user_id: `user-${n}`, session_id: `session-${n % 1000}`, latency: n % 5000, status: 200 }).line,
  );
  await makeInsertLines(rig.connections)('requests', lines.join('\n'), 'many');
  const options = { queryTimeoutMs: 60_000, queryMaxWaitMs: 60_000 };
  little = makeRunStatement(rig.connections, { ...options, queryMemoryBytes: 300 * mebi });
  plenty = makeRunStatement(rig.connections, { ...options, queryMemoryBytes: 4096 * mebi });
});
afterAll(async () => rig.close());

function planOf(body: object): MetricsPlan {
  const metrics = ['count', 'users', 'sessions', 'p50_latency', 'p99_latency', 'p99_time_to_first_token'];
  const planned = planMetrics(tenant, { metrics, groupBy: ['user'], ...body });
  if (!planned.ok) throw new Error(planned.fault.message);
  return planned.value;
}

describe('a metrics query with very many groups', () => {
  test.each<readonly [string, object]>([
    ['one page', { limit: 3, sort: { max_latency: 'desc' } }],
    ['a later page, with other and total', { limit: 5, offset: 70_000, other: true, totals: true }],
    ['buckets of time', { limit: 4, interval: 'minute', other: true, totals: true }],
  ])('exceeds its memory, and is answered with less: %s', async (_, body) => {
    const plan = planOf(body);
    const frugal = frugalMetricsStatement(plan);
    if (frugal === undefined) throw new Error('There is no frugal statement.');
    await expect(little(metricsStatement(plan), undefined, { hasFrugal: true })).rejects.toMatchObject({ code: 'query_too_large' });
    const rows = metricsAnswer(plan, await little<MetricsRow>(frugal));
    expect(rows).toEqual(metricsAnswer(plan, await plenty<MetricsRow>(metricsStatement(plan))));
    expect(rows.rows).toHaveLength(plan.limit + (plan.other ? 2 : 0));
  });

  test('is not needed without groups', () => {
    expect(frugalMetricsStatement(planOf({ groupBy: [] }))).toBeUndefined();
  });
});
