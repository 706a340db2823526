import { z } from '@hono/zod-openapi';
import { changesAnswerSchema, historyPageSchema } from '../../../contract/requests/changes.ts';
import { changeItem, type ChangeRow, changesStatement } from '../../../query/request-detail/history.ts';
import { type CreatedAtRow, requestKeyStatements } from '../../../query/request-detail/lookup.ts';
import { type Endpoint, type RequestContext, hintHeader, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { findOrThrow } from '../../page/not-found.ts';
import { requestIdOf, requestIdParameter } from './request-id.ts';
import { readQueryParameters } from '../../http/read-input.ts';

const failures = problems(404, 422, 504);

export const listRequestChanges: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/request/{id}/changes',
    operationId: 'listRequestChanges',
    summary: 'List what was changed of a request',
    description:
      'Changes of properties, scores and feedback since the request was recorded, newest first: one entry for each name of each accepted change, with the value before and after. What was changed of its whole session is of the kind `session_property`, one entry for each name of the call, whose `old` is not kept and null. While the record is on its way to the store the answer is 404 with the code `request_in_flight` and the header `svc-hint`.',
    security: keyRequired,
    request: { params: z.object({ id: requestIdParameter }), query: historyPageSchema },
    responses: {
      200: { description: 'The page.', content: jsonContent(changesAnswerSchema) },
      ...failures,
      404: { ...failures[404], headers: hintHeader },
    },
  },
  action: 'read',
  handle: answerList,
};

/** Identifier and page → the request's key → rows → items. */
async function answerList(call: RequestContext): Promise<Response> {
  const { context, principal, ports } = call;
  const { signal } = context.req.raw;
  const tenant = principal.organizationId;
  const id = requestIdOf(context);
  const page = readQueryParameters(context, historyPageSchema);
  // A history is stored before its record, so a found request has all of it.
  const key = await findOrThrow<CreatedAtRow>(call, id, requestKeyStatements(tenant, id));
  const rows = await ports.run<ChangeRow>(changesStatement(tenant, { id, createdAt: Number(key.created_ms) }, page), signal);
  return sendData(context, rows.map(changeItem));
}
