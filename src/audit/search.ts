import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoredAuditEntry } from '../model/audit.ts';
import type { OrganizationId } from '../model/ids.ts';
import type { AuditQueries } from './database.ts';

/** A position in the order of entries, from the newest to the oldest. */
export interface AuditPosition {
  /** Unix milliseconds. */
  readonly at: number;
  readonly id: number;
}

export interface AuditSearch {
  readonly organizationId: OrganizationId;
  /** Identifier of a person or a key. */
  readonly who?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  /** Unix milliseconds, inclusive. */
  readonly fromMs?: number | undefined;
  /** Unix milliseconds, exclusive. */
  readonly toMs?: number | undefined;
  /** Only what is older. */
  readonly behind?: AuditPosition | undefined;
  readonly limit: number;
}

export interface AuditPage {
  /** The newest first. */
  readonly entries: readonly StoredAuditEntry[];
  /** There may be more behind it. */
  readonly next: AuditPosition | undefined;
}

/** Entries that are looked at in one go: SQLite answers on this thread. */
const sliceLength = 2000;
/** A page is shorter than asked for rather than that a call looks at more than half a million entries. */
const maxSlices = 250;

interface Looked extends AuditPosition {
  readonly person_id: string | null;
  readonly key_id: string | null;
  readonly action: string;
  readonly target: string | null;
}

/** A page of the audit log. */
export async function searchAudit(database: AuditQueries, search: AuditSearch): Promise<AuditPage> {
  const found: number[] = [];
  let place = search.behind;
  for (let slices = 0; slices < maxSlices; slices += 1) {
    const looked = await sliceBehind(database, search, place);
    for (const entry of looked) {
      place = { at: entry.at, id: entry.id };
      if (!matches(entry, search)) continue;
      found.push(entry.id);
      if (found.length === search.limit) return { entries: await entriesOf(database, found), next: place };
    }
    if (looked.length < sliceLength) return { entries: await entriesOf(database, found), next: undefined };
    await nextTurn();
  }
  return { entries: await entriesOf(database, found), next: place };
}

async function sliceBehind({ queries }: AuditQueries, search: AuditSearch, place: AuditPosition | undefined): Promise<readonly Looked[]> {
  let query = queries
    .selectFrom('audit_entries')
    .select(['id', 'at', 'person_id', 'key_id', 'action', 'target'])
    .where('organization_id', '=', search.organizationId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(sliceLength);
  if (search.fromMs !== undefined) query = query.where('at', '>=', search.fromMs);
  if (search.toMs !== undefined) query = query.where('at', '<', search.toMs);
  if (place !== undefined) {
    const { at, id } = place;
    query = query.where((row) => row.and([row('at', '<=', at), row.or([row('at', '<', at), row('id', '<', id)])]));
  }
  return query.execute();
}

function matches({ person_id: person, key_id: key, action, target }: Looked, search: AuditSearch): boolean {
  return (
    (search.who === undefined || search.who === person || search.who === key) &&
    (search.action === undefined || search.action === action) &&
    (search.target === undefined || search.target === target)
  );
}

async function entriesOf({ queries }: AuditQueries, ids: readonly number[]): Promise<readonly StoredAuditEntry[]> {
  if (ids.length === 0) return [];
  const rows = await queries.selectFrom('audit_entries').selectAll().where('id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    if (row === undefined) return [];
    const { organization_id: organizationId, person_id: personId, key_id: keyId, ...same } = row;
    return [{ ...same, organizationId: organizationId as OrganizationId, personId, keyId }];
  });
}
