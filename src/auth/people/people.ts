import type { Config } from '../../config/load.ts';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { findPerson, type Person } from '../../metadata/people/accounts.ts';
import {
  changeMember,
  listMembers,
  listMemberships,
  type Member,
  type MemberRefusal,
  type Membership,
  removeMember,
} from '../../metadata/people/members.ts';
import type { NoteAudit } from '../../model/audit.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Observe } from '../../model/observation.ts';
import type { PersonPermissions } from '../../model/people.ts';
import { reasonOf } from '../oidc/failures.ts';
import type { PersonIdentity } from '../oidc/identity.ts';
import { Issuer } from '../oidc/issuer.ts';
import { isAdmitted } from '../oidc/roles.ts';
import { makeCipher } from '../sealing.ts';
import { applyIdentity } from './apply-identity.ts';
import { type Invitations, makeInvitations } from './invitations.ts';
import { makeNotePeople } from './note.ts';
import { type EndedSession, PersonSessions } from './person-sessions.ts';
import { SignIns } from './sign-ins.ts';

/** People who sign in with accounts of an issuer. Changes are durable on return; gateways see them within five seconds. */
export interface People {
  readonly sessions: PersonSessions;
  readonly invitations: Invitations;
  /** Undefined: there is no issuer, and people sign in with keys alone. */
  readonly signIns: SignIns | undefined;
  readonly find: (personId: string) => Promise<Person | undefined>;
  /** Who joined first before. */
  readonly members: (organizationId: OrganizationId) => Promise<readonly Member[]>;
  /** By the organisation's name. */
  readonly memberships: (personId: string) => Promise<readonly (Membership & { readonly organizationName: string })[]>;
  /** @returns undefined for nobody of the organisation. */
  readonly change: (
    organizationId: OrganizationId,
    personId: string,
    permissions: PersonPermissions,
  ) => Promise<Membership | MemberRefusal | undefined>;
  /** With the sessions and keys that the person has there. @returns false for nobody of the organisation. */
  readonly remove: (organizationId: OrganizationId, personId: string) => Promise<boolean | 'last_admin'>;
  /** The issuer's address that ends the session there too. @returns undefined: it offers none, or does not answer. */
  readonly issuerEnd: (ended: EndedSession, returnTo: string) => Promise<string | undefined>;
}

export interface PeopleParts {
  readonly database: MetadataDatabase;
  readonly config: Pick<
    Config,
    'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret' | 'oidcScopes' | 'oidcGroupsClaim' | 'oidcAdmit' | 'oidcRoles'
  >;
  /** The deployment's. */
  readonly secret: Uint8Array;
  /** The issuer sends browsers back to it. */
  readonly callbackAddress: () => string;
  readonly noteAudit: NoteAudit;
  readonly observe: Observe;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export function makePeople({ database, config, secret, callbackAddress, noteAudit, observe, now }: PeopleParts): People {
  const issuer = issuerOf(config, now);
  const note = makeNotePeople(noteAudit);
  const rules = { database, admitted: config.oidcAdmit, roles: config.oidcRoles, note, observe, now };
  const apply = (personId: string, identity: PersonIdentity): Promise<void> => applyIdentity(rules, personId, identity);
  const invitations = makeInvitations(database, now);
  const sessions = new PersonSessions({ database, cipher: makeCipher(secret, 'sessions'), issuer, applyIdentity: apply, observe, now });
  const signIns =
    issuer &&
    new SignIns({
      database,
      issuer,
      sessions,
      invitations,
      callbackAddress,
      note,
      observe,
      now,
      cipher: makeCipher(secret, 'signIns'),
      applyIdentity: apply,
      isAdmitted: (identity) => isAdmitted(identity, config.oidcAdmit),
    });
  return {
    sessions,
    invitations,
    signIns,
    find: (personId) => findPerson(database, personId),
    members: (organizationId) => listMembers(database, organizationId),
    memberships: (personId) => listMemberships(database, personId),
    change: (organizationId, personId, permissions) => changeMember(database, { organizationId, personId, at: now() }, permissions),
    remove: (organizationId, personId) => removeMember(database, { organizationId, personId, at: now() }),
    issuerEnd: async ({ tokens }, returnTo) => {
      try {
        return await issuer?.endAddress(tokens, returnTo);
      } catch (error) {
        // The session here has ended, whether or not the issuer answers.
        observe({ kind: 'people_failed', reason: reasonOf(error) });
        return undefined;
      }
    },
  };
}

function issuerOf(config: PeopleParts['config'], now: () => number): Issuer | undefined {
  const {
    oidcIssuer: issuer,
    oidcClientId: clientId,
    oidcClientSecret: clientSecret,
    oidcScopes: scopes,
    oidcGroupsClaim: groupsClaim,
  } = config;
  if (issuer === undefined || clientId === undefined) return undefined;
  return new Issuer({ issuer, clientId, clientSecret, scopes, groupsClaim, now });
}
