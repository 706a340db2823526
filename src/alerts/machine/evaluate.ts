import { alertLimits, type GroupState } from '../../model/events/alert-vocabulary.ts';
import { groupKeyOf } from '../../query/alerts/groups.ts';
import type { Sample } from '../../query/alerts/statement.ts';
import { type Notice, noticesOf } from './notices.ts';
import type { ReadyAlert } from './rule.ts';
import { gravityRank, type GroupMemory, type OpenIncident, step, type StepEvent, type StepTime } from './state.ts';

export type Memories = ReadonlyMap<string, GroupMemory>;

/** A group entered a state. */
export interface Entered {
  readonly key: string;
  readonly state: GroupState;
  readonly value: number | null;
  readonly incidentId: string | null;
}

/** An incident that began, changed or ended. */
export interface TouchedIncident {
  readonly key: string;
  readonly incident: OpenIncident;
  /** Null: it lasts. */
  readonly endedAt: number | null;
}

interface Change {
  readonly before: GroupMemory | undefined;
  readonly after: GroupMemory | undefined;
}

/** What one evaluation of a rule makes of its groups. */
export interface Evaluated {
  readonly memories: Memories;
  /** Groups of which other things are known than before, with what was and is known. */
  readonly changed: ReadonlyMap<string, Change>;
  readonly entered: readonly Entered[];
  readonly incidents: readonly TouchedIncident[];
  readonly notices: readonly Notice[];
  /** Groups that have requests and are not known, as there are too many. */
  readonly leftOut: number;
  /** About what the groups take in memory. */
  readonly bytes: number;
  /** The same, had none been left out. */
  readonly wantedBytes: number;
}

/** When groups are stepped, and what they may take. */
export interface EvaluationTime extends StepTime {
  /** Bytes of all groups of the rule; absent: any. A group with an open incident stays whatever it takes. */
  readonly maxBytes?: number;
}

/** Bytes of a group in memory beside its key. */
const bytesOfGroup = 400;

/** About what a group takes in memory. */
export function groupBytes(key: string): number {
  return bytesOfGroup + 2 * key.length;
}

/** Steps every group of a rule: those with requests, and those that are known. */
export function evaluate(ready: ReadyAlert, known: Memories, samples: readonly Sample[], time: EvaluationTime): Evaluated {
  const { rules, plan } = ready;
  const sampled = new Map<string, Sample | undefined>(samples.map((sample) => [groupKeyOf(sample.group), sample]));
  if (plan.dimensions.length === 0 && !sampled.has(ungrouped)) sampled.set(ungrouped, undefined);
  const { keys, leftOut, wantedBytes } = withinLimit(ready, known, sampled, time.maxBytes ?? Infinity);
  const memories = new Map<string, GroupMemory>();
  const stepped: (readonly [key: string, events: readonly StepEvent[]])[] = [];
  for (const key of keys) {
    const { memory, events } = step(rules, known.get(key), sampled.get(key), time);
    if (memory !== undefined) memories.set(key, memory);
    if (events.length > 0) stepped.push([key, events]);
  }
  // By key: what is told at one time is told in the same order after a restart.
  const steps = new Map(stepped.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  const notices = noticesOf(ready, steps, memories);
  for (const { noticeId, kind, notified } of notices) {
    if (kind === 'triggered' || kind === 'no_data') for (const key of notified) noteNotice(memories, key, noticeId);
  }
  return {
    memories,
    changed: changedBetween(known, memories),
    entered: [...steps].flatMap(([key, events]) => events.flatMap((event) => enteredBy(event, key, memories.get(key), events))),
    incidents: [...steps].flatMap(([key, events]) => touchedBy(key, events, memories.get(key))),
    notices,
    leftOut,
    bytes: [...memories.keys()].reduce((sum, key) => sum + groupBytes(key), 0),
    wantedBytes,
  };
}

function noteNotice(memories: Map<string, GroupMemory>, key: string, notice: string): void {
  const memory = memories.get(key);
  if (memory?.incident?.notice === null) memories.set(key, { ...memory, incident: { ...memory.incident, notice } });
}

const ungrouped = groupKeyOf([]);

/**
 * The groups that are stepped. Of too many, those that have an open incident, then those that are known to be more than ok, then those
 * nearest to the threshold or beyond it.
 */
function withinLimit({ plan }: ReadyAlert, known: Memories, sampled: ReadonlyMap<string, Sample | undefined>, maxBytes: number) {
  const all = [...new Set([...known.keys(), ...sampled.keys()])];
  const wantedBytes = all.reduce((sum, key) => sum + groupBytes(key), 0);
  if (sampled.size <= alertLimits.groups && wantedBytes <= maxBytes) return { keys: all, leftOut: 0, wantedBytes };
  const rank = (key: string): number => {
    const memory = known.get(key);
    if (memory !== undefined && memory.incident !== null) return -Infinity;
    if ((memory?.state ?? 'ok') !== 'ok') return -Number.MAX_VALUE;
    return gravityRank(sampled.get(key)?.value ?? null, plan.comparison);
  };
  const ranked = all.map((key) => ({ key, at: rank(key) })).toSorted((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)));
  const keys: string[] = [];
  let bytes = 0;
  for (const { key, at } of ranked) {
    const own = groupBytes(key);
    if (at !== -Infinity && (keys.length >= alertLimits.groups || bytes + own > maxBytes)) continue;
    keys.push(key);
    bytes += own;
  }
  const kept = new Set(keys);
  return { keys, leftOut: [...sampled.keys()].filter((key) => !kept.has(key)).length, wantedBytes };
}

/** A value alone is no change: it is shown from memory. */
function changedBetween(known: Memories, memories: Memories): ReadonlyMap<string, Change> {
  const changed = new Map<string, Change>();
  for (const [key, after] of memories) {
    const before = known.get(key);
    if (!isSame(before, after)) changed.set(key, { before, after });
  }
  for (const [key, before] of known) if (!memories.has(key)) changed.set(key, { before, after: undefined });
  return changed;
}

function isSame(one: GroupMemory | undefined, other: GroupMemory): boolean {
  if (one === undefined || one.state !== other.state || one.since !== other.since) return false;
  if (one.firstSeen !== other.firstSeen || one.absentSince !== other.absentSince) return false;
  const [left, right] = [one.incident, other.incident];
  if (left === null || right === null) return left === right;
  return left.peak === right.peak && left.notifiedAt === right.notifiedAt && left.notice === right.notice;
}

function enteredBy(event: StepEvent, key: string, memory: GroupMemory | undefined, events: readonly StepEvent[]): readonly Entered[] {
  if (event.kind !== 'entered') return [];
  const closed = events.find((one) => one.kind === 'closed');
  return [{ key, state: event.state, value: memory?.value ?? null, incidentId: (memory?.incident ?? closed?.incident)?.id ?? null }];
}

function touchedBy(key: string, events: readonly StepEvent[], memory: GroupMemory | undefined): readonly TouchedIncident[] {
  return events.flatMap((event): readonly TouchedIncident[] => {
    if (event.kind === 'closed') return [{ key, incident: event.incident, endedAt: event.endedAt }];
    if (event.kind !== 'opened' && event.kind !== 'changed') return [];
    return [{ key, incident: memory?.incident ?? event.incident, endedAt: null }];
  });
}
