import { z } from '@hono/zod-openapi';
import { propertyLimits, propertyListLimits } from '../model/vocabulary/limits.ts';
import { propertyNameSchema } from './settings/properties.ts';

const bodyMessage = 'The body is an object; {}, or no body, will do.';

const namedMessage = 'The body is an object such as {"key": "Environment"}.';
const keySentence = `\`key\` is the name of a property: 1 to ${propertyLimits.nameCharacters} characters.`;

export const namedPropertySchema = z
  .object(
    {
      key: z
        .string(keySentence)
        .refine((name) => name !== '' && Array.from(name).length <= propertyLimits.nameCharacters, keySentence)
        .openapi({ minLength: 1, maxLength: propertyLimits.nameCharacters, example: 'Environment' }),
    },
    namedMessage,
  )
  .openapi('NamedProperty', { description: 'The property that is meant, with its case.' });

export const propertyVisibilitySchema = z
  .object(
    {
      hidden: z.boolean('`hidden` takes true or false.').optional().openapi({
        description: 'True leaves the name out of lists, false shows it again; either declares nothing. Without it the name is declared.',
      }),
    },
    'The body is an object such as {"hidden": true}; without a body the name is declared.',
  )
  .openapi('PropertyVisibility', { description: 'Whether lists show the property.' });

const termSentence = `\`searchTerm\` takes a text of at most ${propertyLimits.valueBytes} characters.`;
const searchTerm = z.string(termSentence).max(propertyLimits.valueBytes, termSentence);

export const propertyListSchema = z
  .object(
    {
      searchTerm: searchTerm.optional().openapi({ description: 'Part of the name, in any case; without it every name.', example: 'team' }),
    },
    bodyMessage,
  )
  .openapi('PropertyListQuery', { description: 'Which names are listed.' });

const searchMessage = 'The body is an object such as {"searchTerm": "prod"}; {"searchTerm": ""} finds every value.';

export const propertySearchSchema = z
  .object(
    {
      searchTerm: searchTerm.openapi({ description: 'Part of the value, in any case; empty: every value.', example: 'prod' }),
    },
    searchMessage,
  )
  .openapi('PropertySearch', { description: 'What the values contain.' });

export const propertyInPath = propertyNameSchema.openapi({
  param: { name: 'name', in: 'path' },
  description: 'The name of the property with its case, percent-encoded.',
});

export const propertyNamesAnswerSchema = z
  .object({
    data: z.array(z.object({ property: z.string().openapi({ example: 'Environment' }) })),
    error: z.null(),
  })
  .openapi('PropertyNamesAnswer', { description: `At most ${propertyListLimits.names} names, in the order of their bytes.` });

export const propertyValuesAnswerSchema = z
  .object({ data: z.array(z.string()), error: z.null() })
  .openapi('PropertyValuesAnswer', { description: 'At most 25 values: those that begin with the term first, then by their bytes.' });

export const changedVisibilitySchema = z
  .object({ data: z.object({ ok: z.literal(true) }), error: z.null() })
  .openapi('ChangedVisibility', { description: 'Every later list is so.' });
