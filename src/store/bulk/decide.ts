import type { JobOutcome, TargetValues } from '../../model/jobs/job.ts';
import { bytesOfProperties } from '../../model/vocabulary/limits.ts';
import { exceedsQuota, type PropertyTotal } from '../update/property-quota.ts';

/** A request as a job finds it. Values are of the names that the job is about; null or missing is absent. */
export interface FoundRequest {
  readonly values: ReadonlyMap<string, string>;
  readonly total: PropertyTotal;
  /** Names for which the history has an entry of this job: an earlier attempt wrote it, and may have changed the row too. */
  readonly own: ReadonlySet<string>;
  /** The value after the latest entry by another change that came later than the job, or than the undone job. */
  readonly later: TargetValues;
}

export interface NewEntry {
  readonly name: string;
  readonly old: string | null;
  readonly new: string | null;
}

export interface Decision {
  readonly outcome: Exclude<JobOutcome, 'gone'>;
  /** New entries of the history. */
  readonly entries: readonly NewEntry[];
  /** Values to write; null removes the name. */
  readonly writes: TargetValues;
}

/**
 * Decides what a job does to a request. It is repeatable: after a crash at any point the history and the row get what they lack.
 * TRICKY: a later entry counts only if the row has its value. Each change writes its history first, so a crash may leave an entry whose
 * value never reached the row.
 */
export function decide(found: FoundRequest, targets: TargetValues): Decision {
  const entries: NewEntry[] = [];
  const writes = new Map<string, string | null>();
  let isLeftAlone = false;
  let isOwn = false;
  for (const [name, wanted] of targets) {
    const value = found.values.get(name) ?? null;
    const isEntered = found.own.has(name);
    isOwn ||= isEntered;
    if (value === wanted) continue;
    if (found.later.has(name) && found.later.get(name) === value) {
      isLeftAlone ||= !isEntered;
      continue;
    }
    writes.set(name, wanted);
    if (!isEntered) entries.push({ name, old: value, new: wanted });
  }
  // An entry is kept: what it says is made true.
  if (!isOwn && exceedsQuota(found.total, totalWith(found, writes))) return { outcome: 'refused', entries: [], writes: new Map() };
  if (isLeftAlone) return { outcome: 'changed_since', entries, writes };
  return { outcome: isOwn || entries.length > 0 ? 'changed' : 'unchanged', entries, writes };
}

/** The total after `writes`. */
export function totalWith({ total, values }: Pick<FoundRequest, 'total' | 'values'>, writes: TargetValues): PropertyTotal {
  const before = new Map<string, string>();
  const after = new Map<string, string>();
  for (const [name, value] of writes) {
    const old = values.get(name);
    if (old !== undefined) before.set(name, old);
    if (value !== null) after.set(name, value);
  }
  return {
    count: total.count + after.size - before.size,
    bytes: total.bytes + bytesOfProperties(after) - bytesOfProperties(before),
  };
}
