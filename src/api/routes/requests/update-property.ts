import { z } from '@hono/zod-openapi';
import { doneSchema } from '../../../contract/responses.ts';
import { unwrap } from '../../../contract/fault.ts';
import { propertyUpdateSchema, readPropertyUpdate } from '../../../contract/settings/properties.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { readJson } from '../../http/read-json.ts';
import { requestIdOf, requestIdParameter } from './request-id.ts';

export const updateRequestProperty: Endpoint = {
  declaration: {
    method: 'put',
    path: '/v1/request/{id}/property',
    operationId: 'updateRequestProperties',
    summary: 'Add or replace properties of a request',
    description: 'Works from the moment at which the caller has the identifier, also while the record is still on its way to the store.',
    security: keyRequired,
    request: { params: z.object({ id: requestIdParameter }), body: { required: true, content: jsonContent(propertyUpdateSchema) } },
    responses: { 200: { description: 'Changed.', content: jsonContent(doneSchema) }, ...problems(400, 404, 413, 415, 422, 504) },
  },
  action: 'update',
  handle: answerUpdate,
};

async function answerUpdate({ context, principal, ports }: RequestContext): Promise<Response> {
  const id = requestIdOf(context);
  const values = unwrap(readPropertyUpdate(await readJson(context)));
  await ports.changeRequest(principal, id, { kind: 'property', values });
  return sendData(context, null);
}
