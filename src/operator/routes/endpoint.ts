import type { Context } from 'hono';
import type { ApiPorts } from '../../api/endpoint/ports.ts';
import type { DeadLetterReplay } from '../../ingest/dead-letters/replay.ts';
import type { DeadLetters } from '../../ingest/dead-letters/store.ts';
import type { OperatorPricePorts } from '../../jobs/import-prices.ts';
import type { Principal } from '../../model/principal.ts';
import type { ReceivedTrace } from '../../otlp/tree/position.ts';
import type { TakeSnapshot } from '../work/snapshots.ts';
import type { StoreCopyWork } from '../work/store-copy.ts';
import type { StoreParts } from '../work/store-parts.ts';

/** What the endpoints use. */
export interface OperatorWork {
  readonly prices: OperatorPricePorts;
  /** Remembers spans for ancestors that are still to come. */
  readonly onTraces: (owner: Principal, traces: readonly ReceivedTrace[]) => void;
  readonly deadLetters: Pick<DeadLetters, 'list' | 'count' | 'read'>;
  readonly replay: Pick<DeadLetterReplay, 'replay'>;
  readonly takeSnapshot: TakeSnapshot;
  readonly storeParts: StoreParts;
  readonly storeCopy: StoreCopyWork;
  /** Some endpoints of the API are the operator's too, for any organisation. */
  readonly api: ApiPorts;
}

export interface OperatorCall {
  readonly context: Context;
  readonly work: OperatorWork;
}

/** One operator endpoint. Paths are written `/dead-letters/:id`. */
export interface OperatorEndpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly handle: (call: OperatorCall) => Promise<Response>;
}
