/** A line of an import, without its line break. */
export interface ImportLine {
  /** In the caller's body, from 1. */
  readonly number: number;
  readonly bytes: Buffer;
}

/** A line that cannot be stored. */
export interface RefusedLine {
  readonly line: number;
  /** Empty for the line as a whole. */
  readonly field: string;
  readonly reason: string;
}

export interface ImportOutcome {
  readonly imported: number;
  /** Their identifiers are on record, or stood in another line. */
  readonly alreadyThere: number;
  readonly refused: readonly RefusedLine[];
}
