import { metricsAnswerSchema, metricsQuerySchema } from '../../../contract/metrics/query.ts';
import { intervals } from '../../../model/vocabulary/metrics.ts';
import { type Endpoint, hintHeader, jsonContent, keyRequired, problems, type RequestContext } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendJson } from '../../http/send-json.ts';
import { freshHeader } from '../../page/fresh-until.ts';
import { setHint } from '../../page/headers.ts';
import { readMetrics } from '../../page/metrics-rows.ts';

export const queryMetrics: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/metrics/query',
    operationId: 'queryMetrics',
    summary: 'Query metrics',
    description:
      'Metrics of all requests that match a filter, by up to three dimensions and a bucket of time. Of additive metrics, the rows and `other` add up to `total` exactly.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(metricsQuerySchema) } },
    responses: {
      200: { description: 'A row for each group.', headers: { ...hintHeader, ...freshHeader }, content: jsonContent(metricsAnswerSchema) },
      ...problems(400, 413, 415, 422, 504),
    },
  },
  action: 'read',
  handle: answerMetrics,
};

async function answerMetrics(call: RequestContext): Promise<Response> {
  const { context } = call;
  const { rows: data, plan, isCut, approximate } = await readMetrics(call, await readInput(context, metricsQuerySchema), intervals);
  if (isCut) {
    setHint(
      context,
      `there are more than the ${plan.limit} groups shown; \`other\`: true tells what the rest makes, \`limit\` and \`offset\` show it`,
    );
  }
  return sendJson(context, { data, error: null, ...(approximate.length === 0 ? {} : { approximate }) });
}
