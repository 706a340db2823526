/** How large a call may be, as far as its body says. */
export interface CallSize {
  /** Models that may answer, besides the one that the wire format reads. */
  readonly models: readonly string[];
  /** The tier that the caller asks for; empty for the one that everyone gets. A provider may still serve, and bill, another. */
  readonly serviceTier: string;
  /** Tokens of the input at most, undefined where the body does not hold all of it. */
  readonly inputTokens: number | undefined;
  /** Tokens of one answer at most, undefined where the body sets no limit. */
  readonly outputTokens: number | undefined;
  /** Answers that are generated. */
  readonly answers: number;
  /** Only text goes in and comes out. */
  readonly isText: boolean;
  readonly writesCache: boolean;
}
