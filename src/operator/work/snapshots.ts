import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config/load.ts';
import type { Drain } from '../../ingest/drain.ts';
import { type Snapshot, takeSnapshot } from '../../jobs/backup/snapshot.ts';
import type { BulkJobs } from '../../jobs/bulk/bulk-jobs.ts';
import { copyMetadata } from '../../metadata/copy.ts';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { lastPendingSequence } from '../../metadata/pending-changes.ts';
import { GatelogError, messageOf } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import { copyAudit } from '../../audit/copy.ts';
import { copyEvents } from '../../events/database/copy.ts';
import type { Store } from '../../store/store.ts';
import type { Removals } from '../../jobs/removals.ts';
import { dataPaths } from '../../config/data-paths.ts';

export interface SnapshotParts {
  readonly config: Config;
  readonly observe: Observe;
  readonly drain: Drain;
  readonly database: MetadataDatabase;
  readonly store: Store;
  readonly removals: Pick<Removals, 'withPaused'>;
  readonly jobs: Pick<BulkJobs, 'withPaused'>;
}

/** A snapshot in a folder of the data folder. */
interface TakenSnapshot {
  readonly folder: string;
  readonly snapshot: Snapshot;
  /** May be called more than once. */
  readonly remove: () => void;
}

/** Takes a snapshot, one at a time. @throws GatelogError with a sentence for people. */
export type TakeSnapshot = (secrets: boolean) => Promise<TakenSnapshot>;

/** Maximum wait for the end of the running batch. */
const batchEndMs = 30_000;

/** Makes the function that takes snapshots, and removes the remains of a snapshot whose core died. */
export function makeTakeSnapshot({ config, observe, drain, database, store, removals, jobs }: SnapshotParts): TakeSnapshot {
  const folder = path.resolve(config.dataDir, '.snapshot');
  rmSync(folder, { recursive: true, force: true });
  let isTaken = false;
  let removal: Promise<void> | undefined;
  const paths = dataPaths(config);
  return async (secrets) => {
    const { listParts } = store;
    if (listParts === undefined) {
      throw new GatelogError(
        'invalid_parameter',
        'The store is a ClickHouse server (GATELOG_CLICKHOUSE_URL): back it up with its own BACKUP.',
      );
    }
    // A command that comes right behind another one waits for what that one has left.
    await removal;
    if (isTaken) throw new GatelogError('store_unavailable', 'Another backup is being made. Try again when it is done.');
    isTaken = true;
    const remove = once(() => {
      removal = rm(folder, { recursive: true, force: true })
        .catch((error: unknown) => observe({ kind: 'job_failed', job: 'removal of a snapshot', reason: messageOf(error) }))
        .finally(() => {
          isTaken = false;
          removal = undefined;
        });
    });
    try {
      const snapshot = await takeSnapshot(
        {
          whilePaused: (work) =>
            jobs.withPaused(() =>
              removals.withPaused(() => {
                assertHere(store);
                return drain.whilePaused(work, batchEndMs);
              }),
            ),
          listParts,
          lastPendingChange: () => lastPendingSequence(database),
          copyMetadata: (file, options) => copyMetadata(config.dataDir, file, options),
          copyEvents: (file) => copyEvents(config.dataDir, file),
          copyAudit: (file) => copyAudit(config.dataDir, file),
          spoolFolder: paths.spool,
          deadLetterFolder: paths.deadLetters,
          secretFile: paths.secret,
        },
        folder,
        secrets,
      );
      return { folder, snapshot, remove };
    } catch (error) {
      remove();
      if (error instanceof GatelogError && error.code === 'invalid_parameter') throw error;
      throw new GatelogError('store_unavailable', `No backup could be made: ${messageOf(error)}.`, { cause: error });
    }
  };
}

/** @throws GatelogError where the records have moved, perhaps while a backup waited for it. */
function assertHere({ copy }: Pick<Store, 'copy'>): void {
  const moved = copy.movedTo();
  if (moved === undefined) return;
  throw new GatelogError('invalid_parameter', `The records have moved to ${moved}: start Gatelog with that store, then back it up.`);
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}
