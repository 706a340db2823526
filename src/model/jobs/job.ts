import type { OrganizationId, Uuid } from '../ids.ts';

export type JobId = Uuid;

/** `property` sets and removes properties; `undo` restores what another job changed. */
export const jobKinds = ['property', 'undo'] as const;
export type JobKind = (typeof jobKinds)[number];

/** `queued` and `running` end as one of the others. */
export const jobStates = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof jobStates)[number];

/** The properties that a bulk change sets and removes; no name is in both. */
export interface BulkProperties {
  readonly set: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
}

/** What a job does, fixed when it is ordered. */
export type JobOrder =
  /** `filter` as the caller wrote it. */
  | { readonly kind: 'property'; readonly filter: unknown; readonly properties: BulkProperties }
  | { readonly kind: 'undo'; readonly undoes: JobId };

/** Outcomes of a job's requests: each request that is done has exactly one. */
export interface JobOutcomes {
  /** At least one of its properties was changed by the job. */
  readonly changed: number;
  /** It was as the job wants it. */
  readonly unchanged: number;
  /** Left alone, because another change came after the start of the job, or of the undone one. */
  readonly changed_since: number;
  /** Left alone, because it would have had too many or too long properties. */
  readonly refused: number;
  /** Erased or expired since the job started. */
  readonly gone: number;
}

export type JobOutcome = keyof JobOutcomes;

export const noOutcomes: JobOutcomes = { changed: 0, unchanged: 0, changed_since: 0, refused: 0, gone: 0 };

export function doneOf({ changed, unchanged, changed_since: since, refused, gone }: JobOutcomes): number {
  return changed + unchanged + since + refused + gone;
}

/** The key of a request in the order of a job. */
export interface ListedRequest {
  readonly requestId: Uuid;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** A job over stored requests. Times are Unix milliseconds. */
export interface Job {
  readonly id: JobId;
  readonly organizationId: OrganizationId;
  /** Id of the key that ordered it. */
  readonly keyId: string;
  readonly order: JobOrder;
  readonly state: JobState;
  readonly createdAt: number;
  /** Its number among all changes, and the time in the history; null until it starts. */
  readonly number: number | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Null until its requests are listed. */
  readonly total: number | null;
  readonly outcomes: JobOutcomes;
  /** The last request that is done. */
  readonly reached: ListedRequest | null;
  /** Why it failed, or why it does not go on at the moment. */
  readonly error: string | null;
  /** The undo of this job, if one was ordered. */
  readonly undoneBy: JobId | null;
}

/** The value that each name gets; null removes it. */
export type TargetValues = ReadonlyMap<string, string | null>;

export function targetValues({ set, remove }: BulkProperties): TargetValues {
  return new Map<string, string | null>([...set, ...remove.map((name): [string, null] => [name, null])]);
}
