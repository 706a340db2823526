import type { OrganizationId } from './ids.ts';

/** What somebody did, as the audit log has it: identifiers alone, and no content. */
export interface AuditEntry {
  readonly organizationId: OrganizationId;
  /** Who has signed in, or whose key it was; null: a key of the organisation, or nobody who is known. */
  readonly personId: string | null;
  /** Null for a person's own session, and for nobody who is known. */
  readonly keyId: string | null;
  /** The name of the operation in the description of the API, such as `revokeApiKey`. */
  readonly action: string;
  /** Of what: an identifier or a name; null: nothing in particular. */
  readonly target: string | null;
  /** JSON text of the filter with which bodies were read, or requests changed. */
  readonly filter: string | null;
  /** IP address of the client, if it is known. */
  readonly address: string | null;
}

/** An entry as stored. */
export interface StoredAuditEntry extends AuditEntry {
  /** Increases from entry to entry. */
  readonly id: number;
  /** Unix milliseconds. */
  readonly at: number;
}

/** Characters of what is stored of a call. */
export const auditLimits = { targetCharacters: 512, filterCharacters: 8192, addressCharacters: 64 } as const;

/**
 * Notes what was done. On return a change is on the disk; a read survives the death of the process and waits for no disk, which a busy one
 * would make half a second. @throws GatelogError `audit_unavailable`.
 */
export type NoteAudit = (entry: AuditEntry, kind?: 'change' | 'read') => Promise<void>;
