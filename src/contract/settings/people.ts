import { z } from 'zod';
import { peopleLimits, personPermissions } from '../../model/people.ts';

const permissionsSentence = `\`permissions\` is one of ${personPermissions.join(', ')}: read, read and write, or administer the organisation.`;

const permissionsSchema = z.enum(personPermissions, permissionsSentence).meta({
  description: '`r` reads, `rw` also sends and changes, `admin` also manages the organisation.',
});

const id = z.string().meta({ format: 'uuid' });
const time = z.string().meta({ format: 'date-time' });
const name = z.string().nullable().meta({ description: 'As the issuer says it.' });
const mail = z.string().nullable().meta({ description: 'As the issuer says it; shown, and never compared.' });

const memberSchema = z
  .object({
    id,
    name,
    mail,
    permissions: z.enum(personPermissions),
    source: z.enum(['group', 'invitation', 'admin']).meta({
      description: 'Where the permissions come from. Those of `group` follow the groups of the issuer, and nobody else changes them.',
    }),
    joined_at: time,
    signed_in_at: time.meta({ description: 'The last time.' }),
  })
  .meta({ id: 'Member', description: 'A person of the organisation.' });

export const membersAnswerSchema = z
  .object({ data: z.array(memberSchema), error: z.null() })
  .meta({ id: 'MembersAnswer', description: 'The people of the organisation, who joined first before.' });

export const memberAnswerSchema = z
  .object({ data: memberSchema, error: z.null() })
  .meta({ id: 'MemberAnswer', description: 'The person as it is now.' });

export const memberChangeSchema = z
  .object({ permissions: permissionsSchema }, 'The body is an object such as {"permissions": "rw"}.')
  .meta({ id: 'MemberChange', description: 'Other permissions.' });

const mailSentence = `\`mail\` is a mail address of at most ${peopleLimits.mailCharacters} characters, which the issuer must have verified; leave it out, and whoever has the link may use it.`;
const daysSentence = '`days` is a whole number from 1 to 30: how long the link holds.';

export const newInvitationSchema = z
  .object(
    {
      permissions: permissionsSchema,
      mail: z
        .string(mailSentence)
        .max(peopleLimits.mailCharacters, mailSentence)
        .regex(/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u, mailSentence)
        .nullable()
        .optional(),
      days: z.int(daysSentence).min(1, daysSentence).max(30, daysSentence).optional().meta({ default: 7 }),
    },
    'The body is an object such as {"permissions": "rw", "mail": "ada@example.com"}.',
  )
  .meta({ id: 'NewInvitation', description: 'What who comes by the link becomes.' });

export const invitationSchema = z
  .object({
    id,
    permissions: z.enum(personPermissions),
    mail: z.string().nullable().meta({ description: 'Only who has this address may use it; null: whoever has the link.' }),
    created_at: time,
    expires_at: time,
  })
  .meta({ id: 'Invitation', description: 'An invitation that can be used, once.' });

export const invitationsAnswerSchema = z
  .object({ data: z.array(invitationSchema), error: z.null() })
  .meta({ id: 'InvitationsAnswer', description: 'Invitations that can be used, the newest first.' });

export const madeInvitationAnswerSchema = z
  .object({
    data: invitationSchema.extend({ link: z.string().meta({ format: 'uri', description: 'For the person. It is shown only here.' }) }),
    error: z.null(),
  })
  .meta({ id: 'MadeInvitationAnswer', description: 'The invitation, with its link.' });

const personSessionSchema = z
  .object({
    id,
    person_id: id,
    organization_id: id.meta({ description: 'The one that the person has chosen in it.' }),
    created_at: time,
    seen_at: time.meta({ description: 'Of a call, to about a minute.' }),
    expires_at: time,
    address: z.string().nullable().meta({ description: 'Of the browser when it signed in.' }),
    user_agent: z.string().nullable(),
  })
  .meta({ id: 'PersonSession', description: "A browser in which a person has signed in with the issuer's account." });

export const personSessionsAnswerSchema = z
  .object({ data: z.array(personSessionSchema), error: z.null() })
  .meta({ id: 'PersonSessionsAnswer', description: 'Open sessions, the newest first.' });
