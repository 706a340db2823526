import { z } from '@hono/zod-openapi';
import { doneSchema } from '../../../contract/responses.ts';
import { GatelogError } from '../../../model/errors.ts';
import { parseUuid } from '../../../model/ids.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { lastAdmin, noSuchKey } from './item.ts';

export const revokeApiKey: Endpoint = {
  declaration: {
    method: 'delete',
    path: '/v1/api-keys/{id}',
    operationId: 'revokeApiKey',
    summary: 'Revoke a key for good',
    description:
      'Takes a key with the permission `admin`. Gateways and API refuse the key within five seconds. The last valid key with the permission `admin` cannot be revoked.',
    security: keyRequired,
    request: { params: z.object({ id: z.string().openapi({ param: { name: 'id', in: 'path' }, format: 'uuid' }) }) },
    responses: { 200: { description: 'Revoked.', content: jsonContent(doneSchema) }, ...problems(404, 413, 422) },
  },
  action: 'administer',
  handle: answerRevoke,
};

async function answerRevoke({ context, principal, ports }: RequestContext): Promise<Response> {
  const id = parseUuid(context.req.param('id') ?? '');
  const revoked = id === undefined ? undefined : await ports.apiKeys.change(principal.organizationId, id, { revoked: true });
  if (revoked === undefined) throw noSuchKey();
  if (revoked === 'last_admin') throw new GatelogError('invalid_parameter', lastAdmin, { details: { path: 'id' } });
  return sendData(context, null);
}
