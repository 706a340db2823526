import { z } from '@hono/zod-openapi';
import { boardAnswerSchema } from '../../../contract/dashboard/boards.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { boardIdOf, boardIdParameter, itemOf, unknownBoard } from './item.ts';

export const getBoard: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/boards/{id}',
    operationId: 'getBoard',
    summary: 'Read a board',
    security: keyRequired,
    request: { params: z.object({ id: boardIdParameter }) },
    responses: { 200: { description: 'The board.', content: jsonContent(boardAnswerSchema) }, ...problems(404) },
  },
  action: 'read',
  handle: async ({ context, principal, ports }) => {
    const board = await ports.boards.find(principal.organizationId, boardIdOf(context));
    if (board === undefined) throw unknownBoard();
    return sendData(context, itemOf(board));
  },
};
