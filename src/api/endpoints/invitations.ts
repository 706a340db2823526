import { unwrap } from '../../contract/fault.ts';
import { doneSchema } from '../../contract/responses.ts';
import {
  type invitationSchema,
  invitationsAnswerSchema,
  madeInvitationAnswerSchema,
  newInvitationSchema,
} from '../../contract/settings/people.ts';
import type { Invitation } from '../../metadata/people/invitations.ts';
import { GatelogError } from '../../model/errors.ts';
import { bodyFault } from '../../model/fault.ts';
import { peopleLimits } from '../../model/people.ts';
import { type AnswerOf, endpoint } from '../endpoint/endpoint.ts';
import { uuidParameter } from '../http/path-parameter.ts';

const id = uuidParameter('Identifier of the invitation.', noSuchInvitation);

export const invitations = [
  endpoint({
    at: 'POST /v1/invitations',
    id: 'invitePerson',
    summary: 'Invite a person into the organisation',
    text: 'Takes the permission `admin`. The answer is the only place that shows the link, which makes one person a member. Who opens it signs in with an account of the issuer. It ends when the person who made it administers the organisation no more.',
    action: 'administer',
    body: newInvitationSchema,
    example: { permissions: 'rw', mail: 'ada@example.com' },
    answer: madeInvitationAnswerSchema,
    answered: 'Invited.',
    errors: [400, 404, 413, 415, 422],
    run: async ({ tenant, principal, ports, body, context }) => {
      if (ports.people.signIns === undefined) {
        throw new GatelogError('not_found', 'Nobody could use an invitation: no issuer of accounts is set (GATELOG_OIDC_ISSUER).');
      }
      const { permissions, mail = null, days = 7 } = body;
      const made = await ports.people.invitations.add(tenant, { permissions, mail, days, invitedBy: principal.personId ?? null });
      if (made === 'too_many') {
        const sentence = `An organisation has at most ${peopleLimits.invitations} open invitations; take one back first (DELETE /v1/invitations/{id}).`;
        return unwrap(bodyFault([], sentence));
      }
      context.header('Cache-Control', 'no-store');
      // Behind the number sign, so that neither a log nor the issuer gets to see it.
      return { ...itemOf(made.invitation), link: `${ports.baseUrl()}/sign-in#invitation=${made.token}` };
    },
  }),
  endpoint({
    at: 'GET /v1/invitations',
    id: 'listInvitations',
    summary: 'List open invitations',
    text: 'Takes the permission `admin`. Invitations that were not used and hold still; no link is shown.',
    action: 'administer',
    answer: invitationsAnswerSchema,
    answered: 'The invitations.',
    run: async ({ tenant, ports }) => (await ports.people.invitations.list(tenant)).map(itemOf),
  }),
  endpoint({
    at: 'DELETE /v1/invitations/{id}',
    id: 'takeInvitationBack',
    summary: 'Take an invitation back',
    text: 'Takes the permission `admin`. Its link makes nobody a member any more.',
    action: 'administer',
    params: { id },
    answer: doneSchema,
    answered: 'Taken back.',
    errors: [404],
    run: async ({ tenant, ports, params }) => {
      if (!(await ports.people.invitations.remove(tenant, params.id))) throw noSuchInvitation();
      return null;
    },
  }),
];

function itemOf({ id: invitationId, permissions, mail, createdAt, expiresAt }: Invitation): AnswerOf<typeof invitationSchema> {
  const [created, expires] = [new Date(createdAt).toISOString(), new Date(expiresAt).toISOString()];
  return { id: invitationId, permissions, mail, created_at: created, expires_at: expires };
}

function noSuchInvitation(): GatelogError {
  return new GatelogError('not_found', 'There is no such invitation, or it was used; GET /v1/invitations lists those that can be.');
}
