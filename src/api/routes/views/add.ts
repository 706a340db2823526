import { newViewSchema, viewAnswerSchema } from '../../../contract/dashboard/views.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { itemOf, storedView, viewOf } from './item.ts';

export const addView: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/views',
    operationId: 'addView',
    summary: 'Save a view',
    description:
      "Takes a key with the permission `rw` or `admin`. `search` holds the parameters of the page's address; the service keeps them as they are and does not read them.",
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(newViewSchema) } },
    responses: { 200: { description: 'Saved.', content: jsonContent(viewAnswerSchema) }, ...problems(400, 413, 415, 422) },
  },
  action: 'update',
  handle: async ({ context, principal, ports }) => {
    const view = viewOf(await readInput(context, newViewSchema));
    return sendData(context, itemOf(storedView(await ports.views.add(principal.organizationId, view), view)));
  },
};
