import { z } from 'zod';
import { costSources } from '../../model/record/request-record.ts';
import { priceSchema } from '../settings/price.ts';
import { priceTables, rateKinds } from '../../model/vocabulary/prices.ts';

const usd = z.number();

const lineSchema = z
  .strictObject({
    kind: z.enum([...rateKinds, 'total']).meta({
      description:
        '`request` is a fee per call, `web_search` and `file_search` one per search, `audio_seconds` a time, `total` a figure that nobody has split; the others are kinds of tokens.',
    }),
    tokens: z
      .number()
      .nullable()
      .meta({ description: 'Tokens of this kind, no token on two lines, or searches, seconds, calls; null for `total`.' }),
    price_per_million: usd.nullable().meta({ description: 'US dollars for a million of them; null for `total`.' }),
    amount: usd.meta({ description: 'US dollars.' }),
    price_source: z.enum([...priceTables, 'provider', 'header']).meta({
      description:
        'Where the price stands: `organization` is `PUT /v1/prices`, `prices-file` the prices of the operator (`GATELOG_PRICES_FILE`), `corrections` what Gatelog knows better than the public list, `price-book` that list, `service-tiers` our table of tiers, `built-in` that of the echo provider. `provider` and `header` are figures that the provider or the caller stated.',
    }),
    stated_by: z.string().nullable().meta({
      description: 'Who says so, and when, such as `@pydantic/genai-prices 0.1.8 of 2026-09-23`; null when its table is its own source.',
    }),
    valid_from: z.string().nullable().meta({ description: 'Date (UTC) from which the price holds; null when its table gives none.' }),
  })
  .meta({ id: 'CostLine', description: 'One kind of token, its price and what it comes to.' });

export const requestCostAnswerSchema = z
  .object({
    data: z
      .strictObject({
        total: usd.nullable().meta({ description: 'US dollars, as `cost` of the request; null when it is not known.' }),
        source: z.enum(costSources).meta({ description: 'As `cost_source` of the request.' }),
        lines: z.array(lineSchema).meta({ description: 'They add up exactly to the total, as decimals of twelve places.' }),
        recomputed_total: usd.nullable().meta({
          description: 'The cost by the prices of its time as the tables have them now; null when they have none.',
        }),
        differs: z.boolean().meta({
          description: 'True when `recomputed_total` is not the total: prices were changed since. `gatelog reprice` applies them.',
        }),
        nearest: z
          .strictObject({
            model: z.string().meta({ description: 'Its name in the list.' }),
            line: priceSchema.meta({
              description:
                'Its price under the name of the model without one: a line for the list of `PUT /v1/prices`, or for `gatelog prices import`.',
            }),
          })
          .nullable()
          .meta({
            description:
              'The model with a price whose name is most like that of a model without one; null when there is a price, or no such name.',
          }),
        note: z.string().nullable().meta({ description: 'What the lines do not say.' }),
      })
      .meta({ id: 'RequestCost', description: 'What a request costs and why.' }),
    error: z.null(),
  })
  .meta({ id: 'RequestCostAnswer' });

export type RequestCost = z.infer<typeof requestCostAnswerSchema>['data'];
