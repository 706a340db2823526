import { z } from '@hono/zod-openapi';
import { assetAnswerSchema } from '../../../contract/requests/assets.ts';
import { GatelogError } from '../../../model/errors.ts';
import { quoted } from '../../../model/text.ts';
import { requestStatements } from '../../../query/request-detail/lookup.ts';
import type { RequestRow } from '../../../query/requests/columns.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { findOrThrow } from '../../page/not-found.ts';
import { requestIdOf, requestIdParameter } from './request-id.ts';

export const getRequestAsset: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/request/{id}/assets/{assetId}',
    operationId: 'getRequestAsset',
    summary: 'Get the address of a picture of a request',
    description:
      'Pictures stay inside the recorded bodies, so an address is known only of an asset that is one itself; of every other the answer is 404.',
    security: keyRequired,
    request: {
      params: z.object({
        id: requestIdParameter,
        assetId: z.string().openapi({ param: { name: 'assetId', in: 'path' }, description: 'Identifier from `asset_ids`.' }),
      }),
    },
    responses: { 200: { description: 'Its address.', content: jsonContent(assetAnswerSchema) }, ...problems(404, 504) },
  },
  action: 'read',
  handle: answerAsset,
};

async function answerAsset(call: RequestContext): Promise<Response> {
  const { context, principal } = call;
  const id = requestIdOf(context);
  const assetId = context.req.param('assetId') ?? '';
  const { assets } = await findOrThrow<RequestRow>(call, id, requestStatements(principal.organizationId, id));
  if (!assets.includes(assetId)) {
    throw new GatelogError('not_found', `Request ${id} has no asset ${quoted(assetId)}; pictures stand in its bodies, at signed_body_url.`);
  }
  if (!/^https?:\/\//.test(assetId)) {
    throw new GatelogError('not_found', `No address is known of the asset ${quoted(assetId)} of request ${id}.`);
  }
  return sendData(context, { assetUrl: assetId });
}
