import { z } from 'zod';
import { keyPermissions } from '../../model/principal.ts';

const keySentence = '`apiKey` is a Gatelog key such as "sk-svc-us-…".';
const maxKeyCharacters = 512;

export const signInSchema = z
  .object(
    { apiKey: z.string(keySentence).min(1, keySentence).max(maxKeyCharacters, keySentence) },
    'The body is an object such as {"apiKey": "sk-svc-us-…"}.',
  )
  .meta({ id: 'SignIn', description: 'The key for which the session stands.' });

const signedInSchema = z
  .object({
    organization_id: z.string().meta({ format: 'uuid' }),
    organization_name: z.string(),
    key_id: z.string().meta({ format: 'uuid' }),
    key_name: z.string(),
    key_permissions: z.enum(keyPermissions),
    firing_alerts: z.int().meta({ minimum: 0, description: 'Alert rules of the organisation that fire and are not muted.' }),
    expires_at: z.string().nullable().meta({ format: 'date-time', description: 'End of the session; null for a call with a key.' }),
  })
  .meta({ id: 'SignedIn', description: 'Who calls.' });

export type SignedIn = z.infer<typeof signedInSchema>;

export const signedInAnswerSchema = z
  .object({ data: signedInSchema, error: z.null() })
  .meta({ id: 'SignedInAnswer', description: 'The organisation and the key of the caller.' });

export const signedInOrNobodySchema = z
  .object({ data: z.union([signedInSchema, z.null()]), error: z.null() })
  .meta({ id: 'SignedInOrNobody', description: 'The organisation and the key of the caller; null without a session and a key.' });
