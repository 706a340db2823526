import type { Board, BoardSummary, StoredBoard } from '../../model/dashboard/board.ts';
import type { SavedView, View, ViewPage } from '../../model/dashboard/view.ts';
import { v7 } from 'uuid';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { addBoard, type BoardRefusal, deleteBoard, findBoard, listBoards, replaceBoard } from '../../metadata/organization/boards.ts';
import { addView, deleteView, listViews, replaceView } from '../../metadata/organization/views.ts';
import { dashboardLimits } from '../../model/dashboard/limits.ts';
import type { OrganizationId, Uuid } from '../../model/ids.ts';

/** Saved views. Changes are durable on return. */
export interface Views {
  /** @param page absent: every page. */
  readonly list: (organizationId: OrganizationId, page: ViewPage | undefined) => Promise<readonly SavedView[]>;
  readonly add: (organizationId: OrganizationId, view: View) => Promise<SavedView | 'too_many' | 'name_taken'>;
  readonly replace: (organizationId: OrganizationId, id: Uuid, view: View) => Promise<SavedView | 'unknown' | 'name_taken'>;
  /** @returns false for an unknown view. */
  readonly remove: (organizationId: OrganizationId, id: Uuid) => Promise<boolean>;
}

/** Boards of charts. Changes are durable on return. */
export interface Boards {
  readonly list: (organizationId: OrganizationId) => Promise<readonly BoardSummary[]>;
  readonly find: (organizationId: OrganizationId, id: Uuid) => Promise<StoredBoard | undefined>;
  readonly add: (organizationId: OrganizationId, board: Board) => Promise<StoredBoard | 'too_many' | 'name_taken'>;
  /** @param given the board, and the version that it takes the place of. */
  readonly replace: (
    organizationId: OrganizationId,
    id: Uuid,
    given: { readonly board: Board; readonly version: number },
  ) => Promise<{ readonly stored: StoredBoard } | BoardRefusal>;
  /** @returns false for an unknown board. */
  readonly remove: (organizationId: OrganizationId, id: Uuid) => Promise<boolean>;
}

/** What organisations save for their dashboard. @param now Unix milliseconds. */
export function makeDashboardPorts(database: MetadataDatabase, now: () => number): { readonly views: Views; readonly boards: Boards } {
  const fresh = () => ({ id: v7() as Uuid, createdAt: now(), changedAt: now() });
  return {
    views: {
      list: (organizationId, page) => listViews(database, organizationId, page),
      add: async (organizationId, given) => {
        const view = { ...given, ...fresh() };
        return (await addView(database, organizationId, view, dashboardLimits.views)) ?? view;
      },
      replace: (organizationId, id, given) => replaceView(database, organizationId, { ...given, id, changedAt: now() }),
      remove: (organizationId, id) => deleteView(database, organizationId, id),
    },
    boards: {
      list: (organizationId) => listBoards(database, organizationId),
      find: (organizationId, id) => findBoard(database, organizationId, id),
      add: async (organizationId, given) => {
        const board = { ...given, ...fresh(), version: 1 };
        return (await addBoard(database, organizationId, board, dashboardLimits.boards)) ?? board;
      },
      replace: (organizationId, id, { board, version }) =>
        replaceBoard(database, organizationId, { ...board, id, version, changedAt: now() }),
      remove: (organizationId, id) => deleteBoard(database, organizationId, id),
    },
  };
}
