import { z } from '@hono/zod-openapi';
import { newViewSchema, viewAnswerSchema } from '../../../contract/dashboard/views.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { itemOf, storedView, viewIdOf, viewIdParameter, viewOf } from './item.ts';

export const replaceView: Endpoint = {
  declaration: {
    method: 'put',
    path: '/v1/views/{id}',
    operationId: 'replaceView',
    summary: 'Replace a saved view',
    description: 'Takes a key with the permission `rw` or `admin`, and the whole view, as the list shows it. The last call wins.',
    security: keyRequired,
    request: { params: z.object({ id: viewIdParameter }), body: { required: true, content: jsonContent(newViewSchema) } },
    responses: { 200: { description: 'Saved.', content: jsonContent(viewAnswerSchema) }, ...problems(400, 404, 413, 415, 422) },
  },
  action: 'update',
  handle: async ({ context, principal, ports }) => {
    const id = viewIdOf(context);
    const view = viewOf(await readInput(context, newViewSchema));
    return sendData(context, itemOf(storedView(await ports.views.replace(principal.organizationId, id, view), view)));
  },
};
