import type { z } from '@hono/zod-openapi';
import { propertyParameters } from '../../../contract/properties.ts';
import { topCostsAnswerSchema, topRequestsAnswerSchema, topValuesQuerySchema } from '../../../contract/metrics/property.ts';
import { type Endpoint, hintHeader, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { freshHeader } from '../../page/fresh-until.ts';
import { readNamedMetrics } from '../../page/metrics-rows.ts';
import { storedNameInAddress } from './property-name.ts';

/** Values that are shown apart. */
const shownValues = 10;

export const listTopCosts = topEndpoint('cost', topCostsAnswerSchema, {
  path: '/v1/property/{name}/top-costs/query',
  operationId: 'listTopPropertyCosts',
  summary: 'List the dearest values of a property',
});

export const listTopRequests = topEndpoint('count', topRequestsAnswerSchema, {
  path: '/v1/property/{name}/top-requests/query',
  operationId: 'listTopPropertyRequests',
  summary: 'List the most frequent values of a property',
});

type About = Pick<Endpoint['declaration'], 'path'> & { readonly operationId: string; readonly summary: string };

function topEndpoint(metric: 'cost' | 'count', answer: z.ZodType, about: About): Endpoint {
  return {
    declaration: {
      method: 'post',
      ...about,
      description: 'Over the requests in the range that have the property: ten values, and `Other` for the rest of them together.',
      security: keyRequired,
      request: { params: propertyParameters, body: { required: true, content: jsonContent(topValuesQuerySchema) } },
      responses: {
        200: { description: 'The values.', headers: { ...hintHeader, ...freshHeader }, content: jsonContent(answer) },
        ...problems(400, 413, 415, 422, 504),
      },
    },
    action: 'read',
    handle: async (call) => {
      const { timeFilter } = await readInput(call.context, topValuesQuerySchema);
      const property = storedNameInAddress(call.context.req.url);
      const { rows, hasOthers } = await readNamedMetrics(call, {
        metrics: [metric],
        groupBy: [{ property }],
        filter: { request_response_rmt: { property_key: { equals: property } } },
        startTimeUnixMs: timeFilter?.start,
        endTimeUnixMs: timeFilter?.end,
        sort: { [metric]: 'desc' },
        limit: shownValues,
        other: true,
      });
      const shown = rows.filter((row) => row['other'] !== true || hasOthers);
      return sendData(
        call.context,
        shown.map((row) => ({ value: row['other'] === true ? 'Other' : row[`properties.${property}`], [metric]: row[metric] })),
      );
    },
  };
}
