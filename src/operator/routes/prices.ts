import { sendData } from '../../api/http/send-json.ts';
import { readJson } from '../../api/http/read-json.ts';
import { unwrap } from '../../contract/fault.ts';
import { type OperatorPriceItem, type PriceImportAnswer, priceImportSchema } from '../../contract/operator.ts';
import { readBody } from '../../contract/read-body.ts';
import { GatelogError } from '../../model/errors.ts';
import type { PriceLine } from '../../model/pricing/price-line.ts';
import type { OperatorCall, OperatorEndpoint } from './endpoint.ts';

/** `GET /prices`: what was imported. */
export const listOperatorPrices: OperatorEndpoint = {
  method: 'GET',
  path: '/prices',
  handle: async ({ context, work }) => sendData(context, work.prices.list().map(itemOf)),
};

/** `POST /prices/import`: takes prices from a list, or only says what that would change. */
export const importOperatorPrices: OperatorEndpoint = { method: 'POST', path: '/prices/import', handle: answerImport };

async function answerImport({ context, work }: OperatorCall): Promise<Response> {
  const order = unwrap(readBody(priceImportSchema, await readJson(context)));
  const { list, source, zero_is_free: zeroIsFree, replace, dry_run: isTrial } = order;
  const done = await work.prices.import({ list, source, zeroIsFree, replace, isTrial });
  if ('fault' in done) {
    const { path, problem } = done.fault;
    throw new GatelogError('invalid_body', `The price list cannot be used: ${path === '' ? 'it' : path} ${problem}.`);
  }
  const data: PriceImportAnswer = {
    changes: done.changes.map(({ line, before }) => ({ ...itemOf(line), before: before ?? null })),
    same: done.same,
    left_out: done.leftOut,
    total: done.total,
  };
  return sendData(context, data);
}

function itemOf({ model, provider, validFrom, source, rates, above = [], contextWindow }: PriceLine): OperatorPriceItem {
  return {
    model,
    provider,
    valid_from: validFrom,
    source,
    rates,
    above: above.map(({ inputTokens, rates: stepRates }) => ({ input_tokens: inputTokens, rates: stepRates })),
    context_window: contextWindow ?? null,
  };
}
