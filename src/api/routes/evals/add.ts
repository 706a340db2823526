import { z } from '@hono/zod-openapi';
import { doneSchema } from '../../../contract/responses.ts';
import { evalSchema, readEval } from '../../../contract/requests/changes.ts';
import { unwrap } from '../../../contract/fault.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { warnUnknownFields } from '../../http/read-input.ts';
import { readJson } from '../../http/read-json.ts';
import { requestIdOf, requestIdParameter } from '../requests/request-id.ts';

export const addEval: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/evals/{id}',
    operationId: 'addEval',
    summary: 'Add or replace one score of a request',
    description: 'As `/v1/request/{id}/score` with one score, as older clients write it.',
    security: keyRequired,
    request: { params: z.object({ id: requestIdParameter }), body: { required: true, content: jsonContent(evalSchema) } },
    responses: { 200: { description: 'Scored.', content: jsonContent(doneSchema) }, ...problems(400, 404, 413, 415, 422, 504) },
  },
  action: 'update',
  handle: answerEval,
};

async function answerEval({ context, principal, ports }: RequestContext): Promise<Response> {
  const id = requestIdOf(context);
  const body = await readJson(context);
  warnUnknownFields(context, evalSchema, body);
  const values = unwrap(readEval(body));
  await ports.changeRequest(principal, id, { kind: 'score', values });
  return sendData(context, null);
}
