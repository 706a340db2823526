import type { Money } from '../model/money.ts';

/** What is billed apart. `request` is a fee per call, `audio_seconds` a time, everything else is a kind of token. */
export type RateKind =
  | 'input'
  | 'cache_read'
  | 'cache_read_audio'
  | 'cache_write'
  | 'cache_write_1h'
  | 'input_audio'
  | 'input_image'
  | 'output'
  | 'output_audio'
  | 'output_image'
  | 'reasoning'
  | 'request'
  | 'audio_seconds';

/** A price per million, and what it becomes for all tokens of a call whose input is longer than a step; steps in rising order. */
export interface Rate {
  readonly perMillion: Money;
  readonly steps: readonly { readonly aboveInputTokens: number; readonly perMillion: Money }[];
}

/** What one model costs at one time. */
export interface Price {
  /** Provider and model as the price book names them, such as `openai/gpt-4o`. */
  readonly reference: string;
  /** Date (`2025-06-10`, UTC) from which it holds; empty when the book gives none. */
  readonly validFrom: string;
  /** A kind without a rate is billed with the kind that it is a part of. */
  readonly rates: ReadonlyMap<RateKind, Rate>;
  /** The book lists the model and asks nothing for it. */
  readonly isFree: boolean;
  /** Tokens that the model takes and gives together at most; undefined where the book does not say. */
  readonly contextWindow: number | undefined;
}
