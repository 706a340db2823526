import { z } from '@hono/zod-openapi';
import { unwrap } from '../../../contract/fault.ts';
import { apiKeyAnswerSchema, apiKeyChangeSchema } from '../../../contract/settings/api-keys.ts';
import { bodyFault } from '../../../model/fault.ts';
import { parseUuid } from '../../../model/ids.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { itemOf, lastAdmin, noSuchKey } from './item.ts';

export const changeApiKey: Endpoint = {
  declaration: {
    method: 'patch',
    path: '/v1/api-keys/{id}',
    operationId: 'changeApiKey',
    summary: 'Rename a key or change its permissions',
    description:
      'Takes a key with the permission `admin`. Gateways see other permissions within five seconds. The last valid key with the permission `admin` keeps it.',
    security: keyRequired,
    request: {
      params: z.object({ id: z.string().openapi({ param: { name: 'id', in: 'path' }, format: 'uuid' }) }),
      body: { required: true, content: jsonContent(apiKeyChangeSchema) },
    },
    responses: {
      200: { description: 'Changed.', content: jsonContent(apiKeyAnswerSchema) },
      ...problems(400, 404, 413, 415, 422),
    },
  },
  action: 'administer',
  handle: answerChange,
};

async function answerChange({ context, principal, ports }: RequestContext): Promise<Response> {
  const { api_key_name: name, key_permissions: permissions } = await readInput(context, apiKeyChangeSchema);
  const id = parseUuid(context.req.param('id') ?? '');
  const changed =
    id === undefined ? undefined : await ports.apiKeys.change(principal.organizationId, id, { name: name?.trim(), permissions });
  if (changed === undefined) throw noSuchKey();
  return changed === 'last_admin' ? unwrap(bodyFault(['key_permissions'], lastAdmin)) : sendData(context, itemOf(changed));
}
