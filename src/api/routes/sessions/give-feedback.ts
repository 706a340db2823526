import { z } from '@hono/zod-openapi';
import { doneSchema } from '../../../contract/responses.ts';
import { feedbackSchema } from '../../../contract/requests/changes.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { sessionIdOf, sessionIdParameter } from './session-id.ts';
import { readInput } from '../../http/read-input.ts';

export const giveSessionFeedback: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/session/{id}/feedback',
    operationId: 'giveSessionFeedback',
    summary: 'Rate a session',
    description:
      'The first request of the session gets the property `Svc-Session-Feedback`, `1` for good and `0` for bad, and its history an entry. A later feedback replaces the earlier one.',
    security: keyRequired,
    request: { params: z.object({ id: sessionIdParameter }), body: { required: true, content: jsonContent(feedbackSchema) } },
    responses: { 200: { description: 'Rated.', content: jsonContent(doneSchema) }, ...problems(400, 404, 413, 415, 422, 504) },
  },
  action: 'update',
  handle: answerFeedback,
};

async function answerFeedback({ context, principal, ports }: RequestContext): Promise<Response> {
  const { rating } = await readInput(context, feedbackSchema);
  await ports.sessions.rate(principal, sessionIdOf(context), rating);
  return sendData(context, null);
}
