import { z } from 'zod';
import { assetAnswerSchema } from '../../contract/requests/assets.ts';
import { requestCostAnswerSchema } from '../../contract/requests/cost.ts';
import { beginningLength, requestBeginningAnswerSchema } from '../../contract/requests/beginning.ts';
import { requestAnswerSchema } from '../../contract/requests/query.ts';
import { GatelogError } from '../../model/errors.ts';
import { quoted } from '../../model/text.ts';
import { billedRequest, billedRequestStatements, type BilledRow } from '../../query/request-detail/billed.ts';
import { requestCost } from '../../query/request-detail/cost.ts';
import { requestStatements } from '../../query/request-detail/lookup.ts';
import type { RequestRow } from '../../query/requests/columns.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { hintHeader } from '../http/declared-responses.ts';
import { requestId } from '../http/request-id.ts';
import { readBeginnings } from '../page/beginnings.ts';
import { itemOf, itemsOf } from '../page/items.ts';
import { findOrThrow } from '../page/not-found.ts';
import { onlyRow } from '../page/only-row.ts';

const parametersSchema = z.object({
  includeBody: z
    .enum(['true', 'false', ''], '`includeBody` takes true or false.')
    .default('true')
    .transform((text) => text !== 'false')
    .meta({ type: 'string', enum: ['true', 'false'], default: 'true', description: '`false` leaves both bodies out.' }),
});

const assetId = {
  schema: z.string().meta({ param: { name: 'assetId', in: 'path' }, description: 'Identifier from `asset_ids`.' }),
  read: (text: string) => text,
};

/** One request as a whole. */
export const request = [
  endpoint({
    at: 'GET /v1/request/{id}',
    id: 'getRequest',
    summary: 'Get one request',
    text: 'While the record is on its way to the store the answer is 404 with the code `request_in_flight` and the header `svc-hint`.',
    action: 'read',
    params: { id: requestId },
    query: parametersSchema,
    answer: requestAnswerSchema,
    answered: 'The request.',
    errors: [404, 422, 504],
    errorHeaders: { 404: hintHeader },
    readsBodies: ({ query }) => (query.includeBody ? {} : undefined),
    run: async (call) => {
      const { tenant, params, query } = call;
      const readRow = (): Promise<RequestRow> => findOrThrow<RequestRow>(call, params.id, requestStatements(tenant, params.id));
      if (query.includeBody) return itemOf(call, params.id, readRow);
      return onlyRow(await itemsOf(call, [await readRow()], false));
    },
  }),
];

/** What a request says of something in it. */
export const requestParts = [
  endpoint({
    at: 'GET /v1/request/{id}/beginning',
    id: 'getRequestBeginning',
    summary: 'Get one request with the beginnings of its bodies',
    text: `The request without its bodies, and of each body the first ${beginningLength} characters: they are there at once, however long the bodies are. While the record is on its way to the store the answer is 404 with the code \`request_in_flight\` and the header \`svc-hint\`.`,
    action: 'read',
    params: { id: requestId },
    answer: requestBeginningAnswerSchema,
    answered: 'The request and the beginnings.',
    errors: [404, 422, 504],
    errorHeaders: { 404: hintHeader },
    readsBodies: () => ({}),
    run: async (call) => {
      const { tenant, params } = call;
      const row = await findOrThrow<RequestRow>(call, params.id, requestStatements(tenant, params.id));
      const [items, beginnings] = await Promise.all([itemsOf(call, [row], false), readBeginnings(call, row)]);
      return { request: onlyRow(items), ...beginnings };
    },
  }),
  endpoint({
    at: 'GET /v1/request/{id}/cost',
    id: 'explainRequestCost',
    summary: 'Explain what a request costs',
    text: 'Each kind of token with its price, where that stands and since when it holds. The price that was applied is kept with the record, so the explanation stays true when the tables change; `differs` says when they have. While the record is on its way to the store the answer is 404 with the code `request_in_flight` and the header `svc-hint`.',
    action: 'read',
    params: { id: requestId },
    answer: requestCostAnswerSchema,
    answered: 'The explanation.',
    errors: [404, 422, 504],
    errorHeaders: { 404: hintHeader },
    run: async (call) => {
      const { tenant, ports, params } = call;
      const row = await findOrThrow<BilledRow>(call, params.id, billedRequestStatements(tenant, params.id));
      return requestCost(ports.prices.explain(tenant, billedRequest(row)));
    },
  }),
  endpoint({
    at: 'POST /v1/request/{id}/assets/{assetId}',
    id: 'getRequestAsset',
    summary: 'Get the address of a picture of a request',
    text: 'Pictures stay inside the recorded bodies, so an address is known only of an asset that is one itself; of every other the answer is 404.',
    action: 'read',
    params: { id: requestId, assetId },
    answer: assetAnswerSchema,
    answered: 'Its address.',
    errors: [404, 504],
    run: async (call) => {
      const { tenant, params } = call;
      const { assets } = await findOrThrow<RequestRow>(call, params.id, requestStatements(tenant, params.id));
      if (!assets.includes(params.assetId)) {
        throw new GatelogError(
          'not_found',
          `Request ${params.id} has no asset ${quoted(params.assetId)}; pictures stand in its bodies, at signed_body_url.`,
        );
      }
      if (!/^https?:\/\//.test(params.assetId)) {
        throw new GatelogError('not_found', `No address is known of the asset ${quoted(params.assetId)} of request ${params.id}.`);
      }
      return { assetUrl: params.assetId };
    },
  }),
];
