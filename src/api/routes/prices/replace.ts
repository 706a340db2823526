import { unwrap } from '../../../contract/fault.ts';
import { bodyFault } from '../../../model/fault.ts';
import { priceItem, pricesAnswerSchema, pricesSchema, storedPriceOf } from '../../../contract/settings/prices.ts';
import { quoted } from '../../../model/text.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import type { PriceRefusal } from '../../ports.ts';
import { readInput } from '../../http/read-input.ts';

export const replacePrices: Endpoint = {
  declaration: {
    method: 'put',
    path: '/v1/prices',
    operationId: 'replacePrices',
    summary: 'Replace the prices of the organisation',
    description:
      'Takes a key with the permission `admin`. Stored prices take precedence over the price book, and add models that it lacks. When several match a call, a whole name beats a prefix with `*`, a longer prefix beats a shorter one, a price for the provider beats one for any provider, and then the latest that was valid at the time of the call applies. They price new records and the reservations of budgets; `POST /v1/prices/apply` prices recorded requests.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(pricesSchema) } },
    responses: {
      200: { description: 'Replaced.', content: jsonContent(pricesAnswerSchema) },
      ...problems(400, 413, 415, 422),
    },
  },
  action: 'administer',
  handle: answerReplace,
};

async function answerReplace({ context, principal, ports }: RequestContext): Promise<Response> {
  const given = (await readInput(context, pricesSchema)).map(storedPriceOf);
  const replaced = await ports.prices.replace(principal.organizationId, given);
  if ('refused' in replaced) return unwrap(bodyFault([replaced.index, ...placeOf[replaced.refused]], sentenceOf(replaced)));
  return sendData(context, replaced.prices.map(priceItem));
}

const placeOf: Readonly<Record<PriceRefusal['refused'], readonly string[]>> = { provider: ['provider'], twice: [] };

function sentenceOf({ refused, text }: PriceRefusal): string {
  switch (refused) {
    case 'provider':
      return `There is no provider called ${quoted(text)}; write its name as in paths (openai) or as in records (OPENAI), or leave it out.`;
    case 'twice':
      return `The price of ${quoted(text)} stands in the list twice, for the same provider and from the same day.`;
  }
}
