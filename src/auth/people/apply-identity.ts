import type { GroupRole } from '../../config/people-kinds.ts';
import type { MetadataQueries } from '../../metadata/database.ts';
import { findOrganization } from '../../metadata/organization/organizations.ts';
import { applyGroups } from '../../metadata/people/members.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Observe } from '../../model/observation.ts';
import type { PersonPermissions } from '../../model/people.ts';
import type { PersonIdentity } from '../oidc/identity.ts';
import { isAdmitted, rolesOf, widest } from '../oidc/roles.ts';

export interface IdentityRules {
  readonly database: MetadataQueries;
  /** Groups, and mail domains with `@` before them. */
  readonly admitted: readonly string[];
  readonly roles: readonly GroupRole[];
  readonly observe: Observe;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Makes a person a member of what the groups say; who is not admitted is a member by invitations alone. Durable on return in the core. */
export async function applyIdentity(rules: IdentityRules, personId: string, identity: PersonIdentity): Promise<void> {
  const { database, admitted, roles, now } = rules;
  const named = isAdmitted(identity, admitted) ? rolesOf(identity, roles) : new Map<string, PersonPermissions>();
  const given = new Map<OrganizationId, PersonPermissions>();
  for (const [name, permissions] of named) {
    const organization = await findOrganization(database, name);
    // Rows may name one organisation by its name and by its identifier.
    if (organization !== undefined) given.set(organization.id, widest(permissions, given.get(organization.id)));
    else rules.observe({ kind: 'people_failed', reason: `GATELOG_OIDC_ROLES names the organisation ${name}, which there is not` });
  }
  await applyGroups(database, { personId, at: now() }, given);
}
