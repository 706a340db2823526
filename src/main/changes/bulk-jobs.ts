import { v7 as uuidv7 } from 'uuid';
import type { JobPorts } from '../../api/ports.ts';
import { whenEndedAreStored } from '../../ingest/changes/ended-exchanges.ts';
import type { RequestChanges } from '../../ingest/changes/request-changes.ts';
import type { Drain } from '../../ingest/drain.ts';
import { BulkJobs, type BulkJobOptions } from '../../jobs/bulk/bulk-jobs.ts';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { addJob, advanceJob, findJob, listJobs, listUndos, listUnfinishedJobs } from '../../metadata/jobs.ts';
import type { JobId } from '../../model/jobs/job.ts';
import type { Observe } from '../../model/observation.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Store } from '../../store/store.ts';

export interface BulkJobParts {
  readonly database: MetadataDatabase;
  readonly store: Pick<Store, 'jobLists' | 'changeNext'>;
  readonly drain: Pick<Drain, 'catchUp' | 'inFlight'>;
  readonly changer: Pick<RequestChanges, 'exclusive' | 'stamp' | 'laterTexts'>;
  readonly observe: Observe;
}

export function makeBulkJobs({ database, store, drain, changer, observe }: BulkJobParts, options?: BulkJobOptions): BulkJobs {
  const spool = { catchUp: () => drain.catchUp(), inFlight: drain.inFlight };
  return new BulkJobs(
    {
      repository: {
        add: (job, maxUnfinished) => addJob(database, job, maxUnfinished),
        find: (organizationId, id) => findJob(database, organizationId, id),
        unfinished: () => listUnfinishedJobs(database),
        advance: (id, progress) => advanceJob(database, id, progress),
        undos: (organizationId) => listUndos(database, organizationId),
      },
      lists: store.jobLists,
      changeNext: store.changeNext,
      redactProperties: (organizationId, values) => changer.laterTexts.properties(organizationId, values),
      exclusive: (organizationId, work) => changer.exclusive(organizationId, work),
      stamp: () => changer.stamp(),
      whenEndedAreStored: (organizationId, signal) => whenEndedAreStored(spool, organizationId, signal),
      newId: () => uuidv7() as JobId,
      now: systemClock.now,
      monotonic: systemClock.monotonic,
      observe,
    },
    options,
  );
}

export function jobPorts(jobs: BulkJobs, database: MetadataDatabase): JobPorts {
  return {
    order: (principal, order) => jobs.order(principal, order),
    undo: (principal, id) => jobs.undo(principal, id),
    cancel: (organizationId, id) => jobs.cancel(organizationId, id),
    find: (organizationId, id) => findJob(database, organizationId, id),
    list: (organizationId, page) => listJobs(database, organizationId, page),
  };
}
