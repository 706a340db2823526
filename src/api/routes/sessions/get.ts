import { z } from '@hono/zod-openapi';
import { unwrap } from '../../../contract/fault.ts';
import { sessionAnswerSchema, sessionPageSchema } from '../../../contract/sessions/view.ts';
import type { RequestRow } from '../../../query/requests/columns.ts';
import type { RequestKey } from '../../../query/requests/select.ts';
import { type SessionRequestRow, aggregateTree } from '../../../query/session-detail/totals.ts';
import { sessionItem, sessionTree } from '../../../query/session-detail/tree.ts';
import {
  maxNodes,
  pageOf,
  planSession,
  type SessionNodeRow,
  type SessionPlan,
  sessionRequestsStatements,
  sessionStatement,
  wholeSessionStatement,
} from '../../../query/session-detail/statement.ts';
import { runUntilRows } from '../../../store/read/run-statement.ts';
import { type Endpoint, type RequestContext, hintHeader, jsonContent, keyRequired, pageHeaders, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { setHint } from '../../page/headers.ts';
import { itemsOf } from '../../page/items.ts';
import { foundSessionOrRefused, sessionIdOf, sessionIdParameter } from './session-id.ts';
import { readQueryParameters } from '../../http/read-input.ts';

const failures = problems(404, 422, 504);
const { 'svc-next-cursor': nextCursor } = pageHeaders;

export const getSession: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/session/{id}',
    operationId: 'getSession',
    summary: 'Get one session with its requests as a tree',
    description:
      'The session over all its requests, a page of these in time order, and the tree that Svc-Session-Path makes of them: `/a/b` stands below `/a`, a path that several requests have is one node, no path is the root, empty parts of a path are left out, and what is deeper than 32 levels stands at the last of them. Totals of a node are over all requests of the session at it and below it, whatever the page; `request_ids` are those of the page. Session, totals and page are of one moment. A tree has at most 5,000 nodes; `svc-hint` says when deeper ones were left out.',
    security: keyRequired,
    request: { params: z.object({ id: sessionIdParameter }), query: sessionPageSchema },
    responses: {
      200: {
        description: 'The session.',
        headers: { ...hintHeader, ...(nextCursor === undefined ? {} : { 'svc-next-cursor': nextCursor }) },
        content: jsonContent(sessionAnswerSchema),
      },
      ...failures,
      404: { ...failures[404], headers: hintHeader },
    },
  },
  action: 'read',
  handle: answerGet,
};

const cutSentence = `the tree has more than ${maxNodes} nodes; the deepest are left out, and their requests stand above them`;

/** Identifier and page → rows → items and tree. */
async function answerGet(call: RequestContext): Promise<Response> {
  const { context, principal } = call;
  const sessionId = sessionIdOf(context);
  const { includeBody, ...page } = readQueryParameters(context, sessionPageSchema);
  const plan = unwrap(planSession(principal.organizationId, sessionId, page));
  await call.memory.takeRows(plan.limit);
  const look = async (): Promise<FoundSession | undefined> => (await wholeSession(call, plan)) ?? partOfSession(call, plan);
  const found = await foundSessionOrRefused(call, sessionId, look);
  const requests = await itemsOf(call, found.rows, includeBody);
  const tree = sessionTree(found.nodes, requests);
  if (tree.cut) setHint(context, cutSentence);
  if (found.cursor !== undefined) context.header('svc-next-cursor', found.cursor);
  return sendData(context, { session: sessionItem(sessionId, found.root), requests, tree: [tree.root] });
}

interface FoundSession {
  readonly nodes: readonly SessionNodeRow[];
  readonly root: SessionNodeRow;
  /** In the order of the page. */
  readonly rows: readonly RequestRow[];
  readonly cursor: string | undefined;
}

/**
 * A session that fits one page: one statement, and the totals are computed here.
 * @returns undefined when it does not fit, or has no request.
 */
async function wholeSession({ context, ports }: RequestContext, plan: SessionPlan): Promise<FoundSession | undefined> {
  if (plan.after !== undefined) return undefined;
  const rows = await ports.run<SessionRequestRow>(wholeSessionStatement(plan), context.req.raw.signal);
  const nodes = rows.length > plan.limit ? [] : aggregateTree(rows);
  const [root] = nodes;
  return root === undefined ? undefined : { nodes, root, rows, cursor: undefined };
}

/** A longer session: totals and keys of the page in one statement, then the rows of these keys. */
async function partOfSession({ context, ports }: RequestContext, plan: SessionPlan): Promise<FoundSession | undefined> {
  const { signal } = context.req.raw;
  const nodes = await ports.run<SessionNodeRow>(sessionStatement(plan), signal);
  const [root] = nodes;
  if (root === undefined) return undefined;
  const { keys, cursor } = pageOf(plan, root);
  const rows = await runUntilRows<RequestRow>(ports.run, sessionRequestsStatements(plan.tenant, keys), signal);
  return { nodes, root, rows: inOrderOf(keys, rows), cursor };
}

function inOrderOf(keys: readonly RequestKey[], rows: readonly RequestRow[]): readonly RequestRow[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return keys.flatMap(({ id }) => byId.get(id) ?? []);
}
