import { z } from '@hono/zod-openapi';
import { doneSchema } from '../../../contract/responses.ts';
import { feedbackSchema } from '../../../contract/requests/changes.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { requestIdOf, requestIdParameter } from './request-id.ts';
import { readInput } from '../../http/read-input.ts';

export const giveRequestFeedback: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/request/{id}/feedback',
    operationId: 'giveRequestFeedback',
    summary: 'Rate the answer of a request',
    description:
      'A later feedback replaces the earlier one. Works from the moment at which the caller has the identifier, also while the record is still on its way to the store.',
    security: keyRequired,
    request: { params: z.object({ id: requestIdParameter }), body: { required: true, content: jsonContent(feedbackSchema) } },
    responses: { 200: { description: 'Rated.', content: jsonContent(doneSchema) }, ...problems(400, 404, 413, 415, 422, 504) },
  },
  action: 'update',
  handle: answerFeedback,
};

async function answerFeedback({ context, principal, ports }: RequestContext): Promise<Response> {
  const id = requestIdOf(context);
  const { rating } = await readInput(context, feedbackSchema);
  await ports.changeRequest(principal, id, { kind: 'feedback', rating });
  return sendData(context, null);
}
