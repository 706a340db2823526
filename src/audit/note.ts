import { GatelogError, messageOf } from '../model/errors.ts';
import { type AuditEntry, auditLimits, type NoteAudit } from '../model/audit.ts';
import type { Observe } from '../model/observation.ts';
import { inWriteTransaction } from '../platform/sqlite/database.ts';
import type { AuditDatabase } from './database.ts';

type Row = Readonly<{
  organization_id: string;
  at: number;
  person_id: string | null;
  key_id: string | null;
  action: string;
  target: string | null;
  filter: string | null;
  address: string | null;
}>;

/** Rows of one statement: SQLite takes some ten thousand values in one. */
const rowsOfStatement = 500;

export interface NotePorts {
  readonly database: AuditDatabase;
  /** Brings what is committed to the disk. */
  readonly sync: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly observe: Observe;
}

/**
 * Writes entries in the order in which they come. Those that come while some are written share the next transaction, and changes the next
 * sync, so that a call waits for the disk twice at most, however many there are.
 */
export function makeNoteAudit({ database, sync, now, observe }: NotePorts): NoteAudit {
  let waiting: Row[] = [];
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const write = async (): Promise<void> => {
    const rows = waiting;
    waiting = [];
    next = undefined;
    try {
      await inWriteTransaction(database, async ({ queries }) => {
        for (let at = 0; at < rows.length; at += rowsOfStatement) {
          await queries
            .insertInto('audit_entries')
            .values(rows.slice(at, at + rowsOfStatement))
            .execute();
        }
      });
    } catch (error) {
      observe({ kind: 'audit_failed', reason: messageOf(error) });
      throw unavailable(error);
    }
  };
  const bringToDisk = async (): Promise<void> => {
    try {
      await sync();
    } catch (error) {
      observe({ kind: 'audit_failed', reason: messageOf(error) });
      throw unavailable(error);
    }
  };
  return (entry, kind = 'change') => {
    waiting.push(rowOf(entry, now()));
    next ??= running.catch(() => undefined).then(() => (running = write()));
    return kind === 'read' ? next : next.then(bringToDisk);
  };
}

function unavailable(cause: unknown): GatelogError {
  return new GatelogError(
    'audit_unavailable',
    'The audit log cannot be written, so this is not confirmed, although it may have been done. Look before you repeat it.',
    { cause },
  );
}

function rowOf(entry: AuditEntry, at: number): Row {
  const { organizationId, personId, keyId, action, target, filter, address } = entry;
  return {
    organization_id: organizationId,
    at,
    person_id: personId,
    key_id: keyId,
    action,
    target: cut(target, auditLimits.targetCharacters),
    filter: filter !== null && filter.length > auditLimits.filterCharacters ? cutFilter(filter) : filter,
    address: cut(address, auditLimits.addressCharacters),
  };
}

function cut(text: string | null, maxCharacters: number): string | null {
  return text === null ? null : text.slice(0, maxCharacters).toWellFormed().replaceAll('\0', ' ');
}

/** Stays JSON. */
function cutFilter(filter: string): string {
  return JSON.stringify({ beginning: filter.slice(0, auditLimits.filterCharacters).toWellFormed(), characters: filter.length });
}
