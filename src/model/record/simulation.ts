import type { Money } from '../pricing/money.ts';
import type { BilledRequest } from './billed-request.ts';

/** A model at a provider. */
export interface ServedModel {
  readonly name: string;
  /** As in records. */
  readonly provider: string;
  /** The provider's name in the price book; undefined without one. */
  readonly providerId: string | undefined;
}

/** What would have been different. */
export interface PriceChange {
  /** Undefined: each request keeps its own. */
  readonly model: ServedModel | undefined;
  /** Empty: the default; undefined: as it was, where the provider stays. */
  readonly tier: string | undefined;
  /** As if the provider's cache had not been used. */
  readonly withoutCache: boolean;
  /** Unix milliseconds; another model has the price of that time. */
  readonly now: number;
}

export interface SimulatedCost {
  /** Null without a price, and without tokens. */
  readonly cost: Money | null;
  /** Whether the tokens do not carry over for certain. */
  readonly isEstimated: boolean;
  /** The cost is the recorded one. */
  readonly isUnchanged: boolean;
}

/** What a caller wants to have been different. */
export interface WantedChange {
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly tier?: string | undefined;
  readonly cache?: boolean | undefined;
}

export interface PriceSimulation {
  readonly change: PriceChange;
  readonly costOf: (request: BilledRequest) => SimulatedCost;
}

/** There is no such provider, or nothing has a price for the model; `nearest` is a listed model with a similar name. */
export type RefusedChange = { readonly refused: 'provider' } | { readonly refused: 'model'; readonly nearest: string | undefined };
