import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { quoted, wellFormed } from '../../../model/text.ts';
import type { RequestContext } from '../../endpoint.ts';
import { lookUpOrThrow } from '../../page/not-found.ts';

export const sessionIdParameter = z.string().openapi({
  param: { name: 'id', in: 'path' },
  description: 'Identifier of the session, the value of Svc-Session-Id, URL-encoded.',
});

export function sessionIdOf(context: Context): string {
  return wellFormed(context.req.param('id') ?? '');
}

/**
 * @param look reads the session; undefined when the store has no request of it.
 * @throws GatelogError `request_in_flight` with a hint, or `not_found`.
 */
export async function foundSessionOrRefused<Found>(
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
