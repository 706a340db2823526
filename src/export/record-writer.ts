/** Writes records one after the other. Its memory does not grow with their number. */
export interface RecordWriter {
  readonly add: (record: Readonly<Record<string, unknown>>) => void;
  /** About how many bytes `take` returns. */
  readonly readyBytes: () => number;
  /** The next bytes of the file. */
  readonly take: () => Uint8Array;
  /** Makes every added record part of the next bytes. */
  readonly flush: () => void;
  /** Adds what comes behind the last record. */
  readonly end: () => void;
  /** What another writer needs to continue the file, as JSON; valid after `flush` and `take`. */
  readonly progress: () => unknown;
}
