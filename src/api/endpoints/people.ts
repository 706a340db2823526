import { memberAnswerSchema, memberChangeSchema, membersAnswerSchema, personSessionsAnswerSchema } from '../../contract/settings/people.ts';
import { doneSchema } from '../../contract/responses.ts';
import type { Member } from '../../metadata/people/members.ts';
import type { PersonSession } from '../../metadata/people/person-sessions.ts';
import { GatelogError } from '../../model/errors.ts';
import { may } from '../../model/principal.ts';
import { type DataOf, endpoint, type RequestContext } from '../endpoint/endpoint.ts';
import { uuidParameter } from '../http/path-parameter.ts';

const session = uuidParameter('Identifier of the session.', noSuchSession);
const person = uuidParameter('Identifier of the person.', noSuchPerson);

export const people = [
  endpoint({
    at: 'GET /v1/people',
    id: 'listPeople',
    summary: 'List the people of the organisation',
    text: 'Takes the permission `admin`.',
    action: 'administer',
    answer: membersAnswerSchema,
    answered: 'The people.',
    run: async ({ tenant, ports }) => (await ports.people.members(tenant)).map(memberItem),
  }),
  endpoint({
    at: 'GET /v1/people/sessions',
    id: 'listPeopleSessions',
    summary: 'List browsers in which people have signed in',
    text: 'Your own; with the permission `admin` those of all people in the organisation. A session with a key is not among them.',
    action: 'own',
    answer: personSessionsAnswerSchema,
    answered: 'The sessions.',
    run: async (call) => (await visibleSessions(call)).map(sessionItem),
  }),
  endpoint({
    at: 'DELETE /v1/people/sessions/{id}',
    id: 'endPersonSession',
    summary: "End a person's session",
    text: 'One of your own; with the permission `admin` any in the organisation. The next call of that browser is refused.',
    action: 'own',
    params: { id: session },
    answer: doneSchema,
    answered: 'Ended.',
    errors: [404],
    run: async (call) => {
      const { params, ports } = call;
      const found = (await visibleSessions(call)).find(({ id }) => id === params.id);
      if (found === undefined || (await ports.people.sessions.end({ id: found.id })) === undefined) throw noSuchSession();
      return null;
    },
  }),
  endpoint({
    at: 'PATCH /v1/people/{id}',
    id: 'changePerson',
    summary: 'Change what a person may do in the organisation',
    text: 'Takes the permission `admin`. Permissions that come from groups of the issuer are changed there. Who administers last keeps it. Keys of the person allow no more from then on; gateways see it within five seconds.',
    action: 'administer',
    params: { id: person },
    body: memberChangeSchema,
    example: { permissions: 'rw' },
    answer: memberAnswerSchema,
    answered: 'Changed.',
    errors: [400, 404, 413, 415, 422],
    run: async ({ tenant, ports, params, body }) => {
      const changed = await ports.people.change(tenant, params.id, body.permissions);
      if (changed === 'last_admin') throw refused(lastAdmin, 'permissions');
      if (changed === 'by_groups') throw refused(byGroups, 'permissions');
      const member = (await ports.people.members(tenant)).find(({ personId }) => personId === params.id);
      if (changed === undefined || member === undefined) throw noSuchPerson();
      return memberItem(member);
    },
  }),
  endpoint({
    at: 'DELETE /v1/people/{id}',
    id: 'removePerson',
    summary: 'Remove a person from the organisation',
    text: 'Takes the permission `admin`. Ends the sessions and revokes the keys that the person has here; gateways see it within five seconds. Keys of the organisation stay, whoever made them. Whom a group of the issuer makes a member comes back by the next sign-in.',
    action: 'administer',
    params: { id: person },
    answer: doneSchema,
    answered: 'Removed.',
    errors: [404, 422],
    run: async ({ tenant, ports, params }) => {
      const removed = await ports.people.remove(tenant, params.id);
      if (removed === 'last_admin') throw refused(lastAdmin, 'id');
      if (!removed) throw noSuchPerson();
      return null;
    },
  }),
];

/** Those that the caller may see and end: of the organisation for who administers it, else the caller's own. */
async function visibleSessions({ principal, ports }: RequestContext): Promise<readonly PersonSession[]> {
  const { organizationId, personId } = principal;
  const inOrganization = may(principal, 'administer') ? await ports.people.sessions.list({ organizationId }) : [];
  const own = personId === undefined ? [] : await ports.people.sessions.list({ personId });
  const others = inOrganization.filter((one) => one.personId !== personId);
  return [...own, ...others].toSorted((one, other) => other.createdAt - one.createdAt);
}

function memberItem(member: Member): DataOf<typeof memberAnswerSchema> {
  const { personId, name, mail, permissions, source, createdAt, signedInAt } = member;
  return { id: personId, name, mail, permissions, source, joined_at: timeText(createdAt), signed_in_at: timeText(signedInAt) };
}

function sessionItem(one: PersonSession): DataOf<typeof personSessionsAnswerSchema>[number] {
  return {
    id: one.id,
    person_id: one.personId,
    organization_id: one.organizationId,
    created_at: timeText(one.createdAt),
    seen_at: timeText(one.seenAt),
    expires_at: timeText(one.expiresAt),
    address: one.address,
    user_agent: one.userAgent,
  };
}

function timeText(at: number): string {
  return new Date(at).toISOString();
}

function refused(sentence: string, path: string): GatelogError {
  return new GatelogError(path === 'id' ? 'invalid_parameter' : 'invalid_body', sentence, { details: { path } });
}

function noSuchPerson(): GatelogError {
  return new GatelogError('not_found', 'The organisation has no such person; GET /v1/people lists them.');
}

function noSuchSession(): GatelogError {
  return new GatelogError('not_found', 'There is no such session, or it has ended; GET /v1/people/sessions lists them.');
}

const lastAdmin =
  'Nobody else administers the organisation, neither a person nor a key of its own. Make another administrator first; on the machine `gatelog keys` works without one.';
const byGroups = 'What this person may do comes from groups of the issuer (GATELOG_OIDC_ROLES). Change the groups there.';
