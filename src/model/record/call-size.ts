/** Size of a call as far as its body determines it. */
export interface CallSize {
  /** Further models that may respond, beside the one that the wire format reads. */
  readonly models: readonly string[];
  /** The requested tier; empty for the default one. A provider may serve, and bill, another. */
  readonly serviceTier: string;
  /** Where the model is asked to run, if the provider bills that apart; empty: anywhere. */
  readonly geo: string;
  /** Max input tokens; undefined when the body does not hold all of the input. */
  readonly inputTokens: number | undefined;
  /** Max tokens per answer; undefined when the body sets no limit. */
  readonly outputTokens: number | undefined;
  /** Number of answers to generate. */
  readonly choices: number;
  /** Both input and output are text only. */
  readonly isText: boolean;
  readonly writesCache: boolean;
}
