import type { Principal } from '../../model/principal.ts';
import type { JobOrder, Job, JobId } from '../../model/jobs/job.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { v7 as uuidv7 } from 'uuid';
import { whenEndedAreStored } from '../../ingest/changes/ended-exchanges.ts';
import type { RequestChanges } from '../../ingest/changes/request-changes.ts';
import type { Drain } from '../../ingest/drain.ts';
import { BulkJobs, type BulkJobOptions } from './bulk-jobs.ts';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { addJob, advanceJob, findJob, listJobs, listUndos, listUnfinishedJobs } from '../../metadata/jobs.ts';
import type { Observe } from '../../model/observation.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Store } from '../../store/store.ts';

/** Changes of many requests. */
export interface JobPorts {
  /** Durable on return. @throws GatelogError `service_busy` when too many wait. */
  readonly order: (principal: Principal, order: JobOrder) => Promise<Job>;
  /** @returns undefined for an unknown job. */
  readonly find: (organizationId: OrganizationId, id: JobId) => Promise<Job | undefined>;
  /** Newest first. */
  readonly list: (organizationId: OrganizationId, page: { readonly limit: number; readonly offset: number }) => Promise<readonly Job[]>;
  /** @returns undefined for an unknown job. */
  readonly cancel: (organizationId: OrganizationId, id: JobId) => Promise<Job | undefined>;
  /** @returns the undo, or undefined for an unknown job. @throws GatelogError `invalid_parameter` when there is nothing to undo. */
  readonly undo: (principal: Principal, id: JobId) => Promise<Job | undefined>;
}

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
