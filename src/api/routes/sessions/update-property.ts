import { z } from '@hono/zod-openapi';
import { doneSchema } from '../../../contract/responses.ts';
import { unwrap } from '../../../contract/fault.ts';
import { propertyUpdateSchema } from '../../../contract/settings/properties.ts';
import { readSessionPropertyUpdate } from '../../../contract/sessions/writes.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { readJson } from '../../http/read-json.ts';
import { sessionIdOf, sessionIdParameter } from './session-id.ts';

export const updateSessionProperty: Endpoint = {
  declaration: {
    method: 'put',
    path: '/v1/session/{id}/property',
    operationId: 'updateSessionProperties',
    summary: 'Add or replace properties of every request of a session',
    description:
      'Reaches every request of the session that has begun, also those whose records are still on their way to the store. Later requests of the session do not get the properties. `Svc-Session-Id` cannot be changed in this way.',
    security: keyRequired,
    request: { params: z.object({ id: sessionIdParameter }), body: { required: true, content: jsonContent(propertyUpdateSchema) } },
    responses: { 200: { description: 'Changed.', content: jsonContent(doneSchema) }, ...problems(400, 404, 413, 415, 422, 504) },
  },
  action: 'update',
  handle: answerUpdate,
};

async function answerUpdate({ context, principal, ports }: RequestContext): Promise<Response> {
  const values = unwrap(readSessionPropertyUpdate(await readJson(context)));
  await ports.sessions.setProperties(principal, sessionIdOf(context), values);
  return sendData(context, null);
}
