import type { Context } from 'hono';
import { GatelogError } from '../../../model/errors.ts';
import type { RequestId } from '../../../model/ids.ts';
import type { EndpointCall } from '../../endpoint.ts';

/**
 * What the store has of a request.
 * @param look reads it; nothing when the store does not have it.
 * @throws GatelogError `request_in_flight` with a hint, or `not_found`.
 */
export async function foundOrRefused<Row>(
  { context, principal, ports }: EndpointCall,
  id: RequestId,
  look: () => Promise<readonly Row[]>,
): Promise<Row> {
  const [row] = await look();
  if (row !== undefined) return row;
  const travelling = await ports.travellingOf(principal.organizationId, [id]);
  if (travelling.length > 0) return refuseTravelling(context, id);
  // It may have been stored between the two questions.
  const [late] = await look();
  if (late !== undefined) return late;
  throw new GatelogError('not_found', `No request ${id} is on record.`);
}

function refuseTravelling(context: Context, id: RequestId): never {
  const sentence = `The record of request ${id} is on its way to the store. Ask again in a moment.`;
  context.header('svc-hint', sentence);
  throw new GatelogError('request_in_flight', sentence);
}
