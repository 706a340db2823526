import { z } from '@hono/zod-openapi';
import { boardAnswerSchema, changedBoardSchema } from '../../../contract/dashboard/boards.ts';
import { dashboardLimits } from '../../../model/dashboard/limits.ts';
import { GatelogError } from '../../../model/errors.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { boardIdOf, boardIdParameter, boardOf, itemOf, refuseName, unknownBoard } from './item.ts';

export const replaceBoard: Endpoint = {
  declaration: {
    method: 'put',
    path: '/v1/boards/{id}',
    operationId: 'replaceBoard',
    summary: 'Replace a board',
    description:
      'Takes a key with the permission `rw` or `admin`, and the whole board, as `GET` shows it, with its `version`. Once somebody else has changed the board, the answer is 409 and nothing is stored: read it again, and change that.',
    security: keyRequired,
    request: { params: z.object({ id: boardIdParameter }), body: { required: true, content: jsonContent(changedBoardSchema) } },
    responses: {
      200: { description: 'Stored, with the next version.', content: jsonContent(boardAnswerSchema) },
      ...problems(400, 404, 409, 413, 415, 422),
    },
  },
  action: 'update',
  bodyMaxBytes: dashboardLimits.boardBytes,
  handle: async ({ context, principal: { organizationId }, ports }) => {
    const id = boardIdOf(context);
    const given = await readInput(context, changedBoardSchema);
    const board = boardOf(organizationId, given);
    const outcome = await ports.boards.replace(organizationId, id, { board, version: given.version });
    if ('stored' in outcome) return sendData(context, itemOf(outcome.stored));
    switch (outcome.refused) {
      case 'unknown':
        throw unknownBoard();
      case 'name_taken':
        return refuseName(board.name);
      case 'changed':
        throw changedMeanwhile(given.version, outcome.version);
    }
  },
};

function changedMeanwhile(given: number, present: number): GatelogError {
  return new GatelogError(
    'changed_meanwhile',
    `The board has version ${present}, not ${given}: somebody else has changed it. Read it again (GET /v1/boards/{id}), and change that.`,
    { details: { path: 'version', version: present } },
  );
}
