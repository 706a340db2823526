import { z } from '@hono/zod-openapi';
import { requestCostAnswerSchema } from '../../../contract/requests/cost.ts';
import { billedRequest, billedRequestStatements, type BilledRow } from '../../../query/request-detail/billed.ts';
import { requestCost } from '../../../query/request-detail/cost.ts';
import { type Endpoint, type RequestContext, hintHeader, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { findOrThrow } from '../../page/not-found.ts';
import { requestIdOf, requestIdParameter } from './request-id.ts';

const failures = problems(404, 422, 504);

export const explainRequestCost: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/request/{id}/cost',
    operationId: 'explainRequestCost',
    summary: 'Explain what a request costs',
    description:
      'Each kind of token with its price, where that stands and since when it holds. The price that was applied is kept with the record, so the explanation stays true when the tables change; `differs` says when they have. While the record is on its way to the store the answer is 404 with the code `request_in_flight` and the header `svc-hint`.',
    security: keyRequired,
    request: { params: z.object({ id: requestIdParameter }) },
    responses: {
      200: { description: 'The explanation.', content: jsonContent(requestCostAnswerSchema) },
      ...failures,
      404: { ...failures[404], headers: hintHeader },
    },
  },
  action: 'read',
  handle: answerCost,
};

/** Identifier → row → billed request → explanation. */
async function answerCost(call: RequestContext): Promise<Response> {
  const { context, principal, ports } = call;
  const tenant = principal.organizationId;
  const id = requestIdOf(context);
  const row = await findOrThrow<BilledRow>(call, id, billedRequestStatements(tenant, id));
  return sendData(context, requestCost(ports.prices.explain(tenant, billedRequest(row))));
}
