import { filterExample } from '../../contract/filter.ts';
import {
  namedCountQuerySchema,
  namedListQuerySchema,
  namedMetricsAnswerSchema,
  namedQuantilesQuerySchema,
  namedSeriesQuerySchema,
  namedTotalQuerySchema,
} from '../../contract/metrics/by-name.ts';
import {
  describedDimensions,
  describedMetrics,
  metricsAnswerSchema,
  metricsBatchAnswerSchema,
  metricsBatchSchema,
  type MetricsMeta,
  metricsMetaSchema,
  metricsQuerySchema,
} from '../../contract/metrics/query.ts';
import { exactDistinct, intervals, metricsLimits } from '../../model/vocabulary/metrics.ts';
import { operatorFamilies } from '../../model/vocabulary/operators.ts';
import { type NamedMetric, namedMetrics, namedMetricsQuery } from '../../query/metrics/by-name.ts';
import { type AnswerOf, type Endpoint, endpoint, jsonAnswer, rawEndpoint } from '../endpoint/endpoint.ts';
import { hintHeader } from '../http/declared-responses.ts';
import { sendJson } from '../http/send-json.ts';
import { freshHeader } from '../page/fresh-until.ts';
import { setHint } from '../page/headers.ts';
import { readMetricsBatch } from '../page/metrics-batch.ts';
import { readMetrics, readNamedMetrics } from '../page/metrics-rows.ts';
import { writtenList } from '../page/written-list.ts';

const headers = { ...hintHeader, ...freshHeader };

export const metrics = [
  rawEndpoint({
    at: 'POST /v1/metrics/query',
    id: 'queryMetrics',
    summary: 'Query metrics',
    text: 'Metrics of all requests that match a filter, by up to three dimensions and a bucket of time. Of additive metrics, the rows and `other` add up to `total` exactly.',
    action: 'read',
    body: metricsQuerySchema,
    example: {
      metrics: ['cost', 'count'],
      groupBy: ['model', { property: 'Team' }],
      interval: 'day',
      timezone: 'Europe/Berlin',
      filter: filterExample,
      limit: 10,
      other: true,
      totals: true,
    },
    answer: jsonAnswer({ answer: metricsAnswerSchema, answered: 'A row for each group.', headers }),
    errors: [400, 413, 415, 422, 504],
    respond: async (call) => {
      const { rows: data, plan, isCut, approximate } = await readMetrics(call, call.body, intervals);
      if (isCut) {
        setHint(
          call.context,
          `there are more than the ${plan.limit} groups shown; \`other\`: true tells what the rest makes, \`limit\` and \`offset\` show it`,
        );
      }
      const answer = { data, error: null, ...(approximate.length === 0 ? {} : { approximate }) };
      const checked = answer satisfies AnswerOf<typeof metricsAnswerSchema>;
      return sendJson(call.context, { ...checked, data: await writtenList(data, call.tenant) });
    },
  }),
  endpoint({
    at: 'POST /v1/metrics/batch',
    id: 'queryMetricsBatch',
    summary: 'Query metrics several times',
    text: 'Several queries of `POST /v1/metrics/query` with one call, as a page with many charts asks them. One that fails says why in its place; the others are answered.',
    action: 'read',
    body: metricsBatchSchema,
    example: {
      queries: [
        { metrics: ['count', 'cost'], totals: true },
        { metrics: ['cost'], groupBy: ['model'], filter: filterExample, limit: 10, other: true },
      ],
    },
    answer: metricsBatchAnswerSchema,
    answered: 'An answer for each query.',
    headers: freshHeader,
    errors: [400, 413, 415, 422, 504],
    run: (call) => readMetricsBatch(call, call.body.queries),
  }),
  endpoint({
    at: 'GET /v1/metrics/meta',
    id: 'describeMetrics',
    summary: 'Describe metrics',
    text: 'The metrics, dimensions, operators of filters and intervals that `POST /v1/metrics/query` takes.',
    action: 'read',
    answer: metricsMetaSchema,
    answered: 'What there is.',
    run: () => meta,
  }),
];

const { metrics: maxMetrics, dimensions, rows: maxRows, offset } = metricsLimits;

const meta: MetricsMeta = {
  metrics: describedMetrics(),
  dimensions: describedDimensions(),
  operators: Object.fromEntries(Object.entries(operatorFamilies).map(([family, operators]) => [family, [...operators]])),
  intervals: [...intervals],
  limits: { metrics: maxMetrics, dimensions, rows: maxRows, offset, exact_distinct: exactDistinct },
  timezones: 'Names of the IANA time zone database, such as Europe/Berlin or America/New_York.',
};

const schemas = {
  total: namedTotalQuerySchema,
  count: namedCountQuerySchema,
  series: namedSeriesQuerySchema,
  quantiles: namedQuantilesQuerySchema,
  list: namedListQuerySchema,
} as const;

/** Upstream's metrics, one endpoint for each. */
export const metricsByName: readonly Endpoint[] = namedMetrics.map(endpointOf);

function endpointOf(metric: NamedMetric): Endpoint {
  const { name, kind, summary, shape, answer, item } = metric;
  return endpoint({
    at: `POST /v1/metrics/${name}`,
    id: `queryMetric${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
    summary,
    text: `\`data\`: ${shape} \`POST /v1/metrics/query\` has the same by any dimension.`,
    action: 'read',
    body: schemas[kind],
    example: { filter: filterExample, timeFilter: { start: '2026-01-01', end: '2026-02-01' } },
    answer: namedMetricsAnswerSchema(name, answer, shape),
    answered: 'The figures.',
    headers,
    errors: [400, 413, 415, 422, 504],
    run: async (call) => {
      const { rows } = await readNamedMetrics(call, namedMetricsQuery(metric, call.body));
      return kind === 'total' || kind === 'count' ? item(rows[0] ?? {}) : rows.map(item);
    },
  });
}
