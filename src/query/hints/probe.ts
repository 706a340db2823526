import type { Statement } from '../../sql/statement.ts';

/**
 * A possible reason for an empty page: a statement, and the sentence for its rows. Callers who wait for a record get empty pages again and
 * again, so names and times are not searched in the whole history.
 */
export interface HintProbe {
  readonly statement: Statement;
  /** The result may be cached for a while. */
  readonly isRemembered?: boolean;
  /** @returns undefined when this is not the reason; a probe when another look-up decides. */
  readonly messageFor: (rows: readonly Readonly<Record<string, unknown>>[]) => string | HintProbe | undefined;
}
