import type { ApiPorts } from '../api/ports.ts';
import type { StorePartAsideAnswer, StorePartCheckAnswer, StorePartsAnswer } from '../contract/operator.ts';
import type { DeadLetterHead, DeadLetterPage, WholeDeadLetter } from '../ingest/dead-letters/store.ts';
import type { ReplayOutcome } from '../ingest/dead-letters/replay.ts';
import type { Snapshot } from '../jobs/backup/snapshot.ts';
import type { LineRates, PriceLine } from '../model/pricing/price-line.ts';
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

export interface PriceImportOrder {
  readonly list: unknown;
  /** Where the list comes from. */
  readonly source: string;
  readonly zeroIsFree: boolean;
  /** Imported prices that the list lacks go. */
  readonly replace: boolean;
  /** Changes nothing. */
  readonly isTrial: boolean;
}

export interface PriceImport {
  /** `before`: rates that hold now, US dollars for a million; undefined without any. */
  readonly changes: readonly { readonly line: PriceLine; readonly before: LineRates | undefined }[];
  readonly same: number;
  readonly leftOut: { readonly zero: number; readonly provider: number; readonly unit: number };
  readonly total: number;
}

export interface OperatorPricePorts {
  readonly list: () => readonly PriceLine[];
  /** @returns the place in the list at which it cannot be read. */
  readonly import: (
    order: PriceImportOrder,
  ) => Promise<PriceImport | { readonly fault: { readonly path: string; readonly problem: string } }>;
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
