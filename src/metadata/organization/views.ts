import type { SavedView, ViewPage } from '../../model/dashboard/view.ts';
import type { OrganizationId, Uuid } from '../../model/ids.ts';
import type { JsonObject } from '../../model/text.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import type { MetadataQueries } from '../database.ts';
import type { SavedViewsTable } from '../schema/schema.ts';

/** The views of an organisation by page and name. @param page absent: of every page. */
export async function listViews(
  { queries }: MetadataQueries,
  organizationId: OrganizationId,
  page?: ViewPage,
): Promise<readonly SavedView[]> {
  const all = queries.selectFrom('saved_views').selectAll().where('organization_id', '=', organizationId);
  const rows = await (page === undefined ? all : all.where('page', '=', page)).orderBy('page').orderBy('name').execute();
  return rows.map(viewOf);
}

/** Stores a new view; durable on return in the core. @param max views of the organisation. @returns undefined once it is stored. */
export async function addView(
  database: MetadataQueries,
  organizationId: OrganizationId,
  view: SavedView,
  max: number,
): Promise<'too_many' | 'name_taken' | undefined> {
  return inWriteTransaction(database, async (transaction) => {
    const existing = await namesOf(transaction, organizationId);
    if (existing.length >= max) return 'too_many';
    if (isTaken(existing, view)) return 'name_taken';
    await transaction.queries.insertInto('saved_views').values(rowOf(organizationId, view)).execute();
    return undefined;
  });
}

/** Replaces all of a view but the time when it was made; durable on return in the core. @returns what is stored then. */
export async function replaceView(
  database: MetadataQueries,
  organizationId: OrganizationId,
  view: Omit<SavedView, 'createdAt'>,
): Promise<SavedView | 'unknown' | 'name_taken'> {
  return inWriteTransaction(database, async (transaction) => {
    const existing = await namesOf(transaction, organizationId);
    const present = existing.find(({ id }) => id === view.id);
    if (present === undefined) return 'unknown';
    if (isTaken(existing, view)) return 'name_taken';
    const stored = { ...view, createdAt: present.created_at };
    await transaction.queries.updateTable('saved_views').set(rowOf(organizationId, stored)).where('id', '=', view.id).execute();
    return stored;
  });
}

type NamedView = Pick<SavedViewsTable, 'id' | 'page' | 'name'>;

function namesOf({ queries }: MetadataQueries, organizationId: OrganizationId) {
  return queries
    .selectFrom('saved_views')
    .select(['id', 'page', 'name', 'created_at'])
    .where('organization_id', '=', organizationId)
    .execute();
}

function isTaken(existing: readonly NamedView[], view: NamedView): boolean {
  return existing.some(({ id, page, name }) => id !== view.id && page === view.page && name === view.name);
}

function rowOf(organizationId: OrganizationId, { id, page, name, search, createdAt, changedAt }: SavedView): SavedViewsTable {
  return {
    id,
    organization_id: organizationId,
    page,
    name,
    search: JSON.stringify(search),
    created_at: createdAt,
    changed_at: changedAt,
  };
}

function viewOf(row: SavedViewsTable): SavedView {
  return {
    id: row.id as Uuid,
    page: row.page,
    name: row.name,
    search: JSON.parse(row.search) as JsonObject,
    createdAt: row.created_at,
    changedAt: row.changed_at,
  };
}
