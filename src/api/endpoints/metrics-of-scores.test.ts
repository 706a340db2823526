import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RequestId } from '../../model/ids.ts';
import { planMetrics } from '../../query/metrics/plan.ts';
import { metricsAnswer } from '../../query/metrics/answer.ts';
import { frugalMetricsStatement, type MetricsRow, metricsStatement } from '../../query/metrics/statement.ts';
import { type ApiRig, openApiRig } from '../testing/api-harness.ts';

let rig: ApiRig;

const odd = "it's `q\\uality`.x {tenant:UInt128}\n\0 ΟΔΟΣ";
const judged: readonly (readonly [version: string, scores: Readonly<Record<string, number>>])[] = [
  ['1', { quality: 0.5, [odd]: 7 }],
  ['1', { quality: 0.75 }],
  ['1', { tone: -1 }],
  ['1', {}],
  ['2', { quality: 1, tone: 3 }],
  ['3', { Quality: 5 }],
];

beforeAll(async () => {
  rig = await openApiRig();
  await rig.insert(
    judged.map(([promptVersion, scores], index) => ({
      requestId: `01900000-0000-7000-8000-00000000000${index}` as RequestId,
      createdAt: Date.UTC(2026, 0, 5, 12),
      promptId: 'greeting',
      promptVersion,
      scores: new Map(Object.entries(scores)),
    })),
  );
});
afterAll(async () => rig.close());

async function dataOf(path: string, body: object): Promise<readonly Record<string, unknown>[]> {
  const response = await rig.call('POST', path, { body });
  const answer = (await response.json()) as { readonly data: readonly Record<string, unknown>[] };
  expect([response.status, answer]).toEqual([200, expect.anything()]);
  return answer.data;
}

const ofQuality = {
  filter: { request_response_rmt: { prompt_id: { equals: 'greeting' } } },
  metrics: ['avg_score.quality', 'count'],
  groupBy: ['prompt_version'],
  sort: { 'avg_score.quality': 'desc' },
};
const versions = [
  { prompt_version: '2', 'avg_score.quality': 1, count: 1 },
  { prompt_version: '1', 'avg_score.quality': 0.625, count: 4 },
  { prompt_version: '3', 'avg_score.quality': null, count: 1 },
];

describe('the average of a score', () => {
  test('is that of the requests of a group that have it, null without one, and groups are sorted by it', async () => {
    expect(await dataOf('/v1/metrics/query', ofQuality)).toEqual(versions);
    const turned = { ...ofQuality, sort: { 'avg_score.quality': 'asc' } };
    expect((await dataOf('/v1/metrics/query', turned)).map((row) => row['prompt_version'])).toEqual(['1', '2', '3']);
  });

  test('is computed of all requests behind the rows for others and totals', async () => {
    const rows = await dataOf('/v1/metrics/query', { ...ofQuality, metrics: ['avg_score.quality'], limit: 1, other: true, totals: true });
    expect(rows).toEqual([
      { prompt_version: '2', 'avg_score.quality': 1 },
      { other: true, 'avg_score.quality': 0.625 },
      { total: true, 'avg_score.quality': 0.75 },
    ]);
  });

  test('stands beside that of other scores, whatever their names', async () => {
    const names = ['quality', 'Quality', 'tone', odd, '__proto__', 'nowhere'].map((name) => `avg_score.${name}`);
    const [row = {}] = await dataOf('/v1/metrics/query', { metrics: names });
    expect(names.map((name) => row[name])).toEqual([0.75, 5, 1, 7, null, null]);
  });

  test('is the same with less memory, and as a sort key', async () => {
    const metrics = [`avg_score.${odd}`, 'avg_score.quality'];
    const planned = planMetrics(rig.organizationId, { ...ofQuality, metrics, sort: { [`avg_score.${odd}`]: 'asc' }, totals: true });
    if (!planned.ok) throw new Error(planned.fault.message);
    const answer = metricsAnswer(planned.value, await rig.run<MetricsRow>(metricsStatement(planned.value)));
    const frugal = frugalMetricsStatement(planned.value);
    if (frugal === undefined) throw new Error('There is no frugal statement.');
    expect(metricsAnswer(planned.value, await rig.run<MetricsRow>(frugal))).toEqual(answer);
    expect(answer.rows.map((row) => row[`avg_score.${odd}`])).toEqual([7, null, null, 7]);
  });

  test('is answered in a batch', async () => {
    const [first, second] = await dataOf('/v1/metrics/batch', { queries: [ofQuality, { metrics: ['avg_score.'] }] });
    expect(first).toMatchObject({ rows: versions, problem: null });
    expect(second).toMatchObject({ problem: { error: expect.stringContaining('`avg_score.…` of a score') as string } });
  });

  test('has no name that is empty or longer than a score has', async () => {
    for (const name of ['', 'x'.repeat(129)]) {
      const response = await rig.call('POST', '/v1/metrics/query', { body: { metrics: [`avg_score.${name}`] } });
      expect([name, response.status]).toEqual([name, 422]);
    }
  });
});

test('the statement for the average of a score has its name as a parameter', () => {
  const planned = planMetrics(rig.organizationId, { metrics: ['avg_score.quality'] });
  if (!planned.ok) throw new Error(planned.fault.message);
  const { text, params } = metricsStatement(planned.value);
  expect(text).toMatchInlineSnapshot(
    `"SELECT 'row' AS kind, toString(if(\`each_scores_quality\` = 0, NULL, toFloat64(\`each_score_quality\`) / \`each_scores_quality\`)) AS \`metric_0\` FROM (SELECT sumIf(scores[{p0:String}], mapContains(scores, {p0:String})) AS \`each_score_quality\`, countIf(mapContains(scores, {p0:String})) AS \`each_scores_quality\` FROM requests WHERE org_id = {tenant:UInt128}) ORDER BY if(\`each_scores_quality\` = 0, NULL, toFloat64(\`each_score_quality\`) / \`each_scores_quality\`) DESC NULLS LAST LIMIT 1001 OFFSET {p1:UInt64}"`,
  );
  expect(Object.values(params)).toContain('quality');
});
