import { z } from 'zod';
import { unwrap } from '../../contract/fault.ts';
import { feedbackSchema } from '../../contract/requests/changes.ts';
import { doneSchema } from '../../contract/responses.ts';
import { sessionAnswerSchema, sessionPageSchema } from '../../contract/sessions/view.ts';
import { readSessionPropertyUpdate, sessionTagAnswerSchema, sessionTagSchema } from '../../contract/sessions/writes.ts';
import { propertyUpdateSchema } from '../../contract/settings/properties.ts';
import { quoted, wellFormed } from '../../model/text.ts';
import type { RequestRow } from '../../query/requests/columns.ts';
import type { RequestKey } from '../../query/requests/select.ts';
import { type SessionTagRow, sessionTagStatement } from '../../query/session-detail/lookup.ts';
import {
  maxNodes,
  pageOf,
  planSession,
  type SessionNodeRow,
  type SessionPlan,
  sessionRequestsStatements,
  sessionStatement,
  fullSessionStatement,
} from '../../query/session-detail/statement.ts';
import { type SessionRequestRow, aggregateTree } from '../../query/session-detail/totals.ts';
import { sessionItem, sessionTree } from '../../query/session-detail/tree.ts';
import { type RunStatement, runUntilRows } from '../../store/read/run-statement.ts';
import { endpoint, type RequestContext } from '../endpoint/endpoint.ts';
import { cursorHeader, hintHeader } from '../http/declared-responses.ts';
import { setHint } from '../page/headers.ts';
import { itemsOf } from '../page/items.ts';
import { lookUpOrThrow } from '../page/not-found.ts';
import { rowsRunner } from '../page/rows-runner.ts';

const id = {
  schema: z.string().meta({
    param: { name: 'id', in: 'path' },
    description: 'Identifier of the session, the value of Svc-Session-Id, URL-encoded.',
  }),
  read: wellFormed,
};

const cutSentence = `the tree has more than ${maxNodes} nodes; the deepest are left out, and their requests stand above them`;

/** Endpoints of one session. */
export const session = [
  endpoint({
    at: 'GET /v1/session/{id}',
    id: 'getSession',
    summary: 'Get one session with its requests as a tree',
    text: 'The session over all its requests, a page of these in time order, and the tree that Svc-Session-Path makes of them: `/a/b` stands below `/a`, a path that several requests have is one node, no path is the root, empty parts of a path are left out, and what is deeper than 32 levels stands at the last of them. Totals of a node are over all requests of the session at it and below it, whatever the page; `request_ids` are those of the page. Session, totals and page are of one moment. A tree has at most 5,000 nodes; `svc-hint` says when deeper ones were left out.',
    action: 'read',
    params: { id },
    query: sessionPageSchema,
    answer: sessionAnswerSchema,
    answered: 'The session.',
    headers: { ...hintHeader, ...cursorHeader },
    errors: [404, 422, 504],
    errorHeaders: { 404: hintHeader },
    readsBodies: ({ query: { includeBody, ...page } }) => (includeBody ? { filter: page } : undefined),
    // Identifier and page → rows → items and tree.
    run: async (call) => {
      const { context, tenant, params } = call;
      const { includeBody, ...page } = call.query;
      const plan = unwrap(planSession(tenant, params.id, page));
      const run = await rowsRunner(call, plan.limit);
      const look = async (): Promise<FoundSession | undefined> => {
        const rows = await firstRows(call, plan, run);
        return wholeSession(plan, rows) ?? partOfSession(call, plan, { read: rows, run });
      };
      const found = await foundSessionOrRefused(call, params.id, look);
      const requests = await itemsOf(call, found.rows, includeBody);
      const tree = sessionTree(found.nodes, requests);
      if (tree.cut) setHint(context, cutSentence);
      if (found.cursor !== undefined) context.header('svc-next-cursor', found.cursor);
      return { session: sessionItem(params.id, found.root), requests, tree: [tree.root] };
    },
  }),
  endpoint({
    at: 'POST /v1/session/{id}/tag',
    id: 'setSessionTag',
    summary: 'Tag a session',
    text: 'A later tag replaces the earlier one; null or the empty text takes it away. Filters read it as `session_tag`.',
    action: 'update',
    params: { id },
    body: sessionTagSchema,
    example: { tag: 'resolved' },
    answer: doneSchema,
    answered: 'Tagged.',
    errors: [400, 404, 413, 415, 422, 504],
    run: async ({ principal, ports, params, body }) => {
      await ports.sessions.tag(principal, params.id, body.tag);
      return null;
    },
  }),
  endpoint({
    at: 'GET /v1/session/{id}/tag',
    id: 'getSessionTag',
    summary: 'Get the tag of a session',
    action: 'read',
    params: { id },
    answer: sessionTagAnswerSchema,
    answered: 'The tag.',
    errors: [404, 504],
    errorHeaders: { 404: hintHeader },
    run: async (call) => {
      const { tenant, ports, params, signal } = call;
      const statement = sessionTagStatement(tenant, params.id);
      const row = await foundSessionOrRefused(call, params.id, async () => (await ports.run<SessionTagRow>(statement, signal))[0]);
      return row.session_tag === '' ? null : row.session_tag;
    },
  }),
  endpoint({
    at: 'POST /v1/session/{id}/feedback',
    id: 'giveSessionFeedback',
    summary: 'Rate a session',
    text: 'The first request of the session gets the property `Svc-Session-Feedback`, `1` for good and `0` for bad, and its history an entry. A later feedback replaces the earlier one.',
    action: 'update',
    params: { id },
    body: feedbackSchema,
    example: { rating: false },
    answer: doneSchema,
    answered: 'Rated.',
    errors: [400, 404, 413, 415, 422, 504],
    run: async ({ principal, ports, params, body }) => {
      await ports.sessions.rate(principal, params.id, body.rating);
      return null;
    },
  }),
  endpoint({
    at: 'PUT /v1/session/{id}/property',
    id: 'updateSessionProperties',
    summary: 'Add or replace properties of every request of a session',
    text: 'Reaches every request of the session that has begun, also those whose records are still on their way to the store. Later requests of the session do not get the properties. `Svc-Session-Id` cannot be changed in this way.',
    action: 'update',
    params: { id },
    body: { schema: propertyUpdateSchema, read: (body: unknown) => unwrap(readSessionPropertyUpdate(body)) },
    example: { Environment: 'production' },
    answer: doneSchema,
    answered: 'Changed.',
    errors: [400, 404, 413, 415, 422, 504],
    run: async ({ principal, ports, params, body }) => {
      await ports.sessions.setProperties(principal, params.id, body);
      return null;
    },
  }),
];

