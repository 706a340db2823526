import type { Context } from 'hono';
import { GatelogError } from '../../../model/errors.ts';
import type { RequestId } from '../../../model/ids.ts';
import type { EndpointCall } from '../../endpoint.ts';

/** Something that may be in the store, or still on its way there. */
export interface Sought<Found> {
  /** Reads it; undefined when the store does not have it. */
  readonly look: () => Promise<Found | undefined>;
  readonly isTravelling: () => Promise<boolean>;
  /** What to say of it. */
  readonly sentences: { readonly travelling: string; readonly absent: string };
}

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
  return soughtOrRefused(context, {
    look: async () => (await look())[0],
    isTravelling: async () => (await ports.travellingOf(principal.organizationId, [id])).length > 0,
    sentences: {
      travelling: `The record of request ${id} is on its way to the store. Ask again in a moment.`,
      absent: `No request ${id} is on record.`,
    },
  });
}

/** What the store has. @throws GatelogError `request_in_flight` with a hint, or `not_found`. */
export async function soughtOrRefused<Found>(
  context: Context,
  { look, isTravelling, sentences: { travelling, absent } }: Sought<Found>,
): Promise<Found> {
  const found = await look();
  if (found !== undefined) return found;
  if (await isTravelling()) {
    context.header('svc-hint', travelling);
    throw new GatelogError('request_in_flight', travelling);
  }
  // It may have been stored between the two questions.
  const late = await look();
  if (late !== undefined) return late;
  throw new GatelogError('not_found', absent);
}
