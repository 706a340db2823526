import { z } from 'zod';
import { providerKeyLimits } from '../../model/vocabulary/limits.ts';
import { addressedProviderNamed, addressedProviders, providerAliases } from '../../model/providers/providers.ts';

const { keyCharacters, nameCharacters } = providerKeyLimits;
const providerNames = [...addressedProviders, ...providerAliases.keys()];

const bodyMessage =
  'The body is an object such as {"provider": "openai", "key": "<the key that OpenAI gave you>"}, with a `name` if you like.';
const providerSentence = `\`provider\` is one of ${providerNames.join(', ')}.`;
const keySentence = `\`key\` is the provider's key as it stands in its console: 1 to ${keyCharacters} visible ASCII characters, without "Bearer".`;
const nameSentence = `\`name\` takes 1 to ${nameCharacters} characters, no control characters and not only blanks; leave it out for the key that is used where none is named.`;

const nameSchema = z.string(nameSentence).refine(isName, nameSentence).nullable();

export const newProviderKeySchema = z
  .object(
    {
      provider: z
        .string(providerSentence)
        .transform((name, context) => {
          const provider = addressedProviderNamed(name);
          if (provider === undefined) context.addIssue({ code: 'custom', message: providerSentence });
          return provider ?? z.NEVER;
        })
        .meta({ type: 'string', enum: providerNames, example: 'openai' }),
      key: z
        .string(keySentence)
        .max(keyCharacters, keySentence)
        .regex(/^[\u0021-\u007e]+$/, keySentence)
        .meta({ description: 'The key of the provider. It is encrypted at once and never shown again.', writeOnly: true }),
      name: nameSchema.optional().meta({
        maxLength: nameCharacters,
        description: 'Tells several keys of one provider apart. Without one it is the key that is used where none is named.',
      }),
    },
    bodyMessage,
  )
  .meta({ id: 'NewProviderKey', description: 'A key of a provider that the organisation stores.' });

const shownProviderKeySchema = z
  .object({
    id: z.string().meta({ format: 'uuid' }),
    provider: z.string(),
    name: z.string().nullable(),
    hint: z.string().nullable().meta({
      description: 'The last four characters of the key, shown to keys with the permission `admin`; null for one of less than 20.',
      example: '…abcd',
    }),
    created_at: z.string().meta({ format: 'date-time' }),
    readable: z.boolean().meta({
      description:
        'False: the secret of the deployment is another than the one that the key was encrypted with, so calls that need it are refused. Restore the secret, or delete the key and store it again.',
    }),
  })
  .meta({ id: 'ProviderKey', description: 'What is shown of a stored key; the key itself never is.' });

export const providerKeyAnswerSchema = z
  .object({ data: shownProviderKeySchema, error: z.null() })
  .meta({ id: 'ProviderKeyAnswer', description: 'The key is stored; gateways see it within five seconds.' });

export const providerKeysAnswerSchema = z
  .object({ data: z.array(shownProviderKeySchema), error: z.null() })
  .meta({ id: 'ProviderKeysAnswer', description: 'The keys of the organisation, the newest first.' });

function isName(name: string): boolean {
  return name.trim() !== '' && Array.from(name).length <= nameCharacters && !/\p{Cc}/u.test(name) && name.isWellFormed();
}
