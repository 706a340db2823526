import type { Statement } from '../../sql/statement.ts';

/**
 * Something that may explain an empty page: a statement to run, and what its rows say about it. An empty page is what a caller who waits for a
 * record gets again and again, so that names and times are not looked for in the whole history.
 */
export interface HintProbe {
  readonly statement: Statement;
  /** What was found is good for a while. */
  readonly isRemembered?: boolean;
  /** @returns undefined when this is not the reason, or what else has to be asked before it can be told. */
  readonly messageFor: (rows: readonly Readonly<Record<string, unknown>>[]) => string | HintProbe | undefined;
}
