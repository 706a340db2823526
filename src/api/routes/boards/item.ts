import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { BoardPanel, NewBoard } from '../../../contract/dashboard/boards.ts';
import { unwrap } from '../../../contract/fault.ts';
import type { Board, BoardSummary, StoredBoard } from '../../../model/dashboard/board.ts';
import { dashboardLimits } from '../../../model/dashboard/limits.ts';
import { GatelogError } from '../../../model/errors.ts';
import { bodyFault } from '../../../model/fault.ts';
import { type OrganizationId, parseUuid, type Uuid } from '../../../model/ids.ts';
import { quoted } from '../../../model/text.ts';
import { intervals } from '../../../model/vocabulary/metrics.ts';
import { planMetrics } from '../../../query/metrics/plan.ts';

export const boardIdParameter = z
  .string()
  .openapi({ param: { name: 'id', in: 'path' }, description: 'Identifier of the board, as the list shows it.', format: 'uuid' });

export function itemOf({ id, name, time_range, panels, version, createdAt, changedAt }: StoredBoard): object {
  return { id, name, time_range, panels, version, ...timesOf({ createdAt, changedAt }) };
}

export function summaryOf({ id, name, panelCount, version, createdAt, changedAt }: BoardSummary): object {
  return { id, name, panel_count: panelCount, version, ...timesOf({ createdAt, changedAt }) };
}

function timesOf({ createdAt, changedAt }: Pick<BoardSummary, 'createdAt' | 'changedAt'>): object {
  return { created_at: new Date(createdAt).toISOString(), updated_at: new Date(changedAt).toISOString() };
}

/**
 * The board that a caller gave, without what an earlier answer had beside it.
 * @throws GatelogError 422 for a panel whose query `POST /v1/metrics/query` would refuse.
 */
export function boardOf(organizationId: OrganizationId, { name, time_range, panels }: NewBoard): Board {
  for (const [index, panel] of panels.entries()) checkQuery(organizationId, panel, index);
  return { name, time_range, panels };
}

const panelNames = { groupBy: 'by', interval: 'bucket' } as const;

function checkQuery(organizationId: OrganizationId, panel: BoardPanel, index: number): void {
  const { metrics, by: groupBy, bucket: interval, filter, sort, limit } = panel;
  const plan = planMetrics(organizationId, { metrics, groupBy, interval, filter, sort, limit }, intervals, panelNames);
  if (!plan.ok) unwrap({ ok: false, fault: { ...plan.fault, path: ['panels', index, ...plan.fault.path] } });
}

/** @throws GatelogError `not_found` for a text that is no UUID. */
export function boardIdOf(context: Context): Uuid {
  const id = parseUuid(context.req.param('id') ?? '');
  if (id === undefined) throw unknownBoard();
  return id;
}

export function unknownBoard(): GatelogError {
  return new GatelogError('not_found', 'The organisation has no such board; GET /v1/boards lists them.');
}

/** @throws GatelogError 422. */
export function refuseAnother(): never {
  return unwrap(bodyFault([], `An organisation has at most ${dashboardLimits.boards} boards; delete one first (DELETE /v1/boards/{id}).`));
}

/** @throws GatelogError 422. */
export function refuseName(name: string): never {
  return unwrap(bodyFault(['name'], `There is a board called ${quoted(name)} already; write another name.`));
}
