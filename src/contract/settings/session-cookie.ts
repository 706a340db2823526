import { z } from 'zod';
import { uuidShape } from '../../model/ids.ts';
import { personPermissions } from '../../model/people.ts';
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
    key_id: z.string().nullable().meta({ format: 'uuid', description: "Null for a person's own session." }),
    key_name: z.string().nullable(),
    key_permissions: z.enum(keyPermissions).meta({ description: 'Of the key, or of the person.' }),
    person: z
      .object({ id: z.string().meta({ format: 'uuid' }), name: z.string().nullable(), mail: z.string().nullable() })
      .nullable()
      .meta({ description: 'Who has signed in, or whose key it is; null for a key of the organisation.' }),
    organizations: z
      .array(z.object({ id: z.string().meta({ format: 'uuid' }), name: z.string(), permissions: z.enum(personPermissions) }))
      .meta({ description: 'Those of a person, among which a session may choose; without a person none.' }),
    firing_alerts: z.int().meta({ minimum: 0, description: 'Alert rules of the organisation that fire and are not muted.' }),
    expires_at: z.string().nullable().meta({ format: 'date-time', description: 'End of the session; null for a call with a key.' }),
  })
  .meta({ id: 'SignedIn', description: 'Who calls.' });

export type SignedIn = z.infer<typeof signedInSchema>;

export const signedInAnswerSchema = z
  .object({ data: signedInSchema, error: z.null() })
  .meta({ id: 'SignedInAnswer', description: 'The organisation and the key or person of the caller.' });

export const signedInOrNobodySchema = z
  .object({ data: z.union([signedInSchema, z.null()]), error: z.null() })
  .meta({ id: 'SignedInOrNobody', description: 'The organisation and the key of the caller; null without a session and a key.' });

const organizationSentence = '`organization_id` is the identifier of one of your organisations, as `GET /v1/session-cookie` lists them.';

export const chosenOrganizationSchema = z
  .object(
    {
      organization_id: z
        .string(organizationSentence)
        .refine((text) => uuidShape.test(text), organizationSentence)
        .meta({ format: 'uuid' }),
    },
    'The body is an object such as {"organization_id": "0190…"}.',
  )
  .meta({ id: 'ChosenOrganization', description: 'The organisation in which the session goes on.' });

export const signedOutSchema = z
  .object({
    data: z
      .object({
        issuer_address: z.string().nullable().meta({
          format: 'uri',
          description: "Where a page goes to end the session at the issuer too; null: the issuer offers none, or it was a key's.",
        }),
      })
      .nullable(),
    error: z.null(),
  })
  .meta({ id: 'SignedOutAnswer', description: 'Nobody is signed in any more; null: nobody was.' });

const invitationSentence = `\`invitation\` is the text behind invitation= in the link of an invitation, of at most 128 characters.`;

export const finishSignInSchema = z
  .object(
    { invitation: z.string(invitationSentence).min(1, invitationSentence).max(128, invitationSentence).optional() },
    'The body is an object, such as {}.',
  )
  .meta({ id: 'FinishSignIn', description: 'What a page ends a sign-in with.' });

export const signedInByIssuerSchema = z
  .object({
    data: signedInSchema.extend({ next: z.string().meta({ description: 'The page with which the browser goes on.' }) }),
    error: z.null(),
  })
  .meta({ id: 'SignedInByIssuer', description: 'The person, and the page to go on with.' });

export const issuerAnswerSchema = z
  .object({ data: z.object({ name: z.string().meta({ example: 'accounts.example.com' }) }).nullable(), error: z.null() })
  .meta({
    id: 'IssuerAnswer',
    description: 'The issuer of accounts with which people sign in; null: there is none, and keys alone sign in.',
  });

export const beginSignInParametersSchema = z.object({
  next: z
    .string()
    .optional()
    .meta({ param: { name: 'next', in: 'query' }, default: '/', description: 'The page of the dashboard to go on with: its path.' }),
});
