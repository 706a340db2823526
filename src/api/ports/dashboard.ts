import { v7 } from 'uuid';
import type { ApiPorts } from '../ports.ts';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { addBoard, deleteBoard, findBoard, listBoards, replaceBoard } from '../../metadata/organization/boards.ts';
import { addView, deleteView, listViews, replaceView } from '../../metadata/organization/views.ts';
import { dashboardLimits } from '../../model/dashboard/limits.ts';
import type { Uuid } from '../../model/ids.ts';

/** What organisations save for their dashboard. @param now Unix milliseconds. */
export function makeDashboardPorts(database: MetadataDatabase, now: () => number): Pick<ApiPorts, 'views' | 'boards'> {
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
