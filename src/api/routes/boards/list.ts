import { boardsAnswerSchema } from '../../../contract/dashboard/boards.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { summaryOf } from './item.ts';

export const listBoards: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/boards',
    operationId: 'listBoards',
    summary: 'List the boards',
    description: 'Boards of charts, which everybody in the organisation sees, without their panels.',
    security: keyRequired,
    responses: { 200: { description: 'The boards.', content: jsonContent(boardsAnswerSchema) }, ...problems() },
  },
  action: 'read',
  handle: async ({ context, principal, ports }) => sendData(context, (await ports.boards.list(principal.organizationId)).map(summaryOf)),
};
