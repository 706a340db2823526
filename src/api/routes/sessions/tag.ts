import { z } from '@hono/zod-openapi';
import { doneSchema } from '../../../contract/responses.ts';
import { sessionTagAnswerSchema, sessionTagSchema } from '../../../contract/sessions/writes.ts';
import { type SessionTagRow, sessionTagStatement } from '../../../query/session-detail/lookup.ts';
import { type Endpoint, type RequestContext, hintHeader, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { foundSessionOrRefused, sessionIdOf, sessionIdParameter } from './session-id.ts';
import { readInput } from '../../http/read-input.ts';

const params = z.object({ id: sessionIdParameter });
const readFailures = problems(404, 504);

export const setSessionTag: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/session/{id}/tag',
    operationId: 'setSessionTag',
    summary: 'Tag a session',
    description: 'A later tag replaces the earlier one; null or the empty text takes it away. Filters read it as `session_tag`.',
    security: keyRequired,
    request: { params, body: { required: true, content: jsonContent(sessionTagSchema) } },
    responses: { 200: { description: 'Tagged.', content: jsonContent(doneSchema) }, ...problems(400, 404, 413, 415, 422, 504) },
  },
  action: 'update',
  handle: answerSet,
};

export const getSessionTag: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/session/{id}/tag',
    operationId: 'getSessionTag',
    summary: 'Get the tag of a session',
    security: keyRequired,
    request: { params },
    responses: {
      200: { description: 'The tag.', content: jsonContent(sessionTagAnswerSchema) },
      ...readFailures,
      404: { ...readFailures[404], headers: hintHeader },
    },
  },
  action: 'read',
  handle: answerGet,
};

async function answerSet({ context, principal, ports }: RequestContext): Promise<Response> {
  const { tag } = await readInput(context, sessionTagSchema);
  await ports.sessions.tag(principal, sessionIdOf(context), tag);
  return sendData(context, null);
}

async function answerGet(call: RequestContext): Promise<Response> {
  const { context, principal, ports } = call;
  const sessionId = sessionIdOf(context);
  const statement = sessionTagStatement(principal.organizationId, sessionId);
  const row = await foundSessionOrRefused(
    call,
    sessionId,
    async () => (await ports.run<SessionTagRow>(statement, context.req.raw.signal))[0],
  );
  return sendData(context, row.session_tag === '' ? null : row.session_tag);
}
