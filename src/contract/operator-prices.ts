import { z } from '@hono/zod-openapi';

const sourceSentence = '`source` says in 1 to 400 characters where the list comes from.';

export const priceImportSchema = z.object({
  /** In any of the forms that `readPriceList` knows. */
  list: z.unknown(),
  source: z.string(sourceSentence).min(1, sourceSentence).max(400, sourceSentence),
  zero_is_free: z.boolean().default(false),
  /** The imported prices are then those of this list alone. */
  replace: z.boolean().default(false),
  dry_run: z.boolean().default(false),
});

/** US dollars for a million of each kind. */
const ratesSchema = z.record(z.string(), z.number().optional());

const itemShape = {
  model: z.string(),
  /** The provider's name in the public list; null: whoever serves the model. */
  provider: z.string().nullable(),
  valid_from: z.string().nullable(),
  source: z.string(),
  rates: ratesSchema,
  above: z.array(z.object({ input_tokens: z.number(), rates: ratesSchema })),
  context_window: z.number().nullable(),
};

export const operatorPricesAnswerSchema = z.array(z.object(itemShape));
export type OperatorPriceItem = z.infer<typeof operatorPricesAnswerSchema>[number];

export const priceImportAnswerSchema = z.object({
  changes: z.array(z.object({ ...itemShape, before: ratesSchema.nullable() })),
  /** Prices that hold already. */
  same: z.number(),
  left_out: z.object({ zero: z.number(), provider: z.number(), unit: z.number() }),
  /** Imported prices afterwards. */
  total: z.number(),
});
export type PriceImportAnswer = z.infer<typeof priceImportAnswerSchema>;
