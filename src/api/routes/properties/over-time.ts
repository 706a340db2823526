import { propertyOverTimeAnswerSchema, propertyOverTimeQuerySchema } from '../../../contract/metrics/property.ts';
import { maxRows, metricsRange } from '../../../query/metrics/by-name.ts';
import { type Endpoint, hintHeader, jsonContent, keyRequired, problems, type RequestContext } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { freshHeader } from '../../page/fresh-until.ts';
import { readNamedMetrics } from '../../page/metrics-rows.ts';
import { storedName } from './property-name.ts';

export const queryPropertyOverTime: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/property/properties/over-time',
    operationId: 'queryPropertyOverTime',
    summary: 'Query cost and requests of a property over time',
    description: 'By value and bucket of time, over the requests in the range that match and have the property.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(propertyOverTimeQuerySchema) } },
    responses: {
      200: { description: 'The buckets.', headers: { ...hintHeader, ...freshHeader }, content: jsonContent(propertyOverTimeAnswerSchema) },
      ...problems(400, 413, 415, 422, 504),
    },
  },
  action: 'read',
  handle: answerOverTime,
};

async function answerOverTime(call: RequestContext): Promise<Response> {
  const body = await readInput(call.context, propertyOverTimeQuerySchema);
  const property = storedName(body.propertyKey);
  const hasProperty = { request_response_rmt: { property_key: { equals: property } } };
  const { rows } = await readNamedMetrics(call, {
    metrics: ['cost', 'count'],
    groupBy: [{ property }],
    filter: { left: hasProperty, operator: 'and', right: body.userFilter ?? {} },
    ...metricsRange(body),
    limit: maxRows,
  });
  return sendData(
    call.context,
    rows.map((row) => ({
      property: row[`properties.${property}`],
      total_cost: row['cost'],
      request_count: row['count'],
      created_at_trunc: row['time'],
    })),
  );
}
