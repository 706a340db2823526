import { z } from 'zod';
import { type RateKind, rateKinds } from '../../model/vocabulary/prices.ts';

/** Maximum characters of a name, and US dollars per million. */
const maxName = 256;
const highestPrice = 1_000_000_000;

const priceSentence =
  'A price is an object such as {"model": "gpt-4o", "input": 2.5, "output": 10}, with `provider` and `valid_from` if it holds for one provider and from one day, and prices of further kinds of tokens.';
const modelSentence = `\`model\` is a model's name of 1 to ${maxName} characters; a \`*\` at its end stands for all that begin so.`;
const providerSentence = '`provider` is a name such as openai; leave it out for whoever serves the model.';
const dateSentence = '`valid_from` is a date, UTC, such as "2026-01-31"; leave it out if the price always held.';

const descriptions: Readonly<Record<RateKind, string>> = {
  input: 'Input of no other kind.',
  cache_read: 'Input that was read from a cache.',
  cache_read_audio: 'Audio that was read from a cache.',
  cache_write: 'Input that was written to a cache.',
  cache_write_1h: 'Input that was written to a cache for an hour.',
  cache_write_12h: 'Input that was written to a cache for twelve hours.',
  input_audio: 'Audio in the input.',
  input_image: 'Images in the input.',
  output: 'Output of no other kind.',
  output_audio: 'Audio in the output.',
  output_image: 'Images in the output.',
  reasoning: 'Reasoning in the output.',
  request: 'A million calls, each of which costs a fee beside its tokens.',
  audio_seconds: 'A million seconds of audio, where these are billed in place of tokens.',
  web_search: 'A million searches of the web, each of which costs a fee.',
  file_search: 'A million searches in stored files, each of which costs a fee.',
};

export function rateSchema(kind: RateKind) {
  const sentence = `\`${kind}\` is a number of US dollars for a million, from 0 to ${highestPrice}.`;
  return z.number(sentence).min(0, sentence).max(highestPrice, sentence).meta({ description: descriptions[kind], example: 2.5 });
}

type RateSchema = ReturnType<typeof rateSchema>;
type OptionalRates = { readonly [Kind in Exclude<RateKind, 'input' | 'output'>]: z.ZodOptional<RateSchema> };

export const optionalRates = Object.fromEntries(
  rateKinds.filter((kind) => kind !== 'input' && kind !== 'output').map((kind) => [kind, rateSchema(kind).optional()]),
) as OptionalRates;

const fields = {
  model: z
    .string(modelSentence)
    .min(1, modelSentence)
    .max(maxName, modelSentence)
    .refine((name) => name.isWellFormed() && !name.slice(0, -1).includes('*'), modelSentence)
    .meta({ example: 'gpt-4o', description: modelSentence }),
  provider: z.string(providerSentence).nullable(),
  valid_from: z
    .string(dateSentence)
    .refine(isDate, dateSentence)
    .nullable()
    .meta({ format: 'date', example: '2026-01-31', description: 'Date (UTC) from which it holds; absent or null: always.' }),
};

/** TRICKY: `Date.parse` reads 31 February as 3 March. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

export const priceSchema = z
  .strictObject(
    {
      model: fields.model,
      provider: fields.provider.optional().meta({
        description: 'The only provider for which it holds, by its name in paths or in records; absent or null: whoever serves the model.',
        example: 'openai',
      }),
      valid_from: fields.valid_from.optional(),
      input: rateSchema('input'),
      output: rateSchema('output'),
      ...optionalRates,
    },
    // Unknown kinds are refused: a misspelt one would make calls cheaper than they are.
    { error: (issue) => (issue.code === 'unrecognized_keys' ? `${unknownKeys(issue['keys'])} ${priceSentence}` : priceSentence) },
  )
  .meta({
    id: 'Price',
    description:
      'What a model costs: US dollars for a million of each kind. A kind without a price is billed with the one that it is a part of.',
  });

function unknownKeys(keys: unknown): string {
  const [first] = Array.isArray(keys) ? (keys as readonly string[]) : [];
  return `There is no price called ${JSON.stringify((first ?? '').slice(0, 100))}; the kinds are ${rateKinds.join(', ')}.`;
}
