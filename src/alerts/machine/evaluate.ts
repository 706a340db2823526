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
  /** Some groups were left out, as there are too many. */
  readonly isCut: boolean;
}

/** Steps every group of a rule: those with requests, and those that are known. */
export function evaluate(ready: ReadyAlert, known: Memories, samples: readonly Sample[], time: StepTime): Evaluated {
  const { rules, plan } = ready;
  const { taken, isCut } = withinLimit(ready, known, samples);
  const keys = new Set([...known.keys(), ...taken.keys(), ...(plan.dimensions.length === 0 ? [groupKeyOf([])] : [])]);
  const memories = new Map<string, GroupMemory>();
  const steps = new Map<string, readonly StepEvent[]>();
  for (const key of keys) {
    const { memory, events } = step(rules, known.get(key), taken.get(key), time);
    if (memory !== undefined) memories.set(key, memory);
    if (events.length > 0) steps.set(key, events);
  }
  const notices = noticesOf(ready, steps, memories);
  for (const { noticeId, kind, told } of notices) {
    if (kind === 'triggered' || kind === 'no_data') for (const key of told) noteNotice(memories, key, noticeId);
  }
  return {
    memories,
    changed: changedBetween(known, memories),
    entered: [...steps].flatMap(([key, events]) => events.flatMap((event) => enteredBy(event, key, memories.get(key), events))),
    incidents: [...steps].flatMap(([key, events]) => touchedBy(key, events, memories.get(key))),
    notices,
    isCut,
  };
}

function noteNotice(memories: Map<string, GroupMemory>, key: string, notice: string): void {
  const memory = memories.get(key);
  if (memory?.incident?.notice === null) memories.set(key, { ...memory, incident: { ...memory.incident, notice } });
}

/** Of too many groups, those that are known to be more than ok, then those nearest to the threshold or beyond it. */
function withinLimit({ plan }: ReadyAlert, known: Memories, samples: readonly Sample[]) {
  const taken = new Map(samples.map((sample) => [groupKeyOf(sample.group), sample]));
  if (taken.size <= alertLimits.groups) return { taken, isCut: false };
  const rank = (key: string, { value }: Sample): number => {
    if ((known.get(key)?.state ?? 'ok') !== 'ok') return -Infinity;
    return gravityRank(value, plan.comparison);
  };
  const ranked = [...taken]
    .map(([key, sample]) => ({ key, sample, at: rank(key, sample) }))
    .toSorted((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)));
  return { taken: new Map(ranked.slice(0, alertLimits.groups).map(({ key, sample }) => [key, sample])), isCut: true };
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
  return left.peak === right.peak && left.toldAt === right.toldAt && left.notice === right.notice;
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
