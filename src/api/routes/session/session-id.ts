import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { GatelogError } from '../../../model/errors.ts';
import { quoted, wellFormed } from '../../../model/text.ts';
import type { EndpointCall } from '../../endpoint.ts';
import { setHint } from '../request/page.ts';

/** The identifier in the path, for the OpenAPI document. */
export const sessionIdParameter = z.string().openapi({
  param: { name: 'id', in: 'path' },
  description: 'Identifier of the session, the value of Svc-Session-Id, URL-encoded.',
});

/** The identifier in the path: any text. */
export function sessionIdOf(context: Context): string {
  return wellFormed(context.req.param('id') ?? '');
}

/** Refuses a read of a session of which the store has no request. @throws GatelogError `request_in_flight` with a hint, or `not_found`. */
export async function refuseAbsentSession({ context, principal, ports }: EndpointCall, sessionId: string): Promise<never> {
  const shown = quoted(sessionId);
  if (!(await ports.sessions.isTravelling(principal.organizationId, sessionId))) {
    throw new GatelogError('not_found', `No session ${shown} is on record.`);
  }
  const sentence = `The first request of session ${shown} is on its way to the store. Ask again in a moment.`;
  setHint(context, sentence);
  throw new GatelogError('request_in_flight', sentence);
}
