import { z } from '@hono/zod-openapi';
import { requestAnswerSchema } from '../../../contract/requests.ts';
import { GatelogError } from '../../../model/errors.ts';
import { requestStatements } from '../../../query/request.ts';
import { type Endpoint, type EndpointCall, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { firstRows, withBodies } from '../../request-items.ts';
import { requestIdOf, requestIdParameter } from './request-id.ts';

/** `GET /v1/request/{id}` */
export const getRequest: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/request/{id}',
    operationId: 'getRequest',
    summary: 'Get one request',
    security: keyRequired,
    request: {
      params: z.object({ id: requestIdParameter }),
      query: z.object({
        includeBody: z.enum(['true', 'false']).optional().openapi({ description: '`false` leaves both bodies out.', default: 'true' }),
      }),
    },
    responses: { 200: { description: 'The request.', content: jsonContent(requestAnswerSchema) }, ...problems(404, 422, 504) },
  },
  action: 'read',
  handle: answerGet,
};

async function answerGet({ context, principal, ports }: EndpointCall): Promise<Response> {
  const id = requestIdOf(context);
  const { organizationId } = principal;
  const signal = context.req.raw.signal;
  const rows = await firstRows(requestStatements(organizationId, id), ports.run, signal);
  const [item] = await withBodies(organizationId, rows, ports.run, { bodies: wantsBody(context.req.query('includeBody')), signal });
  if (item !== undefined) return context.json({ data: item, error: null });
  if (await ports.isTravelling(organizationId, id)) {
    throw new GatelogError('request_in_flight', `The record of request ${id} is on its way to the store. Ask again in a moment.`);
  }
  throw new GatelogError('not_found', `No request ${id} is on record.`);
}

function wantsBody(text: string | undefined): boolean {
  if (text === undefined || text === 'true' || text === '') return true;
  if (text === 'false') return false;
  throw new GatelogError('invalid_body', '`includeBody` takes true or false.', { details: { path: 'includeBody' } });
}
