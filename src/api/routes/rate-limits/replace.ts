import { unwrap } from '../../../contract/fault.ts';
import { bodyFault } from '../../../model/fault.ts';
import { rateLimitsAnswerSchema, rateLimitsSchema } from '../../../contract/settings/rate-limits.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { readInput } from '../../http/read-input.ts';

export const replaceRateLimits: Endpoint = {
  declaration: {
    method: 'put',
    path: '/v1/rate-limits',
    operationId: 'replaceRateLimits',
    summary: 'Replace the limits of the organisation',
    description:
      'Takes a key with the permission `admin`. A call that a limit refuses is answered 429 by the gateway. Of several limits the strictest decides. A budget (`u=cents`) sets the most that a call may cost aside before it is made and settles once its cost is known.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(rateLimitsSchema) } },
    responses: {
      200: { description: 'Replaced.', content: jsonContent(rateLimitsAnswerSchema) },
      ...problems(400, 413, 415, 422),
    },
  },
  action: 'administer',
  handle: answerReplace,
};

async function answerReplace({ context, principal, ports }: RequestContext): Promise<Response> {
  const given = await readInput(context, rateLimitsSchema);
  const limits = given.map(({ policy, key_id: keyId }) => ({ policy, keyId: keyId?.toLowerCase() ?? null }));
  const refused = await ports.rateLimits.replace(principal.organizationId, limits);
  if (refused !== undefined) {
    const place = limits.findIndex(({ keyId }) => keyId === refused.unknownKey);
    unwrap(bodyFault([place, 'key_id'], 'The organisation has no such key; `gatelog keys list` shows the identifiers of its keys.'));
  }
  return sendData(
    context,
    limits.map(({ policy, keyId }) => ({ policy, key_id: keyId })),
  );
}
