import type { ApiPorts } from '../api/endpoint/ports.ts';
import type { StorePartAsideAnswer, StorePartCheckAnswer, StorePartsAnswer } from '../contract/operator.ts';
import type { DeadLetterHead, DeadLetterPage, WholeDeadLetter } from '../ingest/dead-letters/store.ts';
import type { ReplayOutcome } from '../ingest/dead-letters/replay.ts';
import type { Snapshot } from '../jobs/backup/snapshot.ts';
import type { OperatorPricePorts } from '../jobs/import-prices.ts';
import type { Principal } from '../model/principal.ts';
import type { ReceivedTrace } from '../otlp/tree/place.ts';

export interface DeadLetterPorts {
  readonly list: (page: DeadLetterPage) => { readonly letters: readonly DeadLetterHead[]; readonly next: string | null };
  readonly count: () => number;
  readonly read: (id: string) => Promise<WholeDeadLetter | undefined>;
  readonly replay: (ids: readonly string[]) => Promise<readonly ReplayOutcome[]>;
}

/** A snapshot in a folder of the data folder. */
export interface TakenSnapshot {
  readonly folder: string;
  readonly snapshot: Snapshot;
  /** May be called more than once. */
  readonly remove: () => void;
}

/** Takes a snapshot, one at a time. @throws GatelogError with a sentence for people. */
export type TakeSnapshot = (secrets: boolean) => Promise<TakenSnapshot>;

/** Functions on the files of the store. All throw GatelogError. */
export interface StorePartPorts {
  readonly list: () => Promise<StorePartsAnswer>;
  readonly check: (table: string, part: string) => Promise<StorePartCheckAnswer>;
  readonly setAside: (table: string, part: string) => Promise<StorePartAsideAnswer>;
}

export interface OperatorPorts {
  readonly prices: OperatorPricePorts;
  /** Remembers spans for ancestors that are still to come. */
  readonly noteTraces: (owner: Principal, traces: readonly ReceivedTrace[]) => void;
  readonly deadLetters: DeadLetterPorts;
  readonly takeSnapshot: TakeSnapshot;
  readonly storeParts: StorePartPorts;
  /** Some endpoints of the API are the operator's too, for any organisation. */
  readonly api: ApiPorts;
}
