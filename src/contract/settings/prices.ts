import { z } from 'zod';
import type { StoredPrice } from '../../model/pricing/stored-price.ts';
import { optionalRates, priceSchema, rateSchema } from './price.ts';

/** Maximum prices per organisation. */
const maxPrices = 500;

const listSentence = `The body is an array of at most ${maxPrices} prices, such as [{"model": "gpt-4o", "input": 2.5, "output": 10}]; an empty one takes all away.`;

export const pricesSchema = z.array(priceSchema, listSentence).max(maxPrices, listSentence).meta({ id: 'Prices' });

export const pricesAnswerSchema = z
  .object({
    data: z.array(
      z.strictObject({
        model: z.string(),
        provider: z.string().nullable().meta({ description: "The provider's name in records." }),
        valid_from: z.string().nullable(),
        input: rateSchema('input'),
        output: rateSchema('output'),
        ...optionalRates,
      }),
    ),
    error: z.null(),
  })
  .meta({ id: 'PricesAnswer', description: 'The prices that hold from now on; gateways and ingest see them within five seconds.' });

type PriceBody = z.infer<typeof pricesSchema>[number];
type PriceItem = z.infer<typeof pricesAnswerSchema>['data'][number];

export function storedPriceOf({ model, provider, valid_from: validFrom, ...rates }: PriceBody): StoredPrice {
  return { model, provider: provider ?? null, validFrom: validFrom ?? null, rates };
}

export function priceItem({ model, provider, validFrom, rates }: StoredPrice): PriceItem {
  return { model, provider, valid_from: validFrom, ...rates, input: rates.input ?? 0, output: rates.output ?? 0 };
}
