import { unwrap } from '../../../contract/fault.ts';
import { bodyFault } from '../../../model/fault.ts';
import { limitOfRuleSentence, rateLimitsAnswerSchema, rateLimitsSchema } from '../../../contract/settings/rate-limits.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { readInput } from '../../http/read-input.ts';
import { shownLimit } from './shown.ts';

export const replaceRateLimits: Endpoint = {
  declaration: {
    method: 'put',
    path: '/v1/rate-limits',
    operationId: 'replaceRateLimits',
    summary: 'Replace the limits of the organisation',
    description:
      'Takes a key with the permission `admin`. A call that a limit refuses is answered 429 by the gateway. Of several limits the strictest decides. A budget (`u=cents`) sets the most that a call may cost aside before it is made and settles once its cost is known. Limits of alert rules (`alert_id`) stay as they are.',
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
  const { organizationId } = principal;
  const given = (await readInput(context, rateLimitsSchema)).map((limit, index) => ({ ...limit, index }));
  const ofRules = (await ports.rateLimits.list(organizationId)).filter(({ rule }) => rule !== undefined);
  const strange = given.find(
    ({ alert_id: id, policy }) => id !== undefined && !ofRules.some((limit) => limit.rule?.id === id && limit.policy === policy),
  );
  if (strange !== undefined) unwrap(bodyFault([strange.index, 'alert_id'], limitOfRuleSentence));
  const own = given.filter(({ alert_id: id }) => id === undefined);
  const limits = own.map(({ policy, key_id: keyId }) => ({ policy, keyId: keyId?.toLowerCase() ?? null }));
  const refused = await ports.rateLimits.replace(organizationId, limits);
  if (refused !== undefined) {
    const place = own.find(({ key_id: keyId }) => keyId?.toLowerCase() === refused.unknownKey)?.index ?? 0;
    unwrap(bodyFault([place, 'key_id'], 'The organisation has no such key; `gatelog keys list` shows the identifiers of its keys.'));
  }
  return sendData(context, [...limits, ...ofRules].map(shownLimit));
}
