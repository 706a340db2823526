import { z } from 'zod';
import { filterSchema } from './filter.ts';
import { policySchema } from './settings/rate-limits.ts';

/** Requests of one simulation. */
export const maxSimulated = 500_000;

const bodyMessage = 'The body is an object such as {"filter": "all", "model": "gpt-4.1-mini"}.';
const providerMeta = {
  description:
    'Who would serve the model, named as in paths (`openai`) or in records (`OPENAI`); without it, the maker of the model. It takes a `model`.',
  example: 'openai',
};

export const priceSimulationSchema = z
  .object(
    {
      filter: filterSchema.optional(),
      model: z
        .string('`model` takes the name of a model, such as "gpt-4.1-mini".')
        .min(1, '`model` takes the name of a model, such as "gpt-4.1-mini".')
        .max(256, '`model` has at most 256 characters.')
        .optional()
        .meta({ description: 'Another model, at its present price; absent: each request keeps its own, at the price of its time.' }),
      provider: z.string('`provider` takes the name of a provider, such as "openai".').max(64).optional().meta(providerMeta),
      tier: z
        .string('`tier` takes the name of a service tier, such as "batch", "flex", "priority" or "default".')
        .max(64, '`tier` has at most 64 characters.')
        .optional()
        .meta({
          description:
            'Another service tier, as the provider names it in its answers; `default` means none. Absent: that of each request where the provider stays, else none.',
          example: 'batch',
        }),
      cache: z
        .boolean('`cache` takes true or false.')
        .optional()
        .meta({ description: "False: as if nothing had been read from the provider's cache or written to it.", default: true }),
    },
    bodyMessage,
  )
  .refine(({ filter }) => filter !== undefined, { path: ['filter'], error: '`filter` is required; "all" takes every request.' })
  .refine(({ model, tier, cache }) => model !== undefined || tier !== undefined || cache === false, {
    path: ['model'],
    error: 'Say what would be different: `model`, `tier`, or `cache`: false.',
  })
  .refine(({ model, provider }) => provider === undefined || model !== undefined, {
    path: ['provider'],
    error: '`provider` says who serves a `model`: name that too.',
  })
  .meta({ id: 'PriceSimulation', description: 'Requests, and what would have been different.' });

const compared = {
  requests: z.int().meta({ description: 'Requests whose cost is known both ways.' }),
  cost: z.number().meta({ description: 'What these cost, US dollars.' }),
  simulated_cost: z.number().meta({ description: 'What they would have cost.' }),
} as const;

export const priceSimulationAnswerSchema = z
  .object({
    data: z
      .strictObject({
        model: z.string().nullable().meta({ description: 'The other model; null: each request keeps its own.' }),
        provider: z.string().nullable().meta({ description: 'The provider of the other model, as in records.' }),
        matched: z.int().meta({ description: 'Requests that the filter matches.' }),
        ...compared,
        estimated: z.int().meta({
          description:
            'Of the compared requests, those whose tokens do not carry over for certain: another model counts the same text otherwise, or their own tokens were estimated.',
        }),
        unchanged: z.int().meta({
          description:
            'Of the compared requests, those whose cost stays: answered from the cache of this service, or, where the model stays, with a cost that the caller or the provider stated.',
        }),
        left_out: z
          .strictObject({
            without_cost: z.int().meta({ description: 'Their own cost is not known.' }),
            without_price: z.int().meta({ description: 'There is no price for what would have been, or their tokens are not known.' }),
            cost: z.number().meta({ description: 'What those without a price cost, US dollars.' }),
          })
          .meta({ id: 'SimulationLeftOut', description: 'Requests that are not compared.' }),
        by_day: z.array(z.strictObject({ day: z.string().meta({ description: 'UTC.', example: '2026-01-31' }), ...compared })),
        by_model: z
          .array(z.strictObject({ model: z.string().nullable(), ...compared }))
          .meta({ description: 'By the model that was called, the most expensive first; beyond 100 models the rest is under null.' }),
      })
      .meta({ id: 'PriceSimulationReport', description: 'What requests cost, and what they would have cost.' }),
    error: z.null(),
  })
  .meta({ id: 'PriceSimulationAnswer' });

export type PriceSimulationItem = z.infer<typeof priceSimulationAnswerSchema>['data'];

const limitBodyMessage = 'The body is an object such as {"filter": "all", "policy": "1000;w=86400;u=cents;s=user"}.';

export const limitSimulationSchema = z
  .object({ filter: filterSchema.optional(), policy: policySchema }, limitBodyMessage)
  .refine(({ filter }) => filter !== undefined, { path: ['filter'], error: '`filter` is required; "all" takes every request.' })
  .meta({ id: 'LimitSimulation', description: 'Requests, and a limit that they would have met.' });

const limited = {
  requests: z.int().meta({ description: 'Requests that the limit counts.' }),
  refused: z.int().meta({ description: 'Of these, those that it would have refused.' }),
  cost: z.number().meta({ description: 'What all of these cost, US dollars.' }),
  refused_cost: z.number().meta({ description: 'What those that it would have refused cost.' }),
} as const;

export const limitSimulationAnswerSchema = z
  .object({
    data: z
      .strictObject({
        policy: z.string(),
        ...limited,
        outside: z
          .int()
          .meta({ description: 'Requests without a user, or without the property, that the limit counts by; it never refuses them.' }),
        without_cost: z.int().meta({ description: 'Requests whose cost is not known; a budget counts nothing of them here.' }),
        first_refused_at: z
          .string()
          .nullable()
          .meta({ description: 'When the first request would have been refused, ISO 8601; null: none.' }),
        by_day: z.array(z.strictObject({ day: z.string().meta({ description: 'UTC.', example: '2026-01-31' }), ...limited })),
        segments: z
          .array(z.strictObject({ value: z.string(), ...limited }))
          .meta({ description: 'The 20 users or values of the property with the most refused requests.' }),
      })
      .meta({ id: 'LimitSimulationReport', description: 'What a limit would have refused.' }),
    error: z.null(),
  })
  .meta({ id: 'LimitSimulationAnswer' });

export type LimitSimulationItem = z.infer<typeof limitSimulationAnswerSchema>['data'];
