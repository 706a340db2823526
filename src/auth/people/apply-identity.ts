import type { GroupRole } from '../../config/people-kinds.ts';
import type { MetadataQueries } from '../../metadata/database.ts';
import { findOrganization } from '../../metadata/organization/organizations.ts';
import { hasOtherAdministrator } from '../../metadata/people/administrators.ts';
import { applyGroups, type GroupChange } from '../../metadata/people/members.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Observe } from '../../model/observation.ts';
import type { PersonPermissions } from '../../model/people.ts';
import type { PersonIdentity } from '../oidc/identity.ts';
import { isAdmitted, rolesOf, widest } from '../oidc/roles.ts';
import type { NotePeople } from './note.ts';

export interface IdentityRules {
  readonly database: MetadataQueries;
  /** Groups, and mail domains with `@` before them. */
  readonly admitted: readonly string[];
  readonly roles: readonly GroupRole[];
  readonly note: NotePeople;
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
  for (const change of await applyGroups(database, { personId, at: now() }, given)) await tell(rules, personId, change);
}

async function tell({ database, note, observe }: IdentityRules, personId: string, change: GroupChange): Promise<void> {
  const { organizationId, before, permissions } = change;
  // Groups give now what an invitation gave.
  if (before === permissions) return;
  const filter = { before: before ?? null, permissions: permissions ?? null };
  await note({ organizationId, personId, action: 'applyGroups', target: personId, filter });
  if (before !== 'admin' || permissions === 'admin' || (await hasOtherAdministrator(database, organizationId, personId))) return;
  const reason = `groups have taken the last administrator of organisation ${organizationId}; \`gatelog keys create --permissions admin\` makes a key for another`;
  observe({ kind: 'people_failed', reason });
}
