import { z } from '@hono/zod-openapi';
import { doneSchema } from '../../../contract/responses.ts';
import { readScores, scoreUpdateSchema } from '../../../contract/requests/changes.ts';
import { unwrap } from '../../../contract/fault.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { readJson } from '../../http/read-json.ts';
import { warnUnknownFields } from '../../http/read-input.ts';
import { requestIdOf, requestIdParameter } from './request-id.ts';

export const setRequestScores: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/request/{id}/score',
    operationId: 'setRequestScores',
    summary: 'Add or replace scores of a request',
    description: 'Works from the moment at which the caller has the identifier, also while the record is still on its way to the store.',
    security: keyRequired,
    request: { params: z.object({ id: requestIdParameter }), body: { required: true, content: jsonContent(scoreUpdateSchema) } },
    responses: { 200: { description: 'Scored.', content: jsonContent(doneSchema) }, ...problems(400, 404, 413, 415, 422, 504) },
  },
  action: 'update',
  handle: answerScores,
};

async function answerScores({ context, principal, ports }: RequestContext): Promise<Response> {
  const id = requestIdOf(context);
  const body = await readJson(context);
  warnUnknownFields(context, scoreUpdateSchema, body);
  const values = unwrap(readScores(body));
  await ports.changeRequest(principal, id, { kind: 'score', values });
  return sendData(context, null);
}
