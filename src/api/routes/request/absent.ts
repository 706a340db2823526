import type { Context } from 'hono';
import { GatelogError } from '../../../model/errors.ts';
import type { RequestId } from '../../../model/ids.ts';
import type { EndpointCall } from '../../endpoint.ts';

/** Refuses a read of a request that the store does not have. @throws GatelogError `request_in_flight` with a hint, or `not_found`. */
export async function refuseAbsent({ context, principal, ports }: EndpointCall, id: RequestId): Promise<never> {
  const travelling = await ports.travellingOf(principal.organizationId, [id]);
  if (travelling.length > 0) return refuseTravelling(context, id);
  throw new GatelogError('not_found', `No request ${id} is on record.`);
}

function refuseTravelling(context: Context, id: RequestId): never {
  const sentence = `The record of request ${id} is on its way to the store. Ask again in a moment.`;
  context.header('svc-hint', sentence);
  throw new GatelogError('request_in_flight', sentence);
}
