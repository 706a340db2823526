import { z } from '@hono/zod-openapi';
import { doneSchema } from '../../../contract/responses.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { boardIdOf, boardIdParameter, unknownBoard } from './item.ts';

export const deleteBoard: Endpoint = {
  declaration: {
    method: 'delete',
    path: '/v1/boards/{id}',
    operationId: 'deleteBoard',
    summary: 'Delete a board',
    description: 'Takes a key with the permission `rw` or `admin`.',
    security: keyRequired,
    request: { params: z.object({ id: boardIdParameter }) },
    responses: { 200: { description: 'Deleted.', content: jsonContent(doneSchema) }, ...problems(404, 413) },
  },
  action: 'update',
  handle: async ({ context, principal, ports }) => {
    if (!(await ports.boards.remove(principal.organizationId, boardIdOf(context)))) throw unknownBoard();
    return sendData(context, null);
  },
};