/**
 * @param look reads the session; undefined when the store has no request of it.
 * @throws GatelogError `request_in_flight` with a hint, or `not_found`.
 */
async function foundSessionOrRefused<Found>(
  { context, principal, ports }: RequestContext,
  sessionId: string,
  look: () => Promise<Found | undefined>,
): Promise<Found> {
  const shown = quoted(sessionId);
  return lookUpOrThrow(context, {
    look,
    lookEverywhere: look,
    isInFlight: () => ports.sessions.isInFlight(principal.organizationId, sessionId),
    sentences: {
      inFlight: `The first request of session ${shown} is on its way to the store. Ask again in a moment.`,
      absent: `No session ${shown} is on record.`,
    },
  });
}

interface FoundSession {
  readonly nodes: readonly SessionNodeRow[];
  readonly root: SessionNodeRow;
  /** In the order of the page. */
  readonly rows: readonly RequestRow[];
  readonly cursor: string | undefined;
}

/** The first rows of a session and one behind the page; none of a page that a cursor begins. */
async function firstRows({ context }: RequestContext, plan: SessionPlan, run: RunStatement): Promise<readonly SessionRequestRow[]> {
  return plan.after === undefined ? run<SessionRequestRow>(fullSessionStatement(plan), context.req.raw.signal) : [];
}

/**
 * A session that fits one page, whose totals are computed here.
 * @returns undefined when it does not fit, or has no request.
 */
function wholeSession(plan: SessionPlan, rows: readonly SessionRequestRow[]): FoundSession | undefined {
  const nodes = rows.length > plan.limit ? [] : aggregateTree(rows);
  const [root] = nodes;
  return root === undefined ? undefined : { nodes, root, rows, cursor: undefined };
}

/**
 * A longer session: totals and keys of the page in one statement, then the rows of these keys.
 * @param read some of these rows.
 */
async function partOfSession(
  { context, ports }: RequestContext,
  plan: SessionPlan,
  { read, run }: { readonly read: readonly SessionRequestRow[]; readonly run: RunStatement },
): Promise<FoundSession | undefined> {
  const { signal } = context.req.raw;
  const nodes = await ports.run<SessionNodeRow>(sessionStatement(plan), signal);
  const [root] = nodes;
  if (root === undefined) return undefined;
  const { keys, cursor } = pageOf(plan, root);
  const known = new Set(read.map(({ id: own }) => own));
  const missing = keys.filter((key) => !known.has(key.id));
  const rows = await runUntilRows<RequestRow>(run, sessionRequestsStatements(plan.tenant, missing), signal);
  return { nodes, root, rows: inOrderOf(keys, [...read, ...rows]), cursor };
}

function inOrderOf(keys: readonly RequestKey[], rows: readonly RequestRow[]): readonly RequestRow[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return keys.flatMap((key) => byId.get(key.id) ?? []);
}
