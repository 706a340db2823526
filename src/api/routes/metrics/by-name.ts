import type { z } from '@hono/zod-openapi';
import {
  namedCountQuerySchema,
  namedListQuerySchema,
  namedMetricsAnswerSchema,
  namedQuantilesQuerySchema,
  namedSeriesQuerySchema,
  namedTotalQuerySchema,
} from '../../../contract/metrics/by-name.ts';
import { type NamedMetric, namedMetrics, namedMetricsQuery } from '../../../query/metrics/by-name.ts';
import { type Endpoint, hintHeader, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { freshHeader } from '../../page/fresh-until.ts';
import { readNamedMetrics } from '../../page/metrics-rows.ts';

const schemas: Readonly<Record<NamedMetric['kind'], z.ZodType>> = {
  total: namedTotalQuerySchema,
  count: namedCountQuerySchema,
  series: namedSeriesQuerySchema,
  quantiles: namedQuantilesQuerySchema,
  list: namedListQuerySchema,
};

/** Upstream's metrics, one endpoint for each. */
export const queryNamedMetrics: readonly Endpoint[] = namedMetrics.map(endpointOf);

function endpointOf(metric: NamedMetric): Endpoint {
  const { name, kind, summary, shape, answer, item } = metric;
  const schema = schemas[kind];
  return {
    declaration: {
      method: 'post',
      path: `/v1/metrics/${name}`,
      operationId: `queryMetric${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
      summary,
      description: `\`data\`: ${shape} \`POST /v1/metrics/query\` has the same by any dimension.`,
      security: keyRequired,
      request: { body: { required: true, content: jsonContent(schema) } },
      responses: {
        200: {
          description: 'The figures.',
          headers: { ...hintHeader, ...freshHeader },
          content: jsonContent(namedMetricsAnswerSchema(name, answer, shape)),
        },
        ...problems(400, 413, 415, 422, 504),
      },
    },
    action: 'read',
    handle: async (call) => {
      const body = await readInput(call.context, schema);
      const { rows } = await readNamedMetrics(call, namedMetricsQuery(metric, body as Parameters<typeof namedMetricsQuery>[1]));
      return sendData(call.context, kind === 'total' || kind === 'count' ? item(rows[0] ?? {}) : rows.map(item));
    },
  };
}
