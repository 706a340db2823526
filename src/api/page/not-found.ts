import type { Context } from 'hono';
import { GatelogError } from '../../model/errors.ts';
import type { RequestId } from '../../model/ids.ts';
import type { PageStatements } from '../../query/requests/select.ts';
import type { RequestContext } from '../endpoint/endpoint.ts';

/** A record that may be in the store or in flight to it. */
export interface Lookup<Found> {
  /** Reads it from its most likely place. */
  readonly look: () => Promise<Found | undefined>;
  /** Reads it from any place. */
  readonly lookEverywhere: () => Promise<Found | undefined>;
  readonly isInFlight: () => Promise<boolean>;
  readonly sentences: { readonly inFlight: string; readonly absent: string };
}

/**
 * Reads a row of a request.
 * @param statements the first looks in the most likely place, the last everywhere.
 * @throws GatelogError `request_in_flight` with a hint, or `not_found`.
 */
export async function findOrThrow<Row>(
  { context, principal, ports }: RequestContext,
  id: RequestId,
  statements: PageStatements,
): Promise<Row> {
  const read = async (statement: PageStatements[number]): Promise<Row | undefined> =>
    (await ports.run<Row>(statement, context.req.raw.signal))[0];
  return lookUpOrThrow(context, {
    look: () => read(statements[0]),
    lookEverywhere: () => read(statements.at(-1) ?? statements[0]),
    isInFlight: async () => (await ports.inFlightOf(principal.organizationId, [id])).length > 0,
    sentences: {
      inFlight: `The record of request ${id} is on its way to the store. Ask again in a moment.`,
      absent: `No request ${id} is on record.`,
    },
  });
}

/** @throws GatelogError `request_in_flight` with a hint, or `not_found`. */
export async function lookUpOrThrow<Found>(
  context: Context,
  { look, lookEverywhere, isInFlight, sentences: { inFlight, absent } }: Lookup<Found>,
): Promise<Found> {
  const found = await look();
  if (found !== undefined) return found;
  const [isOnItsWay] = await Promise.allSettled([isInFlight()]);
  // It may have been stored since the first look; then it is found, even when the check of records in flight failed.
  const late = await lookEverywhere();
  if (late !== undefined) return late;
  if (isOnItsWay.status === 'rejected') throw isOnItsWay.reason;
  if (!isOnItsWay.value) throw new GatelogError('not_found', absent);
  context.header('svc-hint', inFlight);
  throw new GatelogError('request_in_flight', inFlight);
}
