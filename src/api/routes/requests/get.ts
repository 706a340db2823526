import { z } from '@hono/zod-openapi';
import { requestAnswerSchema } from '../../../contract/requests/query.ts';
import { GatelogError } from '../../../model/errors.ts';
import { requestStatements } from '../../../query/request-detail/lookup.ts';
import type { RequestRow } from '../../../query/requests/columns.ts';
import { type Endpoint, type RequestContext, hintHeader, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { warnUnknownParameters } from '../../http/read-input.ts';
import { findOrThrow } from '../../page/not-found.ts';
import { itemOf, itemsOf } from '../../page/items.ts';
import { requestIdOf, requestIdParameter } from './request-id.ts';

const failures = problems(404, 422, 504);
const parametersSchema = z.object({
  includeBody: z.enum(['true', 'false']).optional().openapi({ description: '`false` leaves both bodies out.', default: 'true' }),
});

export const getRequest: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/request/{id}',
    operationId: 'getRequest',
    summary: 'Get one request',
    description:
      'While the record is on its way to the store the answer is 404 with the code `request_in_flight` and the header `svc-hint`.',
    security: keyRequired,
    request: {
      params: z.object({ id: requestIdParameter }),
      query: parametersSchema,
    },
    responses: {
      200: { description: 'The request.', content: jsonContent(requestAnswerSchema) },
      ...failures,
      404: { ...failures[404], headers: hintHeader },
    },
  },
  action: 'read',
  handle: answerGet,
};

/** Identifier → statements → row and bodies → item. */
async function answerGet(call: RequestContext): Promise<Response> {
  const { context, principal } = call;
  const tenant = principal.organizationId;
  const id = requestIdOf(context);
  warnUnknownParameters(context, parametersSchema);
  const withBodies = wantsBody(context.req.query('includeBody'));
  const readRow = (): Promise<RequestRow> => findOrThrow<RequestRow>(call, id, requestStatements(tenant, id));
  if (withBodies) return sendData(context, await itemOf(call, id, readRow));
  const [item] = await itemsOf(call, [await readRow()], false);
  return sendData(context, item);
}

function wantsBody(text: string | undefined): boolean {
  if (text === undefined || text === 'true' || text === '') return true;
  if (text === 'false') return false;
  throw new GatelogError('invalid_parameter', '`includeBody` takes true or false.', { details: { path: 'includeBody' } });
}
