import { unwrap } from '../../contract/fault.ts';
import { changesAnswerSchema, feedbackSchema, historyPageSchema, readScores, scoreUpdateSchema } from '../../contract/requests/changes.ts';
import { doneSchema } from '../../contract/responses.ts';
import { propertyUpdateSchema, readPropertyUpdate } from '../../contract/settings/properties.ts';
import { changeItem, type ChangeRow, changesStatement } from '../../query/request-detail/history.ts';
import { type CreatedAtRow, requestKeyStatements } from '../../query/request-detail/lookup.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { hintHeader } from '../http/declared-responses.ts';
import { requestId } from '../http/request-id.ts';
import { findOrThrow } from '../page/not-found.ts';

export const requestProperties = [
  endpoint({
    at: 'PUT /v1/request/{id}/property',
    id: 'updateRequestProperties',
    summary: 'Add or replace properties of a request',
    text: 'Works from the moment at which the caller has the identifier, also while the record is still on its way to the store.',
    action: 'update',
    params: { id: requestId },
    body: { schema: propertyUpdateSchema, read: (body: unknown) => unwrap(readPropertyUpdate(body)) },
    example: { Environment: 'production' },
    answer: doneSchema,
    answered: 'Changed.',
    errors: [400, 404, 413, 415, 422, 504],
    run: async ({ principal, ports, params, body }) => {
      await ports.changeRequest(principal, params.id, { kind: 'property', values: body });
      return null;
    },
  }),
];

/** The other changes of a request, and its history. */
export const requestChanges = [
  endpoint({
    at: 'POST /v1/request/{id}/score',
    id: 'setRequestScores',
    summary: 'Add or replace scores of a request',
    text: 'Works from the moment at which the caller has the identifier, also while the record is still on its way to the store.',
    action: 'update',
    params: { id: requestId },
    body: { schema: scoreUpdateSchema, warnsUnknown: true, read: (body: unknown) => unwrap(readScores(body)) },
    example: { scores: { accuracy: 0.75, helpful: true } },
    answer: doneSchema,
    answered: 'Scored.',
    errors: [400, 404, 413, 415, 422, 504],
    run: async ({ principal, ports, params, body }) => {
      await ports.changeRequest(principal, params.id, { kind: 'score', values: body });
      return null;
    },
  }),
  endpoint({
    at: 'POST /v1/request/{id}/feedback',
    id: 'giveRequestFeedback',
    summary: 'Rate the answer of a request',
    text: 'A later feedback replaces the earlier one. Works from the moment at which the caller has the identifier, also while the record is still on its way to the store.',
    action: 'update',
    params: { id: requestId },
    body: feedbackSchema,
    example: { rating: true },
    answer: doneSchema,
    answered: 'Rated.',
    errors: [400, 404, 413, 415, 422, 504],
    run: async ({ principal, ports, params, body }) => {
      await ports.changeRequest(principal, params.id, { kind: 'feedback', rating: body.rating });
      return null;
    },
  }),
  endpoint({
    at: 'GET /v1/request/{id}/changes',
    id: 'listRequestChanges',
    summary: 'List what was changed of a request',
    text: 'Changes of properties, scores and feedback since the request was recorded, newest first: one entry for each name of each accepted change, with the value before and after. What was changed of its whole session is of the kind `session_property`, one entry for each name of the call, whose `old` is not kept and null. While the record is on its way to the store the answer is 404 with the code `request_in_flight` and the header `svc-hint`.',
    action: 'read',
    params: { id: requestId },
    query: historyPageSchema,
    answer: changesAnswerSchema,
    answered: 'The page.',
    errors: [404, 422, 504],
    errorHeaders: { 404: hintHeader },
    run: async (call) => {
      const { tenant, ports, params, query, signal } = call;
      const { id } = params;
      // A history is stored before its record, so a found request has all of it.
      const key = await findOrThrow<CreatedAtRow>(call, id, requestKeyStatements(tenant, id));
      const rows = await ports.run<ChangeRow>(changesStatement(tenant, { id, createdAt: Number(key.created_ms) }, query), signal);
      return rows.map(changeItem);
    },
  }),
];
