import { z } from '@hono/zod-openapi';
import { doneSchema } from '../../../contract/responses.ts';
import { GatelogError } from '../../../model/errors.ts';
import { parseUuid } from '../../../model/ids.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';

const idParameter = z
  .string()
  .openapi({ param: { name: 'id', in: 'path' }, description: 'Identifier of the stored key, as the list shows it.', format: 'uuid' });

export const deleteProviderKey: Endpoint = {
  declaration: {
    method: 'delete',
    path: '/v1/provider-keys/{id}',
    operationId: 'deleteProviderKey',
    summary: 'Delete a stored key of a provider',
    description: 'Takes a key with the permission `admin`. Gateways stop sending it within five seconds.',
    security: keyRequired,
    request: { params: z.object({ id: idParameter }) },
    responses: { 200: { description: 'Deleted.', content: jsonContent(doneSchema) }, ...problems(404, 413) },
  },
  action: 'administer',
  handle: answerDelete,
};

async function answerDelete({ context, principal, ports }: RequestContext): Promise<Response> {
  const id = parseUuid(context.req.param('id') ?? '');
  if (id === undefined || !(await ports.providerKeys.remove(principal.organizationId, id))) {
    throw new GatelogError('not_found', 'The organisation has stored no such key; GET /v1/provider-keys lists them.');
  }
  return sendData(context, null);
}
