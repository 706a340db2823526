import { boardAnswerSchema, newBoardSchema } from '../../../contract/dashboard/boards.ts';
import { dashboardLimits } from '../../../model/dashboard/limits.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { boardOf, itemOf, refuseAnother, refuseName } from './item.ts';

export const addBoard: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/boards',
    operationId: 'addBoard',
    summary: 'Store a board',
    description:
      'Takes a key with the permission `rw` or `admin`. The query of each panel follows the rules of `POST /v1/metrics/query`, so that it can always be asked. What `GET` shows can be sent here; its `id`, `version` and times are ignored.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(newBoardSchema) } },
    responses: { 200: { description: 'Stored.', content: jsonContent(boardAnswerSchema) }, ...problems(400, 413, 415, 422) },
  },
  action: 'update',
  bodyMaxBytes: dashboardLimits.boardBytes,
  handle: async ({ context, principal: { organizationId }, ports }) => {
    const board = boardOf(organizationId, await readInput(context, newBoardSchema));
    const outcome = await ports.boards.add(organizationId, board);
    if (outcome === 'too_many') return refuseAnother();
    if (outcome === 'name_taken') return refuseName(board.name);
    return sendData(context, itemOf(outcome));
  },
};
