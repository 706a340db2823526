import type { NoteAudit } from '../../model/audit.ts';
import type { OrganizationId } from '../../model/ids.ts';

/** What became of a person by a sign-in or by the issuer, which no call of the API says. */
export interface PersonNote {
  readonly organizationId: OrganizationId;
  readonly personId: string;
  readonly action: 'acceptInvitation' | 'applyGroups';
  /** Identifier of the invitation, or of the person. */
  readonly target: string;
  /** As JSON. */
  readonly filter: unknown;
}

/** Notes it in the audit log. Durable on return. @throws GatelogError `audit_unavailable`. */
export type NotePeople = (note: PersonNote) => Promise<void>;

export function makeNotePeople(note: NoteAudit): NotePeople {
  return ({ filter, ...entry }) => note({ ...entry, keyId: null, filter: JSON.stringify(filter), address: null });
}
