import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { readFileIfPresent, replaceFile } from '../platform/files.ts';
import type { Position } from './spool.ts';

/** The bounds of one batch: in each series, all streams whose last frame lies in `[from, to)`. */
export interface BatchBounds {
  /** Counted from 1 over the life of the spool; part of the deduplication token. */
  readonly batch: number;
  readonly series: Readonly<Record<string, { readonly from: Position; readonly to: Position }>>;
  /** The number of its first record in the order of the store. */
  readonly firstNumber?: number;
  /** Streams of the batch, by their index in it, that its user decided to leave out. */
  readonly leftOut?: readonly number[];
}

/**
 * How far the store has accepted the spool, and which batch was about to be sent. A batch is written here before it is sent: after a crash
 * the same bounds make the same batch with the same token, and the store drops it if it has it already.
 */
export interface Checkpoint {
  readonly lastBatch: number;
  readonly accepted: Readonly<Record<string, Position>>;
  readonly intended?: BatchBounds;
  /** The greatest number of a record in accepted batches, in the order of the store. */
  readonly lastNumber?: number;
  /** Ids of data that the spool's user kept elsewhere for accepted batches and now removes. After a crash some may still exist. */
  readonly spent?: readonly number[];
  /**
   * Per series, the position up to which the store may have data that no checkpoint names, because this one began without its predecessor.
   */
  readonly unsure?: Readonly<Record<string, Position>>;
  /** JSON data of the spool's user, read in accepted batches and used in a later one. */
  readonly waiting?: readonly unknown[];
}

export interface CheckpointFile {
  readonly load: () => Checkpoint;
  /** Durable on return. */
  readonly save: (checkpoint: Checkpoint) => void;
}

interface StoredCheckpoint extends Checkpoint {
  readonly version: 1;
}

/** The checkpoint of a spool. @throws (on load) when it is damaged or of another version. */
export function openCheckpointFile(spoolFolder: string): CheckpointFile {
  const file = path.join(spoolFolder, 'checkpoint.json');
  return {
    load: () => {
      const text = readFileIfPresent(file);
      return text === undefined ? { lastBatch: 0, accepted: {} } : parseCheckpoint(text);
    },
    save: (checkpoint) => replaceFile(file, JSON.stringify({ version: 1, ...checkpoint } satisfies StoredCheckpoint)),
  };
}

/** TRICKY: an unreadable checkpoint must stop the program: starting without one may store records of the spool a second time. */
function parseCheckpoint(text: string): Checkpoint {
  let stored: StoredCheckpoint | null;
  try {
    stored = JSON.parse(text) as StoredCheckpoint | null;
  } catch (error) {
    throw new Error("the spool's checkpoint is damaged", { cause: error });
  }
  const { version, ...checkpoint } = stored ?? { version: undefined, lastBatch: 0, accepted: {} };
  if (version !== 1) throw new Error(`the spool's checkpoint is of version ${String(version)}; this program reads version 1`);
  return checkpoint;
}

/** The spool's identity, made at first use. */
export function spoolIdentity(spoolFolder: string): string {
  const file = path.join(spoolFolder, 'id');
  const existing = readFileIfPresent(file)?.trim();
  if (existing !== undefined && existing !== '') return existing;
  const fresh = randomUUID();
  replaceFile(file, `${fresh}\n`);
  return fresh;
}
