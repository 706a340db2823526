import { unwrap } from '../../../contract/fault.ts';
import { metricsAnswerSchema, metricsQuerySchema } from '../../../contract/metrics/query.ts';
import { metricsAnswer } from '../../../query/metrics/answer.ts';
import { planMetrics } from '../../../query/metrics/plan.ts';
import { type MetricsRow, metricsStatement } from '../../../query/metrics/statement.ts';
import { type Endpoint, hintHeader, jsonContent, keyRequired, problems, type RequestContext } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendJson } from '../../http/send-json.ts';
import { freshHeader, setFreshUntil } from '../../page/fresh-until.ts';
import { setHint } from '../../page/headers.ts';

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
  const { context, principal, ports } = call;
  const body = await readInput(context, metricsQuerySchema);
  const plan = unwrap(planMetrics(principal.organizationId, body));
  await setFreshUntil(call);
  const rows = await ports.run<MetricsRow>(metricsStatement(plan), context.req.raw.signal);
  const { rows: data, isCut, approximate } = metricsAnswer(plan, rows);
  if (isCut) {
    setHint(
      context,
      `there are more than the ${plan.limit} groups shown; \`other\`: true tells what the rest makes, \`limit\` and \`offset\` show it`,
    );
  }
  return sendJson(context, { data, error: null, ...(approximate.length === 0 ? {} : { approximate }) });
}
