import { filterExample } from '../../contract/filter.ts';
import {
  boardAnswerSchema,
  boardsAnswerSchema,
  type BoardPanel,
  changedBoardSchema,
  type NewBoard,
  newBoardSchema,
} from '../../contract/dashboard/boards.ts';
import { unwrap } from '../../contract/fault.ts';
import { doneSchema } from '../../contract/responses.ts';
import type { Board, BoardSummary, StoredBoard } from '../../model/dashboard/board.ts';
import { dashboardLimits } from '../../model/dashboard/limits.ts';
import { GatelogError } from '../../model/errors.ts';
import { bodyFault } from '../../model/fault.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { quoted } from '../../model/text.ts';
import { intervals } from '../../model/vocabulary/metrics.ts';
import { planMetrics } from '../../query/metrics/plan.ts';
import { type DataOf, endpoint } from '../endpoint/endpoint.ts';
import { uuidParameter } from '../http/path-parameter.ts';

const exampleBoard = {
  name: 'Spend',
  time_range: { last: '30d' },
  panels: [
    { title: 'Cost by model', chart: 'line', metrics: ['cost'], by: ['model'], bucket: 'day', width: 2 },
    {
      title: 'Most expensive teams',
      chart: 'table',
      metrics: ['cost', 'count'],
      by: [{ property: 'Team' }],
      filter: filterExample,
      sort: { cost: 'desc' },
      limit: 10,
    },
  ],
} as const;

const id = uuidParameter('Identifier of the board, as the list shows it.', unknownBoard);

export const boards = [
  endpoint({
    at: 'GET /v1/boards',
    id: 'listBoards',
    summary: 'List the boards',
    text: 'Boards of charts, which everybody in the organisation sees, without their panels.',
    action: 'read',
    answer: boardsAnswerSchema,
    answered: 'The boards.',
    run: async ({ tenant, ports }) => (await ports.boards.list(tenant)).map(summaryOf),
  }),
  endpoint({
    at: 'POST /v1/boards',
    id: 'addBoard',
    summary: 'Store a board',
    text: 'Takes a key with the permission `rw` or `admin`. The query of each panel follows the rules of `POST /v1/metrics/query`, so that it can always be asked. What `GET` shows can be sent here; its `id`, `version` and times are ignored.',
    action: 'update',
    body: newBoardSchema,
    example: exampleBoard,
    bodyMaxBytes: dashboardLimits.boardBytes,
    answer: boardAnswerSchema,
    answered: 'Stored.',
    errors: [400, 413, 415, 422],
    run: async ({ tenant, ports, body }) => {
      const board = boardOf(tenant, body);
      const outcome = await ports.boards.add(tenant, board);
      if (outcome === 'too_many') return refuseAnother();
      if (outcome === 'name_taken') return refuseName(board.name);
      return itemOf(outcome);
    },
  }),
  endpoint({
    at: 'GET /v1/boards/{id}',
    id: 'getBoard',
    summary: 'Read a board',
    action: 'read',
    params: { id },
    answer: boardAnswerSchema,
    answered: 'The board.',
    errors: [404],
    run: async ({ tenant, ports, params }) => {
      const board = await ports.boards.find(tenant, params.id);
      if (board === undefined) throw unknownBoard();
      return itemOf(board);
    },
  }),
  endpoint({
    at: 'PUT /v1/boards/{id}',
    id: 'replaceBoard',
    summary: 'Replace a board',
    text: 'Takes a key with the permission `rw` or `admin`, and the whole board, as `GET` shows it, with its `version`. Once somebody else has changed the board, the answer is 409 and nothing is stored: read it again, and change that.',
    action: 'update',
    params: { id },
    body: changedBoardSchema,
    example: { ...exampleBoard, version: 1 },
    bodyMaxBytes: dashboardLimits.boardBytes,
    answer: boardAnswerSchema,
    answered: 'Stored, with the next version.',
    errors: [400, 404, 409, 413, 415, 422],
    run: async ({ tenant, ports, params, body }) => {
      const board = boardOf(tenant, body);
      const outcome = await ports.boards.replace(tenant, params.id, { board, version: body.version });
      if ('stored' in outcome) return itemOf(outcome.stored);
      switch (outcome.refused) {
        case 'unknown':
          throw unknownBoard();
        case 'name_taken':
          return refuseName(board.name);
        case 'changed':
          throw changedMeanwhile(body.version, outcome.version);
      }
    },
  }),
  endpoint({
    at: 'DELETE /v1/boards/{id}',
    id: 'deleteBoard',
    summary: 'Delete a board',
    text: 'Takes a key with the permission `rw` or `admin`.',
    action: 'update',
    params: { id },
    answer: doneSchema,
    answered: 'Deleted.',
    errors: [404, 413],
    run: async ({ tenant, ports, params }) => {
      if (!(await ports.boards.remove(tenant, params.id))) throw unknownBoard();
      return null;
    },
  }),
];

function itemOf({ id: boardId, name, time_range, panels, version, createdAt, changedAt }: StoredBoard): DataOf<typeof boardAnswerSchema> {
  return { id: boardId, name, time_range, panels, version, ...timesOf({ createdAt, changedAt }) };
}

function summaryOf({ panelCount, createdAt, changedAt, ...same }: BoardSummary): DataOf<typeof boardsAnswerSchema>[number] {
  const { id: boardId, name, version } = same;
  return { id: boardId, name, panel_count: panelCount, version, ...timesOf({ createdAt, changedAt }) };
}

function timesOf({ createdAt, changedAt }: Pick<BoardSummary, 'createdAt' | 'changedAt'>): { created_at: string; updated_at: string } {
  return { created_at: new Date(createdAt).toISOString(), updated_at: new Date(changedAt).toISOString() };
}

/**
 * The board that a caller gave, without what an earlier answer had beside it.
 * @throws GatelogError 422 for a panel whose query `POST /v1/metrics/query` would refuse.
 */
function boardOf(organizationId: OrganizationId, { name, time_range, panels }: NewBoard): Board {
  for (const [index, panel] of panels.entries()) checkQuery(organizationId, panel, index);
  return { name, time_range, panels };
}

const panelNames = { groupBy: 'by', interval: 'bucket' } as const;

function checkQuery(organizationId: OrganizationId, panel: BoardPanel, index: number): void {
  const { metrics, by: groupBy, bucket: interval, filter, sort, limit } = panel;
  const plan = planMetrics(organizationId, { metrics, groupBy, interval, filter, sort, limit }, intervals, panelNames);
  if (!plan.ok) unwrap({ ok: false, fault: { ...plan.fault, path: ['panels', index, ...plan.fault.path] } });
}

function unknownBoard(): GatelogError {
  return new GatelogError('not_found', 'The organisation has no such board; GET /v1/boards lists them.');
}

/** @throws GatelogError 422. */
function refuseAnother(): never {
  return unwrap(bodyFault([], `An organisation has at most ${dashboardLimits.boards} boards; delete one first (DELETE /v1/boards/{id}).`));
}

/** @throws GatelogError 422. */
function refuseName(name: string): never {
  return unwrap(bodyFault(['name'], `There is a board called ${quoted(name)} already; write another name.`));
}

function changedMeanwhile(given: number, present: number): GatelogError {
  return new GatelogError(
    'changed_meanwhile',
    `The board has version ${present}, not ${given}: somebody else has changed it. Read it again (GET /v1/boards/{id}), and change that.`,
    { details: { path: 'version', version: present } },
  );
}
