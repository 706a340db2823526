import { z } from '@hono/zod-openapi';
import { doneSchema } from '../../../contract/responses.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { unknownView, viewIdOf, viewIdParameter } from './item.ts';

export const deleteView: Endpoint = {
  declaration: {
    method: 'delete',
    path: '/v1/views/{id}',
    operationId: 'deleteView',
    summary: 'Delete a saved view',
    description: 'Takes a key with the permission `rw` or `admin`.',
    security: keyRequired,
    request: { params: z.object({ id: viewIdParameter }) },
    responses: { 200: { description: 'Deleted.', content: jsonContent(doneSchema) }, ...problems(404, 413) },
  },
  action: 'update',
  handle: async ({ context, principal, ports }) => {
    if (!(await ports.views.remove(principal.organizationId, viewIdOf(context)))) throw unknownView();
    return sendData(context, null);
  },
};
