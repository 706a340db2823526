import { z } from 'zod';
import { keyPermissions } from '../../model/principal.ts';
import { apiKeyLimits } from '../../model/vocabulary/limits.ts';

const { nameCharacters } = apiKeyLimits;

const nameSentence = `\`api_key_name\` takes 1 to ${nameCharacters} characters, no control characters and not only blanks.`;
const permissionsSentence = `\`key_permissions\` is one of ${keyPermissions.join(', ')}: read and write, read, write, or administer the organisation.`;
const serviceSentence = '`service` is true or false.';
const newKeyMessage = 'The body is an object such as {"api_key_name": "checkout", "key_permissions": "rw"}.';
const changeMessage = 'The body is an object with `api_key_name`, `key_permissions` or both, such as {"api_key_name": "checkout"}.';

const nameSchema = z
  .string(nameSentence)
  .refine(
    (name) => name.trim() !== '' && Array.from(name).length <= nameCharacters && !/\p{Cc}/u.test(name) && name.isWellFormed(),
    nameSentence,
  )
  .meta({ minLength: 1, maxLength: nameCharacters, example: 'checkout' });

const permissionsSchema = z.enum(keyPermissions, permissionsSentence).meta({
  description: '`rw` sends calls and queries, `r` queries, `w` only sends calls and logs, `admin` also manages the organisation.',
});

export const newApiKeySchema = z
  .object(
    {
      api_key_name: nameSchema,
      key_permissions: permissionsSchema.optional().meta({ default: 'rw' }),
      service: z.boolean(serviceSentence).optional().meta({
        description:
          'True: the key is the organisation’s and stays when its maker goes, which takes `admin`. A key that a person makes is else that person’s; one that a key of the organisation makes is always the organisation’s.',
      }),
    },
    newKeyMessage,
  )
  .meta({ id: 'NewApiKey', description: 'A key to create.' });

export const apiKeyChangeSchema = z
  .object({ api_key_name: nameSchema.optional(), key_permissions: permissionsSchema.optional() }, changeMessage)
  .refine(({ api_key_name: name, key_permissions: permissions }) => name !== undefined || permissions !== undefined, changeMessage)
  .meta({ id: 'ApiKeyChange', description: 'Another name, other permissions, or both.' });

const id = z.string().meta({ format: 'uuid' });
const hash = z
  .string()
  .meta({ description: 'SHA-256 of the key, hexadecimal: what `request.auth_hash` of a request filter compares with.' });

export const issuedApiKeyAnswerSchema = z
  .object({
    data: z.object({
      id,
      apiKey: z.string().meta({ description: 'The key. It is shown only here.' }),
      hashedKey: hash,
    }),
    error: z.null(),
  })
  .meta({ id: 'IssuedApiKeyAnswer', description: 'The new key; gateways take it within a second.' });

const apiKeyViewSchema = z
  .object({
    id,
    api_key_name: z.string(),
    key_permissions: z.enum(keyPermissions),
    api_key_hash: hash,
    prefix: z.string().meta({ description: 'The first characters of the key.', example: 'sk-svc-us-Ab3d' }),
    person_id: z.string().nullable().meta({
      format: 'uuid',
      description: 'Whose key it is: it allows no more than the person may, and ends with the person. Null: the organisation’s.',
    }),
    created_at: z.string().meta({ format: 'date-time' }),
    revoked_at: z.string().nullable().meta({ format: 'date-time', description: 'Null while the key is valid.' }),
  })
  .meta({ id: 'ApiKey', description: 'What is shown of a key; the key itself never is.' });

export type ApiKeyView = z.infer<typeof apiKeyViewSchema>;

export const apiKeyAnswerSchema = z
  .object({ data: apiKeyViewSchema, error: z.null() })
  .meta({ id: 'ApiKeyAnswer', description: 'The key as it is now; gateways see it within five seconds.' });

export const apiKeysAnswerSchema = z
  .object({ data: z.array(apiKeyViewSchema), error: z.null() })
  .meta({ id: 'ApiKeysAnswer', description: 'The keys of the organisation, the oldest first.' });

const revokedSentence = '`include_revoked` takes true or false.';

export const apiKeysParametersSchema = z.object({
  include_revoked: z
    .enum(['true', 'false'], revokedSentence)
    .optional()
    .meta({ param: { name: 'include_revoked', in: 'query' }, description: 'True: also keys that are revoked.' }),
});
