import { z } from 'zod';
import { propertyLimits } from '../../model/vocabulary/limits.ts';
import { filterSchema } from '../filter.ts';
import { increment, namedTimeFilter, zoneDifference } from './by-name.ts';

const bodyMessage = 'The body is a JSON object such as {"timeFilter": {"start": "2026-01-01", "end": "2026-02-01"}}.';

export const topValuesQuerySchema = z
  .object({ timeFilter: namedTimeFilter }, bodyMessage)
  .meta({ id: 'TopValuesQuery', description: 'The range of a question for the top values of a property.' });

const value = z.string().meta({ description: 'Value of the property; `Other` for all further values together.' });

export const topCostsAnswerSchema = z.object({ data: z.array(z.object({ value, cost: z.number() })), error: z.null() }).meta({
  id: 'TopCostsAnswer',
  description: 'The ten most expensive values, then `Other` where there are more. All add up to the whole exactly.',
});

export const topRequestsAnswerSchema = z
  .object({ data: z.array(z.object({ value, count: z.number() })), error: z.null() })
  .meta({ id: 'TopRequestsAnswer', description: 'The ten most frequent values, then `Other` where there are more.' });

const keySentence = `\`propertyKey\` is the name of a property: 1 to ${propertyLimits.nameCharacters} characters.`;

export const propertyOverTimeQuerySchema = z
  .object(
    {
      propertyKey: z
        .string(keySentence)
        .refine((name) => name !== '' && Array.from(name).length <= propertyLimits.nameCharacters, keySentence)
        .meta({ minLength: 1, maxLength: propertyLimits.nameCharacters, example: 'Environment' }),
      timeFilter: namedTimeFilter,
      userFilter: filterSchema.optional(),
      dbIncrement: increment,
      timeZoneDifference: zoneDifference,
    },
    'The body is a JSON object such as {"propertyKey": "Environment", "dbIncrement": "day"}.',
  )
  .meta({ id: 'PropertyOverTimeQuery', description: 'A question for a property over time.' });

export const propertyOverTimeAnswerSchema = z
  .object({
    data: z.array(
      z.object({
        property: z.string().meta({ description: 'Value of the property.' }),
        total_cost: z.number(),
        request_count: z.number(),
        created_at_trunc: z.string().meta({ description: 'Start of the bucket, ISO 8601.' }),
      }),
    ),
    error: z.null(),
  })
  .meta({ id: 'PropertyOverTimeAnswer', description: 'By time, then the most expensive value first; at most 10,000 rows.' });
