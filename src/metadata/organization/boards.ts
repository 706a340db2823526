import type { Board, BoardSummary, StoredBoard } from '../../model/dashboard/board.ts';
import type { OrganizationId, Uuid } from '../../model/ids.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import type { MetadataQueries } from '../database.ts';
import type { BoardsTable } from '../schema/schema.ts';

/** Why a board was not replaced; nothing is changed then. */
type BoardRefusal =
  | { readonly refused: 'unknown' | 'name_taken' }
  /** It was changed since that version was read. */
  | { readonly refused: 'changed'; readonly version: number };

/** The boards of an organisation by name, without their panels. */
export async function listBoards({ queries }: MetadataQueries, organizationId: OrganizationId): Promise<readonly BoardSummary[]> {
  const rows = await queries
    .selectFrom('boards')
    .select(['id', 'name', 'panel_count', 'version', 'created_at', 'changed_at'])
    .where('organization_id', '=', organizationId)
    .orderBy('name')
    .execute();
  return rows.map((row) => ({
    id: row.id as Uuid,
    name: row.name,
    panelCount: row.panel_count,
    version: row.version,
    createdAt: row.created_at,
    changedAt: row.changed_at,
  }));
}

/** @returns undefined when the organisation has none of this identifier. */
export async function findBoard({ queries }: MetadataQueries, organizationId: OrganizationId, id: Uuid): Promise<StoredBoard | undefined> {
  const row = await queries
    .selectFrom('boards')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row === undefined ? undefined : boardOf(row);
}

/** Stores a new board; durable on return in the core. @param max boards of the organisation. @returns undefined once it is stored. */
export async function addBoard(
  database: MetadataQueries,
  organizationId: OrganizationId,
  board: StoredBoard,
  max: number,
): Promise<'too_many' | 'name_taken' | undefined> {
  return inWriteTransaction(database, async (transaction) => {
    const existing = await listBoards(transaction, organizationId);
    if (existing.length >= max) return 'too_many';
    if (isTaken(existing, board)) return 'name_taken';
    await transaction.queries.insertInto('boards').values(rowOf(organizationId, board)).execute();
    return undefined;
  });
}

/** A board in place of the version that its author read. */
export interface BoardChange extends Board {
  readonly id: Uuid;
  readonly version: number;
  /** Unix milliseconds. */
  readonly changedAt: number;
}

/** Replaces the content of a board that is still in the given version; durable on return in the core. */
export async function replaceBoard(
  database: MetadataQueries,
  organizationId: OrganizationId,
  change: BoardChange,
): Promise<{ readonly stored: StoredBoard } | BoardRefusal> {
  return inWriteTransaction(database, async (transaction) => {
    const existing = await listBoards(transaction, organizationId);
    const present = existing.find(({ id }) => id === change.id);
    if (present === undefined) return { refused: 'unknown' };
    if (present.version !== change.version) return { refused: 'changed', version: present.version };
    if (isTaken(existing, change)) return { refused: 'name_taken' };
    const stored = { ...change, version: present.version + 1, createdAt: present.createdAt };
    await transaction.queries.updateTable('boards').set(rowOf(organizationId, stored)).where('id', '=', change.id).execute();
    return { stored };
  });
}

function isTaken(existing: readonly BoardSummary[], board: Pick<StoredBoard, 'id' | 'name'>): boolean {
  return existing.some(({ id, name }) => id !== board.id && name === board.name);
}

function rowOf(organizationId: OrganizationId, { id, name, version, createdAt, changedAt, ...content }: StoredBoard): BoardsTable {
  return {
    id,
    organization_id: organizationId,
    name,
    time_range: JSON.stringify(content.time_range),
    panels: JSON.stringify(content.panels),
    panel_count: content.panels.length,
    version,
    created_at: createdAt,
    changed_at: changedAt,
  };
}

function boardOf(row: BoardsTable): StoredBoard {
  return {
    id: row.id as Uuid,
    name: row.name,
    time_range: JSON.parse(row.time_range) as Board['time_range'],
    panels: JSON.parse(row.panels) as Board['panels'],
    version: row.version,
    createdAt: row.created_at,
    changedAt: row.changed_at,
  };
}
