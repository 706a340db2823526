import { z } from '@hono/zod-openapi';

/** Shapes of upstream's registry of models. */

const usd = z.number().optional();

const pricing = z
  .object({
    prompt: z.number().nullable().openapi({ description: 'Input; null where the list has no price.' }),
    completion: z.number().nullable().openapi({ description: 'Output; null where the list has no price.' }),
    cacheRead: usd,
    cacheWrite: usd,
    audio: usd,
    image: usd,
    internal_reasoning: usd,
    web_search: usd,
    threshold: z.number().optional().openapi({ description: 'Input tokens above which the price holds.' }),
  })
  .openapi('ModelPricing', { description: 'US dollars for a million tokens, or searches.' });

const registeredModel = z
  .object({
    id: z.string().openapi({ example: 'gpt-4o-mini' }),
    name: z.string(),
    author: z.string().openapi({ description: 'The first provider that lists the model.' }),
    contextLength: z.number().nullable(),
    description: z.string().nullable(),
    endpoints: z.array(
      z.object({
        provider: z.string().openapi({ description: 'What to write before the model: `provider/model`.', example: 'openai' }),
        providerSlug: z.string().openapi({ description: 'Same as provider.' }),
        pricing,
        pricingTiers: z.array(pricing).optional(),
      }),
    ),
    inputModalities: z.array(z.string()).openapi({ description: 'Empty: the price list does not tell.' }),
    outputModalities: z.array(z.string()).openapi({ description: 'Empty, as before.' }),
    supportedParameters: z.array(z.string()).openapi({ description: 'Empty, as before.' }),
  })
  .openapi('RegisteredModel');

export const registryAnswerSchema = z
  .object({
    data: z.object({
      models: z.array(registeredModel),
      total: z.int(),
      filters: z.object({
        providers: z.array(z.object({ name: z.string(), displayName: z.string() })),
        authors: z.array(z.string()),
        capabilities: z.array(z.string()).openapi({ description: 'What prices tell: audio, caching, image, reasoning, web_search.' }),
      }),
    }),
    error: z.null(),
  })
  .openapi('ModelRegistryAnswer', { description: 'Models of the price list that are not outdated.' });

type Deep<Shape> = Shape extends object ? { readonly [Key in keyof Shape]: Deep<Shape[Key]> } : Shape;

export type RegistryAnswer = Deep<z.infer<typeof registryAnswerSchema>>;
