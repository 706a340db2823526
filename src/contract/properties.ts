import { z } from 'zod';
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
        .meta({ minLength: 1, maxLength: propertyLimits.nameCharacters, example: 'Environment' }),
    },
    namedMessage,
  )
  .meta({ id: 'NamedProperty', description: 'The property that is meant, with its case.' });

export const propertyVisibilitySchema = z
  .object(
    {
      hidden: z.boolean('`hidden` takes true or false.').optional().meta({
        description: 'True leaves the name out of lists, false shows it again; either declares nothing. Without it the name is declared.',
      }),
    },
    'The body is an object such as {"hidden": true}; without a body the name is declared.',
  )
  .meta({ id: 'PropertyVisibility', description: 'Whether lists show the property.' });

const termSentence = `\`searchTerm\` takes a text of at most ${propertyLimits.valueBytes} characters.`;
const searchTerm = z.string(termSentence).max(propertyLimits.valueBytes, termSentence);

export const propertyListSchema = z
  .object(
    {
      searchTerm: searchTerm.optional().meta({ description: 'Part of the name, in any case; without it every name.', example: 'team' }),
    },
    bodyMessage,
  )
  .meta({ id: 'PropertyListQuery', description: 'Which names are listed.' });

const searchMessage = 'The body is an object such as {"searchTerm": "prod"}; {"searchTerm": ""} finds every value.';

export const propertySearchSchema = z
  .object(
    {
      searchTerm: searchTerm.meta({ description: 'Part of the value, in any case; empty: every value.', example: 'prod' }),
    },
    searchMessage,
  )
  .meta({ id: 'PropertySearch', description: 'What the values contain.' });

export const propertyInPath = propertyNameSchema.meta({
  param: { name: 'name', in: 'path' },
  description: 'The name of the property with its case, percent-encoded.',
});

export const propertyNamesAnswerSchema = z
  .object({
    data: z.array(z.object({ property: z.string().meta({ example: 'Environment' }) })),
    error: z.null(),
  })
  .meta({ id: 'PropertyNamesAnswer', description: `At most ${propertyListLimits.names} names, in the order of their bytes.` });

export const propertyValuesAnswerSchema = z
  .object({ data: z.array(z.string()), error: z.null() })
  .meta({ id: 'PropertyValuesAnswer', description: 'At most 25 values: those that begin with the term first, then by their bytes.' });

export const changedVisibilitySchema = z
  .object({ data: z.object({ ok: z.literal(true) }), error: z.null() })
  .meta({ id: 'ChangedVisibility', description: 'The change holds for every later list.' });
