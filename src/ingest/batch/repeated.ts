import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { timeOfUuid } from '../../model/ids.ts';
import type { FindRows } from '../../store/read/find-rows.ts';
import type { ExchangeIndex, TrackedExchange } from '../series/exchange.ts';
import type { InterpretedExchange } from '../worker/record-builder.ts';

/**
 * # Logged calls: each identifier once
 *
 * A call that did not pass through the gateway is told by its sender, who tells it again when the response is lost. Taking it asks nobody:
 * neither the store nor the ingest need to be there. So the ingest decides, right before the insert, which of them it has already.
 *
 * A logged call is stored only if its organisation has none of its identifier: none stored, none before it in the batch, and none in
 * flight that did not come this way. Of two logged calls in flight the one whose batch comes first is stored. A call through the gateway
 * or an import is never left out: its identifier is claimed, or looked for, before it goes into the spool.
 *
 * Crash cases.
 *   before the checkpoint that intends the batch   nothing of the batch is stored; the repetition decides again
 *   after it, before, between or after the inserts the checkpoint names the calls that were left out. The repetition leaves out the same
 *                                                  and inserts, table by table, what is missing of the others, as for every repeated batch
 *   after the checkpoint that accepts the batch    it is not repeated. The same call again finds the record in the store
 *   without a checkpoint                           what the lost one accepted is found in the store. Requests are inserted last, so a
 *                                                  request that is there has its bodies
 *   a worker dies in the midst of a log            its frames are not whole: it is left out, and its sender, who got no 200, sends it again
 *
 * Invariant: everything in the spool has been read when this is decided, so that a call through the gateway whose identifier the sender
 * of a log has learned is known. After an outage so long that the spool is more than may be held in memory, it is what has been read.
 */
export interface RepetitionPorts {
  /** Reads what is in the spool now. */
  readonly readAll: () => Promise<void>;
  readonly inFlight: Pick<ExchangeIndex, 'find'>;
  readonly findRows: FindRows;
}

interface Candidate {
  readonly index: number;
  readonly organizationId: OrganizationId;
  readonly requestId: RequestId;
  readonly foundAt?: number;
}

const none: ReadonlySet<number> = new Set();

/** Indexes of the exchanges of a batch that are left out because another record has their identifier. @throws when the store fails. */
export async function findRepeated(
  exchanges: readonly TrackedExchange[],
  results: readonly InterpretedExchange[],
  { readAll, inFlight, findRows }: RepetitionPorts,
): Promise<ReadonlySet<number>> {
  const hasRows = (index: number): boolean => results[index] !== undefined && 'request' in results[index];
  if (!exchanges.some((exchange, index) => exchange.mayRepeat() && hasRows(index))) return none;
  await readAll();
  const here = new Set(exchanges);
  const taken = new Set(exchanges.filter((exchange, index) => !exchange.mayRepeat() && hasRows(index)).map(keyOf));
  const repeated = new Set<number>();
  const candidates: Candidate[] = [];
  for (const [index, exchange] of exchanges.entries()) {
    if (!exchange.mayRepeat() || !hasRows(index)) continue;
    const other = inFlight.find(exchange.organizationId, exchange.requestId);
    const isElsewhere = other !== undefined && !here.has(other) && !other.mayRepeat();
    if (isElsewhere || taken.has(keyOf(exchange))) repeated.add(index);
    else candidates.push(candidateOf(exchange, index));
    taken.add(keyOf(exchange));
  }
  const stored = await findRows('requests', candidates);
  for (const candidate of candidates) if (stored.has(candidate)) repeated.add(candidate.index);
  return repeated;
}

function candidateOf({ organizationId, requestId, logged }: TrackedExchange, index: number): Candidate {
  const foundAt = logged?.identifier === 'issued' ? timeOfUuid(requestId) : undefined;
  return foundAt === undefined ? { index, organizationId, requestId } : { index, organizationId, requestId, foundAt };
}

function keyOf({ organizationId, requestId }: TrackedExchange): string {
  return `${organizationId}/${requestId}`;
}
