import type { Job, JobId } from '../../model/jobs/job.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { JobProgress, NewJob } from '../../metadata/jobs.ts';
import type { Observe } from '../../model/observation.ts';
import type { ChangeNext } from '../../store/bulk/change.ts';
import type { JobLists } from '../../store/bulk/job-lists.ts';

/** Jobs in the metadata database, so that they outlive this process. */
export interface JobRepository {
  /** Durable on return. @returns undefined when the organisation already has that many unfinished jobs. */
  readonly add: (job: NewJob, maxUnfinished: number) => Promise<Job | undefined>;
  readonly find: (organizationId: OrganizationId, id: JobId) => Promise<Job | undefined>;
  readonly unfinished: () => Promise<readonly Job[]>;
  /** Durable on return. @returns false when the job has ended. */
  readonly advance: (id: JobId, progress: JobProgress) => Promise<boolean>;
  /** Of each undo of the organisation, its number and that of the job that it undid. */
  readonly undos: (organizationId: OrganizationId) => Promise<ReadonlyMap<number, number>>;
}

export interface BulkJobPorts {
  readonly repository: JobRepository;
  readonly lists: JobLists;
  readonly changeNext: ChangeNext;
  /** Redacts what a job writes. @throws GatelogError when it cannot. */
  readonly redactProperties: (organizationId: OrganizationId, values: ReadonlyMap<string, string>) => Promise<ReadonlyMap<string, string>>;
  /** Runs `work` while no other change of the organisation does. */
  readonly exclusive: <Result>(organizationId: OrganizationId, work: () => Promise<Result>) => Promise<Result>;
  /** The time and number of a change that is accepted now. */
  readonly stamp: () => { readonly acceptedAt: number; readonly number: number };
  /** Waits until the exchanges of the organisation that have ended by now have left the spool. @throws the abort reason. */
  readonly whenEndedAreStored: (organizationId: OrganizationId, signal: AbortSignal) => Promise<void>;
  readonly newId: () => JobId;
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly observe: Observe;
}
