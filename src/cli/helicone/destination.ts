import type { JsonObject } from '../../model/text.ts';

/** What became of some items. */
export interface SendOutcome {
  readonly imported: number;
  /** Here before, under their identifiers. */
  readonly already: number;
  /** The reason for each item that cannot be stored, by its index. */
  readonly rejected: ReadonlyMap<number, string>;
}

/** The first and last arrival of some requests, Unix milliseconds, both inclusive. */
export interface ArrivalSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Our side of an import. */
export interface Destination {
  /** Its address. */
  readonly name: string;
  /** @throws when it does not answer now, or refuses the key. Afterwards it may be away for a while. */
  readonly check: () => Promise<void>;
  /** Sends items, one JSON text each; durable on return. @param isDryRun checks them and stores nothing. */
  readonly send: (lines: readonly string[], isDryRun: boolean) => Promise<SendOutcome>;
  /** The requests with these identifiers that can be read, without bodies. @param span where to look; null: everywhere, which takes longer. */
  readonly find: (ids: readonly string[], span: ArrivalSpan | null) => Promise<ReadonlyMap<string, JsonObject>>;
}
