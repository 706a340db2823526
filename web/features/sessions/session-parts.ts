import { infiniteQueryOptions, type QueryClient } from '@tanstack/react-query';
import { type RequestItem, type SessionItem, type SessionNode, where } from '../../../src/client/client.ts';
import { firstSteps } from '../../../src/model/first-call.ts';
import { gatelog } from '../../lib/client.ts';

/** The first steps are there soon; the others follow at once, so that a scroll, the search and the head find them. */
const partLimit = 1000;

interface Part {
  /** Of the first part. */
  readonly head?: { readonly session: SessionItem; readonly tree: readonly SessionNode[] };
  readonly requests: readonly RequestItem[];
  readonly nextCursor: string | undefined;
}

/** A session, part by part. */
export function partsOptions(id: string) {
  return infiniteQueryOptions({
    queryKey: ['session', id],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) => (cursor === undefined ? firstPart(id, signal) : nextPart(id, cursor, signal)),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

async function firstPart(id: string, signal: AbortSignal): Promise<Part> {
  const { data, nextCursor } = await gatelog.sessions.get(id, { limit: firstSteps, signal });
  const { session, tree, requests } = data;
  return { head: { session, tree }, requests, nextCursor };
}

/** The session would be summed up again with each part of it; as requests they continue behind the same cursor. */
async function nextPart(id: string, cursor: string, signal: AbortSignal): Promise<Part> {
  const query = {
    filter: where('session_session_id', 'equals', id),
    sort: { created_at: 'asc' },
    limit: partLimit,
    includeBodies: false,
  } as const;
  const { data: requests, nextCursor } = await gatelog.requests.query({ ...query, cursor }, { signal });
  return { requests, nextCursor };
}

/** Asks for the first part before the page is drawn: a browser draws a page before it lets the page ask. The page tells of a failure. */
export function expectSession(queryClient: QueryClient, id: string): void {
  queryClient.infiniteQuery(partsOptions(id)).catch(() => undefined);
}
