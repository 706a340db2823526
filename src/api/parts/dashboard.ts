import type { Board } from '../../model/dashboard/board.ts';
import type { View, ViewPage } from '../../model/dashboard/view.ts';
import { v7 } from 'uuid';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { addBoard, findBoard, listBoards, replaceBoard } from '../../metadata/organization/boards.ts';
import { deleteRow } from '../../metadata/organization/delete-row.ts';
import { addView, listViews, replaceView } from '../../metadata/organization/views.ts';
import { dashboardLimits } from '../../model/dashboard/limits.ts';
import type { OrganizationId, Uuid } from '../../model/ids.ts';

type DashboardRow<Item> = Item & { readonly id: Uuid; readonly createdAt: number; readonly changedAt: number };

/** What organisations save for their dashboard; changes are durable on return. @param now Unix milliseconds. */
export function makeDashboard(database: MetadataDatabase, now: () => number) {
  const made = <Item>(item: Item): DashboardRow<Item> => ({ ...item, id: v7() as Uuid, createdAt: now(), changedAt: now() });
  return {
    /** Saved views. */
    views: {
      /** @param page absent: every page. */
      list: (organizationId: OrganizationId, page: ViewPage | undefined) => listViews(database, organizationId, page),
      add: async (organizationId: OrganizationId, given: View) => {
        const view = made(given);
        return (await addView(database, organizationId, view, dashboardLimits.views)) ?? view;
      },
      replace: (organizationId: OrganizationId, id: Uuid, given: View) =>
        replaceView(database, organizationId, { ...given, id, changedAt: now() }),
      /** @returns false for an unknown view. */
      remove: (organizationId: OrganizationId, id: Uuid) => deleteRow(database, 'saved_views', organizationId, id),
    },
    /** Boards of charts. */
    boards: {
      list: (organizationId: OrganizationId) => listBoards(database, organizationId),
      find: (organizationId: OrganizationId, id: Uuid) => findBoard(database, organizationId, id),
      add: async (organizationId: OrganizationId, given: Board) => {
        const board = { ...made(given), version: 1 };
        return (await addBoard(database, organizationId, board, dashboardLimits.boards)) ?? board;
      },
      /** @param version that the board takes the place of. */
      replace: (organizationId: OrganizationId, id: Uuid, { board, version }: { readonly board: Board; readonly version: number }) =>
        replaceBoard(database, organizationId, { ...board, id, version, changedAt: now() }),
      /** @returns false for an unknown board. */
      remove: (organizationId: OrganizationId, id: Uuid) => deleteRow(database, 'boards', organizationId, id),
    },
  };
}
