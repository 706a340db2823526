import type { GroupRole } from '../../config/people-kinds.ts';
import { type PersonPermissions, personPermissions } from '../../model/people.ts';
import type { PersonIdentity } from './identity.ts';

/** Whether somebody may sign in without an invitation. @param admitted groups, and mail domains with `@` before them. */
export function isAdmitted({ groups, verifiedMail }: PersonIdentity, admitted: readonly string[]): boolean {
  const domain = verifiedMail === null ? undefined : verifiedMail.slice(verifiedMail.lastIndexOf('@'));
  return admitted.some((entry) => (entry.startsWith('@') ? entry === domain : groups.includes(entry)));
}

/** The permissions that groups give, by the organisation's name or identifier; of several the widest. */
export function rolesOf({ groups }: PersonIdentity, rows: readonly GroupRole[]): ReadonlyMap<string, PersonPermissions> {
  const roles = new Map<string, PersonPermissions>();
  for (const { group, organization, permissions } of rows) {
    if (group !== '*' && !groups.includes(group)) continue;
    roles.set(organization, widest(permissions, roles.get(organization)));
  }
  return roles;
}

export function widest(one: PersonPermissions, other: PersonPermissions = one): PersonPermissions {
  return personPermissions.indexOf(one) > personPermissions.indexOf(other) ? one : other;
}
