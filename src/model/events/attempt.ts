/** What an attempt's receiver answered. */
export interface ResponseHead {
  readonly status: number;
  /** Status line, headers and the beginning of the body, cut to `maxHeadBytes`. */
  readonly head: string;
}

export const maxHeadBytes = 4096;

/** How one attempt of a delivery ended. */
export type AttemptOutcome =
  | { readonly kind: 'delivered'; readonly response: ResponseHead | undefined }
  /** Another attempt may succeed. */
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly response: ResponseHead | undefined;
      /** What the receiver asked for; undefined: nothing. */
      readonly retryAfterMs: number | undefined;
    }
  /** No attempt will succeed. */
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly response: ResponseHead | undefined;
      /** The receiver wants no events any more (410). */
      readonly disables: boolean;
      /** Nothing was sent, which says nothing of the receiver. */
      readonly isUnsent?: true;
    };
