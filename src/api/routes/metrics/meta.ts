import { describedDimensions, describedMetrics, type MetricsMeta, metricsMetaSchema } from '../../../contract/metrics/query.ts';
import { exactDistinct, intervals, metricsLimits } from '../../../model/vocabulary/metrics.ts';
import { operatorFamilies } from '../../../model/vocabulary/operators.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';

export const describeMetrics: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/metrics/meta',
    operationId: 'describeMetrics',
    summary: 'Describe metrics',
    description: 'The metrics, dimensions, operators of filters and intervals that `POST /v1/metrics/query` takes.',
    security: keyRequired,
    responses: { 200: { description: 'What there is.', content: jsonContent(metricsMetaSchema) }, ...problems() },
  },
  action: 'read',
  handle: ({ context }) => Promise.resolve(sendData(context, meta)),
};

const { metrics, dimensions, rows, offset } = metricsLimits;

const meta: MetricsMeta = {
  metrics: describedMetrics(),
  dimensions: describedDimensions(),
  operators: Object.fromEntries(Object.entries(operatorFamilies).map(([family, operators]) => [family, [...operators]])),
  intervals: [...intervals],
  limits: { metrics, dimensions, rows, offset, exact_distinct: exactDistinct },
  timezones: 'Names of the IANA time zone database, such as Europe/Berlin or America/New_York.',
};
