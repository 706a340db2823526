import { z } from 'zod';

/** Shapes of upstream's registry of models. */

const usd = z.number().optional();

const pricing = z
  .object({
    prompt: z.number().nullable().meta({ description: 'Input; null where the list has no price.' }),
    completion: z.number().nullable().meta({ description: 'Output; null where the list has no price.' }),
    cacheRead: usd,
    cacheWrite: usd,
    audio: usd,
    image: usd,
    internal_reasoning: usd,
    web_search: usd,
    threshold: z.number().optional().meta({ description: 'Input tokens above which the price holds.' }),
  })
  .meta({ id: 'ModelPricing', description: 'US dollars for a million tokens, or searches.' });

const registeredModel = z
  .object({
    id: z.string().meta({ example: 'gpt-4o-mini' }),
    name: z.string(),
    author: z.string().meta({ description: 'The first provider that lists the model.' }),
    contextLength: z.number().nullable(),
    description: z.string().nullable(),
    endpoints: z.array(
      z.object({
        provider: z.string().meta({ description: 'What to write before the model: `provider/model`.', example: 'openai' }),
        providerSlug: z.string().meta({ description: 'Same as provider.' }),
        pricing,
        pricingTiers: z.array(pricing).optional(),
      }),
    ),
    inputModalities: z.array(z.string()).meta({ description: 'Empty: the price list does not tell.' }),
    outputModalities: z.array(z.string()).meta({ description: 'Empty, as before.' }),
    supportedParameters: z.array(z.string()).meta({ description: 'Empty, as before.' }),
  })
  .meta({ id: 'RegisteredModel' });

export const registryAnswerSchema = z
  .object({
    data: z.object({
      models: z.array(registeredModel),
      total: z.int(),
      filters: z.object({
        providers: z.array(z.object({ name: z.string(), displayName: z.string() })),
        authors: z.array(z.string()),
        capabilities: z.array(z.string()).meta({ description: 'What prices tell: audio, caching, image, reasoning, web_search.' }),
      }),
    }),
    error: z.null(),
  })
  .meta({ id: 'ModelRegistryAnswer', description: 'Models of the price list that are not outdated.' });

type Deep<Shape> = Shape extends object ? { readonly [Key in keyof Shape]: Deep<Shape[Key]> } : Shape;

export type RegistryAnswer = Deep<z.infer<typeof registryAnswerSchema>>;
